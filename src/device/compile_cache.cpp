#include "device/compile_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gpulab::device {
namespace {

namespace fs = std::filesystem;

// Two keys whose hashes collide are distinguished by the key stored in the entry.
std::string hash_of(const std::string& key) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(fnv1a(key)));
  return text;
}

std::optional<fs::path> user_cache_folder() {
  // The XDG base directory specification says to ignore a relative path.
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && xdg[0] == '/') return fs::path(xdg) / "gpulab";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return fs::path(home) / ".cache" / "gpulab";
  return std::nullopt;
}

// Returns whether only this user can write there, since code from the cache is run.
bool is_ours_alone(const fs::path& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return false;
  return facts.st_uid == ::geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         ::access(folder.c_str(), W_OK | X_OK) == 0;
}

bool make_owner_only(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder.parent_path(), ignored);
  ::mkdir(folder.c_str(), 0700);
  return is_ours_alone(folder);
}

constexpr const char* workspace_prefix = "gpulab-";

fs::path make_temporary_folder(const fs::path& parent) {
  std::string pattern = (parent / workspace_prefix).string() + "XXXXXX";
  if (!::mkdtemp(pattern.data()))
    throw Error(ExitCode::device, fmt::format("cannot create a folder in {} for compiled kernels: {}",
                                              parent.string(), std::strerror(errno)));
  return pattern;
}

// Removes folders of processes that were killed while they compiled. The file system's clock may differ from
// this machine's, so the age is relative to a folder that was just made.
void remove_abandoned_workspaces(const fs::path& cache, const fs::path& just_made) {
  constexpr std::chrono::hours longest_compilation(1);
  std::error_code error;
  const auto now = fs::last_write_time(just_made, error);
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, error)) {
    if (!entry.path().filename().string().starts_with(workspace_prefix)) continue;
    const auto changed = fs::last_write_time(entry, error);
    if (!error && now - changed > longest_compilation) fs::remove_all(entry, error);
  }
}

std::string content_of(const fs::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(content).str();
}

constexpr const char* key_file = "key";

// Returns the record of an entry: the key, and the sizes and a hash of the compiled files, so that a file
// which was truncated or changed (a full disk, an interrupted copy, a flipped bit) is made again.
std::string record_of(const fs::path& folder, const std::string& key) {
  std::map<std::string, std::string> contents;
  std::error_code failed;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder, failed))
    if (file.is_regular_file(failed) && file.path() != folder / key_file) {
      const std::string content = content_of(file.path());
      contents[file.path().lexically_relative(folder)] =
          std::to_string(content.size()) + " " + hash_of(content);
    }
  std::string text = key;
  for (const auto& [name, content] : contents) text += fmt::format("\n{} {}", name, content);
  return text;
}

// Removes the least recently used entries beyond the limits. Renames each before it is removed, so that
// nobody finds half of it. Recently used entries stay, since another process may be about to open them.
void remove_old_entries(const fs::path& cache, const CacheLimits& limits, const fs::path& just_made) {
  constexpr std::chrono::minutes recent(10);
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t bytes = 0;
  };
  std::vector<Entry> entries;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& folder : fs::directory_iterator(cache, error)) {
    Entry entry{folder.path(), fs::last_write_time(folder.path() / key_file, error)};
    if (error || folder.path().filename().string().starts_with(workspace_prefix)) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path, error))
      if (const std::uintmax_t size = file.file_size(error); !error) entry.bytes += size;
    bytes += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &Entry::used);
  const auto now = fs::last_write_time(just_made, error);
  std::size_t count = entries.size();
  for (const Entry& entry : entries) {
    const bool are_within_limits = bytes <= limits.bytes && count <= limits.entries;
    if (are_within_limits || now - entry.used < recent) return;
    const fs::path renamed = cache / (workspace_prefix + entry.path.filename().string());
    fs::rename(entry.path, renamed, error);
    fs::remove_all(renamed, error);
    bytes -= entry.bytes;
    --count;
  }
}

bool is_intact(const fs::path& entry, const std::string& key) {
  const std::string recorded = content_of(entry / key_file);
  return recorded.starts_with(key) && recorded == record_of(entry, key);
}

}  // namespace

CompileCache::CompileCache(const CacheLimits& limits) : limits_(limits) {
  const auto folder = user_cache_folder();
  std::error_code ignored;
  if (folder && make_owner_only(*folder) && fs::space(*folder, ignored).available >= limits.free_bytes) {
    folder_ = *folder;
  } else {
    folder_ = make_temporary_folder(fs::temp_directory_path());
    is_temporary_ = true;
  }
}

CompileCache::~CompileCache() {
  std::error_code ignored;
  if (is_temporary_) fs::remove_all(folder_, ignored);
}

fs::path CompileCache::entry(const std::string& key, const std::function<void(const fs::path&)>& make) {
  const fs::path entry = folder_ / hash_of(key);
  std::error_code ignored;
  if (is_intact(entry, key)) {
    ::utimensat(AT_FDCWD, (entry / key_file).c_str(), nullptr, 0);  // marks the entry as used, if possible
    return entry;
  }

  const fs::path workspace = make_temporary_folder(folder_);
  constexpr unsigned entries_between_cleanings = 32;
  if (made_++ % entries_between_cleanings == 0) {
    remove_abandoned_workspaces(folder_, workspace);
    remove_old_entries(folder_, limits_, workspace);
  }
  try {
    make(workspace);
    std::ofstream file(workspace / key_file, std::ios::binary);
    file << record_of(workspace, key);
    file.close();
    if (!file)
      throw Error(ExitCode::device, "cannot write to the cache " + folder_.string() + ": is the disk full?");
  } catch (...) {
    fs::remove_all(workspace, ignored);
    throw;
  }

  std::error_code failed;
  fs::rename(workspace, entry, failed);
  if (!failed) return entry;
  // The folder exists: another process has made the entry, or the entry is damaged, or another key has this
  // hash.
  if (!is_intact(entry, key)) {
    fs::remove_all(entry, ignored);
    fs::rename(workspace, entry, failed);
    if (!failed) return entry;
  }
  fs::remove_all(workspace, ignored);
  if (is_intact(entry, key)) return entry;
  throw Error(ExitCode::device,
              fmt::format("cannot keep a compiled kernel in {}: {}", entry.string(), failed.message()));
}

}  // namespace gpulab::device
