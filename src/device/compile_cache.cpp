#include "device/compile_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"

namespace gpulab::device {
namespace {

namespace fs = std::filesystem;

// Two keys that collide are told apart by the key stored in the entry.
std::string hash_of(const std::string& key) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(fnv1a(key)));
  return text;
}

std::optional<fs::path> user_cache_folder() {
  // The XDG base directory specification: a relative path is to be ignored.
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && xdg[0] == '/') return fs::path(xdg) / "gpulab";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return fs::path(home) / ".cache" / "gpulab";
  return std::nullopt;
}

// Code from the cache is run, so nobody else may be able to put any there.
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
    throw Error(ExitCode::device, "cannot create a folder in " + parent.string() +
                                      " for compiled kernels: set XDG_CACHE_HOME to a folder that is yours");
  return pattern;
}

// What processes have left that were killed while they compiled.
void remove_abandoned_workspaces(const fs::path& cache) {
  constexpr std::chrono::hours longest_compilation(1);
  const auto now = fs::file_time_type::clock::now();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, ignored)) {
    if (!entry.path().filename().string().starts_with(workspace_prefix)) continue;
    const auto changed = fs::last_write_time(entry, ignored);
    if (!ignored && now - changed > longest_compilation) fs::remove_all(entry, ignored);
  }
}

// What is kept beside the compiled files: the key they were made for, and their sizes, so that a file which
// was cut short (a full disk, a copy that was interrupted) is made again.
std::string seal(const fs::path& folder, const std::string& key) {
  std::map<std::string, std::uintmax_t> sizes;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder))
    if (file.is_regular_file() && file.path() != folder / "key")
      sizes[file.path().lexically_relative(folder)] = file.file_size();
  std::string text = key;
  for (const auto& [name, bytes] : sizes) text += "\n" + name + " " + std::to_string(bytes);
  return text;
}

bool holds(const fs::path& entry, const std::string& key) {
  std::ifstream file(entry / "key", std::ios::binary);
  return file && std::string(std::istreambuf_iterator<char>(file), {}) == seal(entry, key);
}

}  // namespace

CompileCache::CompileCache() {
  const auto folder = user_cache_folder();
  if (folder && make_owner_only(*folder)) {
    folder_ = *folder;
  } else {
    folder_ = make_temporary_folder(fs::temp_directory_path());
    temporary_ = true;
  }
}

CompileCache::~CompileCache() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(folder_, ignored);
}

fs::path CompileCache::entry(const std::string& key, const std::function<void(const fs::path&)>& make) {
  const fs::path entry = folder_ / hash_of(key);
  if (holds(entry, key)) return entry;

  remove_abandoned_workspaces(folder_);
  const fs::path workspace = make_temporary_folder(folder_);
  std::error_code ignored;
  try {
    make(workspace);
    std::ofstream file(workspace / "key", std::ios::binary);
    file << seal(workspace, key);
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
  // Another process was first, or an entry with the same hash or a damaged one stands there.
  if (!holds(entry, key)) {
    fs::remove_all(entry, ignored);
    fs::rename(workspace, entry, failed);
    if (!failed) return entry;
  }
  fs::remove_all(workspace, ignored);
  if (holds(entry, key)) return entry;
  throw Error(ExitCode::device,
              "cannot keep a compiled kernel in " + entry.string() + ": " + failed.message());
}

}  // namespace gpulab::device
