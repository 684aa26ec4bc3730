#include "program/sources.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/cuda_text.hpp"
#include "core/error.hpp"
#include "core/files.hpp"

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{4} << 20, most_files = 500;

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw UsageError("cannot read " + file.string() + ": it is a folder, not a file of a program");
  std::string text = without_byte_order_mark(read_file(file, most_bytes));
  if (text.size() > most_bytes)
    throw UsageError("cannot read " + file.string() + ": a file of a program has at most 4 194 304 bytes");
  if (text.find('\0') != std::string::npos)
    throw UsageError("cannot read " + file.string() + ": it is no text; a program is CUDA C++");
  return text;
}

bool is_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Reads files as they are named, and then those that they include.
class SourceReader {
 public:
  explicit SourceReader(const BuildOptions& options) : options_(options) {
    for (const fs::path& file : options.files) roots_.push_back(fs::weakly_canonical(file).parent_path());
    for (const fs::path& folder : options.include_folders) {
      std::error_code ignored;
      if (!fs::is_directory(folder, ignored))
        throw UsageError("-I " + folder.string() + " is not a folder that can be read");
      roots_.push_back(fs::canonical(folder));
    }
    for (const fs::path& file : options.files) {
      const std::size_t number = add(file, file.string());
      sources_[number].is_unit = true;
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) follow_includes(i);
  }

  std::vector<SourceFile> take() { return std::move(sources_); }

 private:
  std::size_t add(const fs::path& file, const std::string& name) {
    const fs::path real = fs::weakly_canonical(file);
    const auto [known, is_new] = number_of_.try_emplace(real.string(), sources_.size());
    if (!is_new) return known->second;
    if (sources_.size() >= most_files)
      throw UsageError("a program has at most 500 files; see -I and what is included");
    sources_.push_back({name, real, text_of(file), false});
    return known->second;
  }

  // None for a file that is not the program's.
  std::optional<fs::path> found(const fs::path& includer, const IncludeDirective& include) const {
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

  void follow_includes(std::size_t number) {
    std::string text;
    const std::string original = sources_[number].text;
    for (const Token& token : cuda_tokens(original)) {
      const auto include = token.kind == TokenKind::directive ? include_in(token.text) : std::nullopt;
      const auto file = include ? found(sources_[number].path, *include) : std::nullopt;
      if (!file) {
        text += token.text;
        continue;
      }
      const std::size_t target = add(*file, file->filename().string());
      std::string line(token.text);
      line.replace(static_cast<std::size_t>(include->name.data() - token.text.data()) - 1,
                   include->name.size() + 2, "\"../" + place_of(sources_, target) + "\"");
      text += line;
    }
    sources_[number].text = text;
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

std::string place_of(const std::vector<SourceFile>& sources, std::size_t number) {
  const std::string name = sources[number].path.filename().string();
  const bool is_harmless = std::ranges::all_of(
      name, [](char letter) { return is_word_character(letter) || letter == '.' || letter == '-'; });
  return std::to_string(number) + "/" + (is_harmless && !name.starts_with('-') ? name : "program.cu");
}

std::vector<std::string> foreign_headers(const std::vector<SourceFile>& sources) {
  std::vector<std::string> names;
  for (const SourceFile& source : sources)
    for (const Token& token : cuda_tokens(source.text)) {
      const auto include = token.kind == TokenKind::directive ? include_in(token.text) : std::nullopt;
      if (!include || include->name.starts_with("../") ||
          std::ranges::find(names, include->name) != names.end())
        continue;
      names.emplace_back(include->name);
    }
  return names;
}

}  // namespace gpulab::program
