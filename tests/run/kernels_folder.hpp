#pragma once

#include <stdlib.h>

#include "test.hpp"

namespace gpulab::run {

// A temporary folder of kernel files, as a user gives it with --kernels.
class KernelsFolder {
 public:
  KernelsFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpulab-kernels-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~KernelsFolder() { std::filesystem::remove_all(path_); }
  KernelsFolder(const KernelsFolder&) = delete;
  KernelsFolder& operator=(const KernelsFolder&) = delete;

  void write(const std::string& file, const std::string& text) const { std::ofstream(path_ / file) << text; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gpulab::run
