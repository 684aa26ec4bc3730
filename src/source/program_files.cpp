#include "source/program_files.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "lesson/finding.hpp"

namespace gpulab::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = std::size_t{4} << 20, max_files = 500;

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw UsageError("cannot read " + file.string() + ": it is a folder, not a file of a program");
  std::string text = without_byte_order_mark(read_file(file, max_bytes));
  if (text.size() > max_bytes)
    throw UsageError("cannot read " + file.string() + ": a file of a program has at most 4 194 304 bytes");
  if (text.find('\0') != std::string::npos)
    throw UsageError("cannot read " + file.string() +
                     ": it is not text; a program is CUDA C++, and -L DIR -l NAME add a shared library");
  return text;
}

bool is_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Reader of the given files and those that they include.
class SourceReader {
 public:
  explicit SourceReader(const BuildOptions& options) : options_(options) {
    for (const auto* const files : {&options.files, &options.included_before})
      for (const fs::path& file : *files) roots_.push_back(fs::weakly_canonical(file).parent_path());
    for (const fs::path& folder : options.include_folders) {
      std::error_code ignored;
      if (fs::is_directory(folder, ignored)) roots_.push_back(fs::canonical(folder));  // as nvcc does
    }
    for (const fs::path& file : options.files) sources_[add(file, file.string())].is_unit = true;
    for (const fs::path& file : options.included_before) {
      const fs::path includer = fs::current_path() / "-";  // any name of a file: only its folder counts
      const auto found = find_included(includer, {file.native(), /*is_quoted=*/true});
      sources_[add(found.value_or(file), file.string())].is_pre_included = true;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) follow_includes(i);
  }

  std::vector<SourceFile> take() { return std::move(sources_); }

 private:
  std::size_t add(const fs::path& file, const std::string& name) {
    const fs::path real = fs::weakly_canonical(file);
    const auto [known, is_new] = number_of_.try_emplace(real.string(), sources_.size());
    if (!is_new) return known->second;
    if (sources_.size() >= max_files)
      throw UsageError("a program has at most 500 files; see -I and what is included");
    sources_.push_back({name, real, text_of(file)});
    return known->second;
  }

  // Returns nothing for a file that is not in one of the program's folders.
  std::optional<fs::path> find_included(const fs::path& includer, const IncludeDirective& include) const {
    std::vector<fs::path> folders;
    if (include.is_quoted) folders.push_back(includer.parent_path());
    folders.insert(folders.end(), options_.include_folders.begin(), options_.include_folders.end());
    for (const fs::path& folder : folders) {
      std::error_code failed;
      const fs::path file = fs::canonical(folder / include.name, failed);
      if (failed || !fs::is_regular_file(file, failed)) continue;
      if (std::ranges::any_of(roots_, [&](const fs::path& root) { return is_in(file, root); })) return file;
    }
    return std::nullopt;
  }

  // Refuses an existing file that is outside of the folders that may be read.
  static void refuse_outside(const SourceFile& includer, const IncludeDirective& include) {
    std::error_code ignored;
    const fs::path name(include.name);
    if (!include.is_quoted || !fs::is_regular_file(includer.path.parent_path() / name, ignored)) return;
    const fs::path folder =
        fs::proximate((includer.path.parent_path() / name).lexically_normal().parent_path());
    throw UsageError(fmt::format(
        "{} includes {}, which is outside the folders of the program's files; -I allows its folder: -I {}",
        includer.name, name.string(), folder.string()));
  }

  void follow_includes(std::size_t number) {
    const Code code = sources_[number].code;
    std::string text;
    std::size_t copied = 0;  // bytes of the code that the text has so far
    for (const IncludeDirective& include : includes_in(code)) {
      const auto file = find_included(sources_[number].path, include);
      if (!file) refuse_outside(sources_[number], include);
      if (!file) continue;
      const bool is_absolute = options_.files.front().is_absolute();
      const std::size_t target = add(*file, (is_absolute ? *file : fs::proximate(*file)).string());
      const auto begin = static_cast<std::size_t>(include.name.data() - code.whole().data());
      text.append(code.whole(), copied, begin - 1 - copied);  // up to the quote or <
      text += "\"" + build_path_of(sources_, target) + "\"";
      copied = begin + include.name.size() + 1;
    }
    if (copied > 0) sources_[number].code = text.append(code.whole(), copied);
  }

  const BuildOptions& options_;
  std::vector<fs::path> roots_;  // in which included files may be
  std::vector<SourceFile> sources_;
  std::map<std::string, std::size_t> number_of_;
};

}  // namespace

std::vector<SourceFile> read_sources(const BuildOptions& options) {
  return SourceReader(options).take();
}

std::string build_path_of(const std::vector<SourceFile>& sources, std::size_t number) {
  const std::string name = sources[number].path.filename().string();
  const bool is_harmless = std::ranges::all_of(
      name, [](char letter) { return is_word_character(letter) || letter == '.' || letter == '-'; });
  return std::to_string(number) + "/" + (is_harmless && !name.starts_with('-') ? name : "program.cu");
}

void refuse(const std::vector<SourceFile>& sources, std::size_t number, int line, const std::string& why) {
  const std::string place = line > 0 ? ", line " + std::to_string(line) : "";
  throw CompileError(
      sources[number].name + place + ": " + why, "",
      {.kind = DefectKind::does_not_compile, .line = number == 0 ? line : 0, .complaint = why});
}

std::vector<std::string> foreign_headers(const std::vector<SourceFile>& sources) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> own_files;
  for (std::size_t i = 0; i < sources.size(); ++i) own_files.insert(build_path_of(sources, i));
  for (const SourceFile& source : sources)
    for (const IncludeDirective& include : includes_in(source.code))
      if (!own_files.contains(include.name) && std::ranges::find(names, include.name) == names.end())
        names.emplace_back(include.name);
  return names;
}

}  // namespace gpulab::source
