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

// Files are written so that nothing is lost that is there, also when two processes write at once: first under
// a temporary name, and whole when the file gets its own.

// The content of a file or a pipe, of at most so many bytes and one more, which says that it has more. Throws
// UsageError for what is neither: a folder, a device, a pipe that nobody writes to. "the progress in " before
// the name says what cannot be read.
std::string read_file(const std::filesystem::path& file, std::size_t max_bytes, const std::string& what = "");

// Throws UsageError: "cannot write FILE: why".
[[noreturn]] void cannot_write(const std::filesystem::path& file, const std::string& why);

// Whether the file is there and has exactly that text.
bool has_text(const std::filesystem::path& file, const std::string& text);

// The same of a file in a folder or the folders in it. Nothing below the folder is followed that is a link,
// also if it became one a moment ago.
std::string read_file_below(const std::filesystem::path& folder, const std::filesystem::path& file,
                            std::size_t max_bytes);
// What some editors put before a text, and not every compiler takes.
std::string without_byte_order_mark(std::string text);

// Makes the file, unless there is one of that name; returns whether it did. Throws UsageError when the folder
// cannot be written to.
bool create_file(const std::filesystem::path& file, const std::string& text);

// The file has the text afterwards, whether it was there or not. What a link of that name points to stays as
// it is. Throws UsageError when it cannot be written.
void replace_file(const std::filesystem::path& file, const std::string& text);

// A folder that stays the one that it was when it was opened, whatever its path leads to afterwards.
class OpenFolder {
 public:
  // Throws UsageError, as the others do.
  explicit OpenFolder(const std::filesystem::path& folder);

  // As replace_file() does, with the file of that name in this folder.
  void replace(const std::filesystem::path& name, const std::string& text) const;
  // Writes to a pipe of that name, which stays. No link is followed.
  void write_in_place(const std::filesystem::path& name, const std::string& text) const;
  int descriptor() const { return opened_.number(); }

 private:
  std::filesystem::path path_;
  Descriptor opened_;
};

// For as long as this lives, no other process that asks for it may write the file. It goes with the process,
// however that ends; a hidden file beside the file may be left behind, and does no harm.
class FileLock {
 public:
  // Throws UsageError when another process has it, or the folder cannot be written to.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path lock_file_;
  Descriptor opened_;
};

// Gives the file a further name, unless something has that name; returns whether it did. Where the file
// system knows one name for a file only, the old name is gone. Throws UsageError for any other obstacle.
bool add_name(const std::filesystem::path& file, const std::filesystem::path& name);

// Renames the file to NAME.previous, or to NAME.previous-2 and so on where something has that name already.
// Returns the new name; none where the file cannot be renamed.
std::optional<std::filesystem::path> set_aside(const std::filesystem::path& file);

// Where the text of the file really is or will be, so that a link keeps pointing where it points. The name
// itself where that cannot be told.
std::filesystem::path target_of(const std::filesystem::path& file);

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

// Becomes readable when something is saved in one of the folders. It is an alarm only: what was saved, the
// files themselves tell, and where there are no such alarms, as on network file systems, they have to be
// looked at regularly.
class FolderEvents {
 public:
  explicit FolderEvents(const std::set<std::filesystem::path>& folders);

  // For poll(); -1, which poll() leaves out, where there are no alarms.
  int descriptor() const { return alarms_.number(); }

  // Takes the alarm back.
  void drain() const;

  // Until nothing has happened for a tenth of a second: an editor may write, rename and delete for one save.
  void wait_until_quiet() const;

  // Those of the files that were saved, when it has become quiet.
  std::vector<std::filesystem::path> saved_of(const std::vector<std::filesystem::path>& files,
                                              SavedFiles& known) const;

 private:
  Descriptor alarms_;
};

}  // namespace gpulab
