#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"

namespace gpulab {

// Files are written so that nothing existing is lost, even when two processes write at once: first under a
// temporary name, then renamed once complete.

// Reads at most max_bytes + 1 bytes of a file or pipe: the last one shows that there is more. Throws
// UsageError for a folder, a device or a pipe without a writer. `what` goes before the name in messages: "the
// progress in ".
std::string read_file(const std::filesystem::path& file, std::size_t max_bytes, const std::string& what = "");

// Throws UsageError: "cannot write FILE: why".
[[noreturn]] void throw_unwritable(const std::filesystem::path& file, const std::string& why);

// Return whether the path leads to anything, to a file, to one that is not empty, or to a folder; false if
// that cannot be told.
bool is_there(const std::filesystem::path& path);
bool is_file(const std::filesystem::path& path);
bool has_content(const std::filesystem::path& file);
bool is_folder(const std::filesystem::path& path);

// Makes the folder, with those above it, unless it is there. Throws UsageError: "cannot make the folder
// FOLDER: why".
void make_folder(const std::filesystem::path& folder);

// Returns whether the file exists and holds exactly this text.
bool has_text(const std::filesystem::path& file, const std::string& text);

// Reads like read_file() from a folder or its subfolders. Follows no links below the folder, even if one has
// just been put there.
std::string read_file_below(const std::filesystem::path& folder, const std::filesystem::path& file,
                            std::size_t max_bytes);

// Removes the byte order mark that some editors write and not every compiler accepts.
std::string without_byte_order_mark(std::string text);

// Creates the file unless the name is taken; returns whether it did. Throws UsageError when the folder cannot
// be written to.
bool create_file(const std::filesystem::path& file, const std::string& text);

// Writes the file, replacing any old one. If the name is a link, replaces the link and not its target. Throws
// UsageError when it cannot be written.
void replace_file(const std::filesystem::path& file, const std::string& text);

// A handle to a folder that stays on that folder wherever its path leads later.
class OpenFolder {
 public:
  // Throws UsageError, as the member functions do.
  explicit OpenFolder(const std::filesystem::path& folder);

  // Replaces the file of that name in this folder, like replace_file().
  void replace(const std::filesystem::path& name, const std::string& text) const;
  // Writes to an existing pipe of that name. Follows no link.
  void write_in_place(const std::filesystem::path& name, const std::string& text) const;
  int descriptor() const { return opened_.number(); }

 private:
  std::filesystem::path path_;
  Descriptor opened_;
};

// Returns whether another process holds the file's FileLock.
bool is_locked(const std::filesystem::path& file);

// A lock that keeps other gpulab processes from writing the file. It ends with the process, however that
// ends: children do not inherit it. A hidden file may remain beside the file and does no harm.
class FileLock {
 public:
  // Throws UsageError when another process holds it, or the folder cannot be written to.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path lock_file_;
  Descriptor opened_;
};

// Gives the file another name, unless that is taken; returns whether it did. On a file system without hard
// links the old name is gone. Throws UsageError for any other obstacle.
bool add_name(const std::filesystem::path& file, const std::filesystem::path& name);

// Renames the file to NAME.previous, or NAME.previous-2 and so on if taken. Returns the new name; none if the
// file cannot be renamed.
std::optional<std::filesystem::path> set_aside(const std::filesystem::path& file);

// Returns the path of the file to which links lead, so that a write to it keeps the links. Returns the given
// path if the links cannot be followed.
std::filesystem::path target_of(const std::filesystem::path& file);

// Detects which files were saved since the last call, in place or by replacement, as editors do.
class SavedFiles {
 public:
  // Returns the files that are new or changed since the last call. Skips missing files.
  std::vector<std::filesystem::path> take_changed(const std::vector<std::filesystem::path>& files);

  // Return the files that are gone; take_gone() also forgets them, so that they are new once they are back.
  std::vector<std::filesystem::path> gone() const;
  std::vector<std::filesystem::path> take_gone();

 private:
  struct Version {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t inode = 0, bytes = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };

  std::map<std::filesystem::path, Version> versions_;
};

// Notifies that something was saved in one of the folders. Compare the files to see which. Some file systems,
// such as network file systems, have no notifications, so poll the files too.
class FolderEvents {
 public:
  explicit FolderEvents(const std::set<std::filesystem::path>& folders);

  // Returns a descriptor for poll(); -1, which poll() ignores, where there are no notifications.
  int descriptor() const { return notifications_.number(); }

  // Discards pending notifications.
  void drain() const;

  // Waits until a tenth of a second passes without an event: one save may write, rename and delete.
  void wait_until_quiet() const;

  // Waits until it is quiet and returns the files that were saved.
  std::vector<std::filesystem::path> saved_of(const std::vector<std::filesystem::path>& files,
                                              SavedFiles& known) const;

  // Returns the files that are gone, but not one that is being replaced.
  std::vector<std::filesystem::path> gone_of(SavedFiles& known) const;

 private:
  Descriptor notifications_;
};

}  // namespace gpulab
