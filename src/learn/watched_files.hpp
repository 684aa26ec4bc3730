#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

namespace gpulab::learn {

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
  ~FolderEvents();
  FolderEvents(const FolderEvents&) = delete;
  FolderEvents& operator=(const FolderEvents&) = delete;

  // For poll(); -1, which poll() leaves out, where there are no alarms.
  int descriptor() const { return descriptor_; }

  // Takes the alarm back.
  void drain() const;

  // Until nothing has happened for a tenth of a second: an editor may write, rename and delete for one save.
  void wait_until_quiet() const;

  // Those of the files that were saved, when it has become quiet.
  std::vector<std::filesystem::path> saved_of(const std::vector<std::filesystem::path>& files,
                                              SavedFiles& known) const;

 private:
  int descriptor_;
};

}  // namespace gpulab::learn
