#pragma once

#include <filesystem>
#include <string>

#include "core/class_result.hpp"
#include "learn/progress.hpp"

// Learners who want to let an instructor see how far they are, by a folder that both can reach. Anybody may
// write anything there.

namespace gpulab::learn {

// From now on the progress in the folder is shared under that name or, where it is empty, the user's; it is
// remembered in the progress file. Returns the file, which is then there. Throws UsageError for what is no
// folder, cannot be written to, or is no name.
std::filesystem::path start_sharing(const std::filesystem::path& folder, const std::string& shared_folder,
                                    const std::string& name);

// Takes the shared file away, too. Returns whether anything was shared.
bool stop_sharing(const std::filesystem::path& folder);

// Writes the shared file, whole or not at all, where that was asked for. Throws UsageError where it cannot.
void share(const Progress& progress);

// Everybody who shares their progress in the folder. Throws UsageError for what is no folder.
ClassResult class_in(const std::filesystem::path& shared_folder);

}  // namespace gpulab::learn
