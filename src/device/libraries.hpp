#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/host.hpp"
#include "lesson/lesson.hpp"
#include "source/code.hpp"
#include "yardsticks/yardstick.hpp"

namespace gpulab::device {

// The parts of the C and C++ libraries that kernel files may use. nvcc accepts them but NVRTC has none of
// them, so both devices put the same text before the file.

// Returns the identifiers and keywords of the code, without comments and strings.
std::set<std::string, std::less<>> words_of(const source::Code& code);

// Returns whether a part of a prelude is for one of the words. The part's first lines list them, "// For:
// sin* cos*"; a part without a list is for every file.
bool is_needed_for(std::string_view part, const std::set<std::string, std::less<>>& words);

// Returns the word for a header in a list "For:": "include_cuda_fp16_h".
std::string word_for_header(std::string header);

// Returns the text of device/library/ that the file uses and does not define itself.
std::string library_for(const source::Code& code);

// Returns the headers that are empty files, because their declarations are there without them: those of the C
// and C++ libraries, which no device compiler has, and those of CUDA that NVRTC includes by itself.
const std::set<std::string, std::less<>>& empty_headers();

// Returns CUDA's headers that need an #include. NVRTC has them in the toolkit, the simulator in its prelude.
const std::set<std::string, std::less<>>& cuda_headers();

// Returns the names in the file's #include directives, as written between <> or "".
std::vector<std::string> included_headers(const source::Code& code);

// Returns the constants that math_constants.h defines, for a text whose own headers are C++'s.
std::string math_constants();

// Returns the files of device/library/, embedded at build time.
const std::vector<EmbeddedFile>& library_parts();

// Status of a library that some variants need, found at run time: "cub", "nccl".
struct LibraryStatus {
  std::string name;
  std::string version;  // "CUB 3.0.1"; empty if it cannot be used
  std::string problem;  // why it cannot be used, in the loader's words
};

// One of the libraries in src/yardsticks/, opened: "cub" is libgpulab_cub.so (see places_of_module).
class YardstickLibrary {
 public:
  // Throws std::runtime_error, with the reason, if the library is missing or lacks what it needs.
  explicit YardstickLibrary(const std::string& name);

  const char* version() const { return offered_.library; }
  // Returns null if the library has no such call.
  const GpulabYardstick* find(const std::string& call) const;

 private:
  DynamicLibrary library_;
  GpulabYardsticks offered_{};
};

// Returns the library of a yardstick, "cub-reduce", named by the part before the first hyphen, and opens
// it if it is not open yet. Null if it is missing.
const YardstickLibrary* library_of_yardstick(const std::string& call);

// Returns the yardstick of that name; null if it is missing.
const GpulabYardstick* find_yardstick(const std::string& call);

// Returns the version of each library on this machine, or why it cannot be used.
std::vector<LibraryStatus> yardstick_status(const std::vector<std::string>& names);

// Libraries that work on the memory of a GPU, and libraries that work on the memory of the host.
inline const std::vector<std::string> gpu_yardsticks = {"cub", "cublas", "cudnn"};
inline const std::vector<std::string> host_yardsticks = {"onednn", "opencl"};

}  // namespace gpulab::device
