#pragma once

#include "check/files.hpp"
#include "check/folder_fixture.hpp"
#include "test.hpp"

namespace gpulab::teach {

// A folder of learners' folders, for one test.
class ClassTest : public check::FolderTest {
 protected:
  // Writes a file such as "ada/first_kernel.cu".
  void hand_in(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder / file).parent_path());
    write(file, text);
  }
  static std::string starter(const std::string& exercise) {
    return check::find_exercise(exercise).exercise.starter;
  }
};

inline const std::string right_first_kernel =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
    "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (item < size) C[item] = A[item] + B[item];\n}\n";

}  // namespace gpulab::teach
