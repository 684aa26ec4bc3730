#include "check/files.hpp"

#include "base/error.hpp"
#include "folder_fixture.hpp"

namespace gpulab::check {
namespace {

class LearnersFile : public FolderTest {};

TEST_F(LearnersFile, IsItsTextUnderTheNameThatWasGiven) {
  write("mine.cu", "__global__ void k() {}\n");
  const device::KernelSource source = learners_file(folder / "mine.cu");
  EXPECT_EQ(source.name, (folder / "mine.cu").string());
  EXPECT_EQ(source.text, "__global__ void k() {}\n");
}

TEST_F(LearnersFile, IsRefusedWhereItCannotBeAKernelFile) {
  write("large.cu", std::string((1 << 20) + 1, ' '));
  write("binary.cu", std::string("\x7f"
                                 "ELF\0",
                                 5));
  for (const std::string& name :
       {std::string("large.cu"), std::string("binary.cu"), std::string("no.cu"), std::string()})
    EXPECT_THROW(learners_file(folder / name), UsageError) << name;
}

}  // namespace
}  // namespace gpulab::check
