#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace gpulab::device {

struct CacheLimits {
  std::uintmax_t bytes = std::uintmax_t{200} << 20;
  std::size_t entries = 1000;
  std::uintmax_t free_bytes = std::uintmax_t{8} << 20;  // least room on the disk
};

// A cache of compiled files on disk: $XDG_CACHE_HOME/gpulab, else ~/.cache/gpulab, owner-only. If neither can
// be used, or the disk is full, a temporary folder that is removed with the process. Several processes can
// use it at once: an entry is made under a temporary name and renamed when it is complete. If there are too
// many, the least recently used entries are removed.
class CompileCache {
 public:
  explicit CompileCache(const CacheLimits& limits = {});
  ~CompileCache();
  CompileCache(const CompileCache&) = delete;
  CompileCache& operator=(const CompileCache&) = delete;

  // Returns the folder that `make` filled for this key, now or in an earlier process. The key is everything
  // that the result depends on: source, flags, compiler, architecture. An exception from `make` passes
  // through and leaves no entry behind.
  std::filesystem::path entry(const std::string& key,
                              const std::function<void(const std::filesystem::path& folder)>& make);

  const std::filesystem::path& folder() const { return folder_; }
  bool is_temporary() const { return is_temporary_; }

 private:
  CacheLimits limits_;
  std::filesystem::path folder_;
  bool is_temporary_ = false;
  std::atomic<unsigned> made_{0};  // entries that this object has made
};

}  // namespace gpulab::device
