#include "run/run_options.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "kernels_folder.hpp"

namespace gpulab::run {
namespace read_text_file_test {

class ReadKernelFile : public testing::Test {
 protected:
  std::string refusal(const std::filesystem::path& file) const try {
    read_text_file(file, kernel_file);
    return "none";
  } catch (const UsageError& error) {
    return error.what();
  }

  KernelsFolder folder_;
};

TEST_F(ReadKernelFile, ReturnsTheText) {
  folder_.write("scale.cu", "// as it is\r\n");
  EXPECT_EQ(read_text_file(folder_.path() / "scale.cu", kernel_file), "// as it is\r\n");
  folder_.write("large.cu", std::string(1'048'576, '\n'));
  EXPECT_EQ(read_text_file(folder_.path() / "large.cu", kernel_file).size(), 1'048'576u);
}

TEST_F(ReadKernelFile, RefusesWhatIsNoKernelFile) {
  folder_.write("binary.cu", std::string("ELF\0", 4));
  folder_.write("large.cu", std::string(1'048'577, '\n'));
  const std::string folder = folder_.path().string();
  EXPECT_EQ(refusal(folder), "cannot read " + folder + ": it is a folder, not a kernel file");
  EXPECT_EQ(refusal(folder + "/none.cu"), "cannot read " + folder + "/none.cu: No such file or directory");
  EXPECT_EQ(refusal(folder + "/binary.cu"),
            "cannot read " + folder + "/binary.cu: it is no text; a kernel file is CUDA C++ source");
  EXPECT_EQ(refusal(folder + "/large.cu"),
            "cannot read " + folder + "/large.cu: a kernel file has at most 1 048 576 bytes");
}

TEST_F(ReadKernelFile, DoesNotReadWithoutEnd) {
  EXPECT_EQ(refusal("/dev/zero"), "cannot read /dev/zero: it is a device, not a file");
}

}  // namespace read_text_file_test
}  // namespace gpulab::run
