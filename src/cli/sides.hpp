#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpulab::cli {

// The files before and after "--".
struct Sides {
  std::vector<std::filesystem::path> before, now;
};

// Behind "--" everything is a file. The parser takes that word away, so it is looked for among those that
// were typed. Without it there is nothing on the side of now. Throws UsageError, which ends with the form,
// for an empty side, a second "--", and options behind it.
Sides sides_of(const std::vector<std::filesystem::path>& files, const std::vector<std::string>& typed,
               const std::string& form);

}  // namespace gpulab::cli
