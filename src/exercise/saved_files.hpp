#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace gpulab {

// Tells which files were saved since it was last asked, however an editor does that: in place, or by putting
// a new file in the place of the old one.
class SavedFiles {
 public:
  // Those of the files that are new, or other than when it was last asked. What is not there is left out.
  std::vector<std::filesystem::path> take(const std::vector<std::filesystem::path>& files);

 private:
  struct Version {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t inode = 0, bytes = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };

  std::map<std::filesystem::path, Version> versions_;
};

}  // namespace gpulab
