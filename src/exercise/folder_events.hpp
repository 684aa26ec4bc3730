#pragma once

#include <filesystem>
#include <set>

namespace gpulab {

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

 private:
  int descriptor_;
};

}  // namespace gpulab
