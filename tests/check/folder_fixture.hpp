#pragma once

#include <stdlib.h>

#include "test.hpp"

namespace gpulab::check {

// A folder that exists for one test.
class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpulab-exercises-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder); }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder / file, std::ios::binary) << text;
  }
  std::string read(const std::string& file) const { return content_of(folder / file); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  std::filesystem::path folder;
};

using Names = std::vector<std::string>;

}  // namespace gpulab::check
