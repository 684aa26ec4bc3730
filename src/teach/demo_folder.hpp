#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace gpulab::teach {

// Folder for the kernels that a demo changes: one that the user named, or a temporary one. A temporary one is
// removed at the end or by a signal, unless a file in it was edited. Each step has its own folder inside, so
// that steps do not share kernels. Only one may exist at a time.
class DemoFolder {
 public:
  // Throws UsageError for an empty name.
  explicit DemoFolder(const std::optional<std::filesystem::path>& named);
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;

  // Writes a file of a step, counted from 0, and returns its path. Renames an earlier demo's file of that
  // name. Throws UsageError.
  std::filesystem::path put(std::size_t step, const std::string& name, const std::string& text);

  std::filesystem::path path_of(std::size_t step, const std::string& name) const;

  const std::filesystem::path& path() const { return path_; }
  // Keeps a temporary folder, too: a file in it was edited.
  void keep();
  bool is_kept() const { return is_kept_; }

 private:
  void make(const std::filesystem::path& folder);

  std::filesystem::path path_;
  bool is_kept_ = false;
  std::set<std::filesystem::path> written_;
};

}  // namespace gpulab::teach
