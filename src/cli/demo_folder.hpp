#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace gpulab::cli {

// Where the kernels that a demo changes are: a folder that somebody named, or a temporary one. Nothing is
// left of that one when it is gone or a signal ends the program, unless somebody has edited something there.
// Each step has a folder of its own in it, so that none meets the kernels of another. There is one at a time.
class DemoFolder {
 public:
  // Throws UsageError for a name that is empty.
  explicit DemoFolder(const std::optional<std::filesystem::path>& named);
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  // Writes a file of a step, counted from 0, and returns where it is. What an earlier demo has left under
  // that name gets another one. Throws UsageError.
  std::filesystem::path put(std::size_t step, const std::string& name, const std::string& text);

  std::filesystem::path path_of(std::size_t step, const std::string& name) const;

  const std::filesystem::path& path() const { return path_; }
  void keep();
  bool is_kept() const { return is_kept_; }

 private:
  void make(const std::filesystem::path& folder);

  std::filesystem::path path_;
  bool is_kept_ = false;
  std::set<std::filesystem::path> written_;
};

}  // namespace gpulab::cli
