#include "hip/resources_json.hpp"

#include <elf.h>
#include <unistd.h>

#include "device/symbols.hpp"
#include "test.hpp"

// Code objects are read without AMD's libraries.

namespace gpulab::hip {
namespace {

using nlohmann::json;

// A note as hipRTC of HIP 5.2 writes it for gfx90a, without the arguments of the kernels.
std::string note() {
  const json kernel = {{".name", "_Z5scalePKfPfi"},
                       {".symbol", "_Z5scalePKfPfi.kd"},
                       {".vgpr_count", 128},
                       {".vgpr_spill_count", 102},
                       {".sgpr_count", 72},
                       {".private_segment_fixed_size", 252},
                       {".group_segment_fixed_size", 28672},
                       {".wavefront_size", 64},
                       {".max_flat_workgroup_size", 128}};
  json other = kernel;
  other[".name"] = "other";
  other[".vgpr_count"] = 8;
  other.erase(".vgpr_spill_count");
  const json all = {{"amdhsa.kernels", {kernel, other}}, {"amdhsa.version", {1, 1}}};
  const std::vector<std::uint8_t> bytes = json::to_msgpack(all);
  return {bytes.begin(), bytes.end()};
}

TEST(AmdResources, AreThoseOfTheKernelWithThatSymbol) {
  const Resources scale = resources_in(note(), "_Z5scalePKfPfi");
  EXPECT_EQ(scale.vgprs, 128);
  EXPECT_EQ(scale.spilled_vgprs, 102);
  EXPECT_EQ(scale.scratch_bytes, 252u);
  EXPECT_EQ(scale.lds_bytes, 28672u);
  EXPECT_EQ(resources_in(note(), "other").vgprs, 8);
}

TEST(AmdResources, HaveNoSpillsWhereTheNoteCountsNone) {
  EXPECT_EQ(resources_in(note(), "other").spilled_vgprs, 0);
}

std::string message_of(const std::string& bytes, const std::string& symbol) {
  return message_thrown<std::runtime_error>([&] { resources_in(bytes, symbol); }, "none");
}

TEST(AmdResources, NeedANoteThatHasTheKernel) {
  EXPECT_EQ(message_of(note(), "_Z5scalePf"), "the code object's note has no kernel _Z5scalePf");
  const std::string malformed = "the code object's note is not as LLVM describes it";
  EXPECT_EQ(message_of("", "other"), malformed);
  EXPECT_EQ(message_of(note().substr(0, 40), "other"), malformed);
  const std::vector<std::uint8_t> bytes = json::to_msgpack({{"amdhsa.kernels", {{{".name", "other"}}}}});
  EXPECT_EQ(message_of({bytes.begin(), bytes.end()}, "other"), malformed);
}

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// An ELF file with two notes in one section: one of owner GNU, then one of owner AMDGPU.
class ElfWithNote : public testing::Test {
 protected:
  ElfWithNote() {
    std::string notes = note_of("GNU", 3, "12345") + note_of("AMDGPU", 32, "abcdefg");
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shoff = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 1;
    Elf64_Shdr section{};
    section.sh_type = SHT_NOTE;
    section.sh_offset = sizeof header + sizeof section;
    section.sh_size = notes.size();
    std::ofstream(file_, std::ios::binary) << bytes_of(header) << bytes_of(section) << notes;
  }
  ~ElfWithNote() override { std::filesystem::remove(file_); }

  static std::string note_of(const std::string& owner, std::uint32_t type, const std::string& content) {
    const auto padded = [](std::string text) {
      text.resize((text.size() + 3) / 4 * 4);
      return text;
    };
    const Elf64_Nhdr header{.n_namesz = static_cast<std::uint32_t>(owner.size() + 1),
                            .n_descsz = static_cast<std::uint32_t>(content.size()),
                            .n_type = type};
    return bytes_of(header) + padded(owner + '\0') + padded(content);
  }

  const std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) / ("note-" + std::to_string(::getpid()));
};

TEST_F(ElfWithNote, GivesANoteByOwnerAndType) {
  EXPECT_EQ(device::elf_note(file_, "AMDGPU", 32), "abcdefg");
  EXPECT_EQ(device::elf_note(file_, "GNU", 3), "12345");
}

TEST_F(ElfWithNote, HasNoNoteOfAnotherOwnerOrType) {
  EXPECT_THROW(device::elf_note(file_, "AMDGPU", 3), std::runtime_error);
  EXPECT_THROW(device::elf_note(file_, "AMD", 32), std::runtime_error);
}

TEST_F(ElfWithNote, HasNoNoteThatIsCutShort) {
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 4);
  EXPECT_THROW(device::elf_note(file_, "AMDGPU", 32), std::runtime_error);
}

}  // namespace
}  // namespace gpulab::hip
