#include <unistd.h>

#include "device/symbols.hpp"
#include "test.hpp"

// Defined here so that this very program has them in its symbol table.
extern "C" {
[[gnu::used, gnu::noinline]] int elf_symbols_test_function() {
  return 1;
}
[[gnu::used]] double elf_symbols_test_object[3] = {1, 2, 3};
[[gnu::used]] thread_local int elf_symbols_test_thread_local[5] = {1};
}

namespace gpulab::device {
namespace {

namespace fs = std::filesystem;
using Kind = ElfSymbol::Kind;

ElfSymbol symbol_of_this_program(const std::string& name) {
  const auto symbols = elf_symbols("/proc/self/exe");
  const auto found =
      std::find_if(symbols.begin(), symbols.end(), [&](auto& symbol) { return symbol.name == name; });
  return found == symbols.end() ? ElfSymbol{} : *found;
}

// A file that is removed at the end of the test.
class ElfFiles : public testing::Test {
 protected:
  fs::path file_with(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return path_;
  }
  void TearDown() override { fs::remove(path_); }

 private:
  fs::path path_ = fs::path(testing::TempDir()) / ("elf_symbols-" + std::to_string(::getpid()));
};

TEST(ElfSymbols, TellsFunctionsObjectsAndThreadLocalObjectsApart) {
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_function").kind, Kind::function);
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_object").kind, Kind::object);
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_thread_local").kind, Kind::thread_local_object);
}

TEST(ElfSymbols, KnowsTheirSizes) {
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_object").bytes, 3 * sizeof(double));
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_thread_local").bytes, 5 * sizeof(int));
  EXPECT_GT(symbol_of_this_program("elf_symbols_test_function").bytes, 0u);
}

TEST(ElfSymbols, KnowsTheirSectionsAndWhetherThoseAreWritable) {
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_object").section, ".data");
  EXPECT_TRUE(symbol_of_this_program("elf_symbols_test_object").writable);
  EXPECT_EQ(symbol_of_this_program("elf_symbols_test_function").section, ".text");
  EXPECT_FALSE(symbol_of_this_program("elf_symbols_test_function").writable);
}

TEST(ElfSymbols, LeavesOutSymbolsThatAreDefinedElsewhere) {
  for (const ElfSymbol& symbol : elf_symbols("/proc/self/exe"))
    EXPECT_FALSE(symbol.name.starts_with("getpid@"));
}

TEST_F(ElfFiles, RejectsAFileThatIsNotThere) {
  EXPECT_THROW(elf_symbols("/nowhere/at/all"), std::runtime_error);
}

TEST_F(ElfFiles, RejectsText) {
  EXPECT_THROW(elf_symbols(file_with(std::string(1000, 'x'))), std::runtime_error);
}

TEST_F(ElfFiles, RejectsAFileThatWasCutShort) {
  const std::string whole = content_of("/proc/self/exe");
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{40}, std::size_t{64}, whole.size() / 2, whole.size() - 1})
    EXPECT_THROW(elf_symbols(file_with(whole.substr(0, length))), std::runtime_error) << length << " bytes";
}

}  // namespace
}  // namespace gpulab::device
