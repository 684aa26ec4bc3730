#include "learn/editor_prelude.hpp"

#include <unistd.h>
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "device/compile_cache.hpp"
#include "device/kernel_library.hpp"
#include "simulator/compile/compiler.hpp"

namespace gpulab::learn {
namespace {

namespace fs = std::filesystem;

// A part that a file gets by an #include alone; others are for files that have certain words.
bool is_of_header(const EmbeddedFile& part, const std::string& header) {
  return device::is_for(part.text, {device::word_for_header(header)}) &&
         !device::is_for(part.text, {device::word_for_header("any other")});
}

// Barriers and shuffles tell the simulator the line that they stand in, by a last parameter of their own,
// which CUDA's do not have. Here only the functions of the simulator keep it.
std::string without_lines(const std::string& text) {
  static const std::regex parameter("(?:, |(\\())GPULAB_(?:LINE|HERE)\\)");
  static const std::regex argument("(?:, |(\\())line\\)"), kept_argument("(, |\\()line\\)");
  static const std::regex of_simulator(
      "gpulab_(barrier|wait|shuffle|ballot|match|reduce|active_mask|from_lane)\\(");
  std::string result;
  for (std::string line : lines_of(text)) {
    line = std::regex_search(line, of_simulator) ? std::regex_replace(line, kept_argument, "$010)")
                                                 : std::regex_replace(line, argument, "$1)");
    result += std::regex_replace(line, parameter, "$1)") + "\n";
  }
  return result;
}

// What only a GPU has, for the kernels of the course that need one.
constexpr const char* of_a_gpu_alone =
    "// The address in shared memory, as PTX takes it.\nsize_t __cvta_generic_to_shared(const void* "
    "address);\n";

// By their names in the folder. What a file will name is not known when it is opened: there is everything.
std::map<std::string, std::string> prelude_files() {
  std::map<std::string, std::string> files;
  for (const std::string& header : device::empty_headers()) files["include/" + header] = "";
  std::string& all = files["gpulab.hpp"];
  all =
      "// What CUDA adds to C++, as the simulator of gpulab has it. Made by gpulab editor; changes are "
      "lost.\n";
  for (const EmbeddedFile& part : simulator::compile::prelude_parts()) {
    const std::string text = without_lines(part.text);
    bool is_included = false;
    for (const std::string& header : device::cuda_headers()) {
      if (!is_of_header(part, header)) continue;
      const std::string guard = "GPULAB_HAS_" + std::string(part.name, std::string_view(part.name).find('.'));
      files["include/" + header] += "#ifndef " + guard + "\n#define " + guard + "\n" + text + "#endif\n";
      is_included = true;
    }
    if (!is_included) all += text;
  }
  for (const EmbeddedFile& part : device::library_parts()) all += part.text;
  all += of_a_gpu_alone;
  return files;
}

// Readers see the old target or the new one.
void point_to(const fs::path& link, const fs::path& target) {
  std::error_code failed;
  if (fs::read_symlink(link, failed) == target) return;
  const fs::path temporary = link.string() + "." + std::to_string(::getpid());
  fs::create_symlink(target, temporary, failed);
  if (!failed) fs::rename(temporary, link, failed);
  if (!failed) return;
  fs::remove(temporary, failed);
  throw UsageError("cannot make the link " + link.string() + "; remove what has that name");
}

}  // namespace

fs::path editor_prelude() {
  device::CompileCache cache;
  if (cache.is_temporary())
    throw UsageError("there is no cache for what the editor reads: set XDG_CACHE_HOME to a folder of yours");
  const auto files = prelude_files();
  std::string key = "editor";
  for (const auto& [name, text] : files) key += "\n" + name + "\n" + text;
  const fs::path entry = cache.entry(key, [&](const fs::path& folder) {
    for (const auto& [name, text] : files) {
      fs::create_directories((folder / name).parent_path());
      replace_file(folder / name, text);
    }
  });
  const fs::path link = cache.folder() / "editor";
  point_to(link, entry.filename());
  return link;
}

}  // namespace gpulab::learn
