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

// What kernel files may include and name beside the device's language: a little of the C and C++ libraries.
// NVRTC has none of it, although nvcc accepts it, so both devices put the same text before the file.

// The words of the code: of neither comments nor literals.
std::set<std::string, std::less<>> words_of(const source::Code& code);

// Whether a part of a prelude is for one of the words. The part's first lines say which words, "// For: sin*
// cos*"; a part that does not say so is for every file.
bool is_for(std::string_view part, const std::set<std::string, std::less<>>& words);

// By which a part says that it is for files that include the header: "include_cuda_fp16_h".
std::string word_for_header(std::string header);

// Of the library's parts (device/library/), what the file names and does not define itself. It stands in one
// line, so that the lines of the file keep their numbers wherever it is put.
std::string library_for(const source::Code& code);

// Headers that give nothing when they are included, because what they declare is there without them: those of
// the C and C++ libraries, which no device compiler has, and those of CUDA that NVRTC includes by itself.
const std::set<std::string, std::less<>>& empty_headers();

// CUDA's own headers that give names only where they are included. NVRTC finds them in the toolkit, the
// simulator in its prelude.
const std::set<std::string, std::less<>>& cuda_headers();

// The names in the file's #include directives, as written between <> or "".
std::vector<std::string> included_headers(const source::Code& code);

// The files of device/library/, embedded at build time.
const std::vector<EmbeddedFile>& library_parts();

// One of the libraries that some variants need, found at run time: "cub", "nccl".
struct LibraryStatus {
  std::string name;
  std::string version;  // "CUB 3.0.1"; empty where it cannot be used
  std::string problem;  // why it cannot, in the loader's words
};

// One of the libraries in src/yardsticks/, opened: "cub" is libgpulab_cub.so, beside the program or in the
// folder lib next to the program's.
class YardstickLibrary {
 public:
  // Throws std::runtime_error with the loader's words when it is not there or lacks what it needs.
  explicit YardstickLibrary(const std::string& name);

  const char* version() const { return offered_.library; }
  // Null when it has no such call.
  const GpulabYardstick* find(const std::string& call) const;

 private:
  DynamicLibrary library_;
  GpulabYardsticks offered_{};
};

// The library of a yardstick, "cub-reduce", named by what stands before the first hyphen. It is opened when
// first asked for. Null where it is missing.
const YardstickLibrary* library_of_yardstick(const std::string& call);

// The yardstick of that name; null where it is missing.
const GpulabYardstick* find_yardstick(const std::string& call);

// What this machine has of each library, and why not.
std::vector<LibraryStatus> yardstick_status(const std::vector<std::string>& names);

// Those that take memory of a GPU, and those that take memory of the host.
inline const std::vector<std::string> gpu_yardsticks = {"cub", "cublas", "cudnn"};
inline const std::vector<std::string> host_yardsticks = {"onednn", "opencl"};

}  // namespace gpulab::device
