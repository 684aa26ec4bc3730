#include "source/program_files.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::source {
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

namespace {

std::string without_blanks(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

// The code of a file: tokens without spaces and comments.
class Code {
 public:
  explicit Code(std::string_view text) {
    int line = 1;
    for (const Token& token : cuda_tokens(text)) {
      if (token.kind != TokenKind::space && token.kind != TokenKind::comment)
        tokens_.push_back({token, line});
      line += static_cast<int>(std::ranges::count(token.text, '\n'));
    }
  }

  // Where the name of a function stands that is called in that line, or in one before it that the call goes
  // on to; the number of tokens if it does not: then a macro calls it.
  std::size_t call_of(const std::string& function, int line) const {
    constexpr int most_lines = 8;
    std::size_t found = tokens_.size();
    for (std::size_t i = 0; i + 1 < tokens_.size() && tokens_[i].line <= line; ++i)
      if (text(i).starts_with(function) && text(i + 1) == "(" && tokens_[i].line > line - most_lines &&
          tokens_[std::min(closing(i + 1), tokens_.size() - 1)].line >= line)
        found = i;
    return found;
  }

  // Whether the call at i is a statement, so that nobody sees what it returns.
  bool is_statement(std::size_t i) const {
    if (i >= tokens_.size() || text(closing(i + 1) + 1) != ";") return false;
    while (i >= 2 && text(i - 1) == ":" && text(i - 2) == ":") i -= 2;
    if (i == 0 || tokens_[i - 1].token.kind == TokenKind::directive) return true;
    const std::string_view before = text(i - 1);
    if (before == ")") {
      const std::size_t open = opening(i - 1);
      return open > 0 && (text(open - 1) == "if" || text(open - 1) == "for" || text(open - 1) == "while");
    }
    return before == ";" || before == "{" || before == "}" || before == "else" || before == "do" ||
           before == ":";
  }

  // Of the call at i, from 0 on.
  std::string argument(std::size_t i, std::size_t number) const {
    std::string words;
    const std::size_t end = i < tokens_.size() ? closing(i + 1) : 0;
    std::size_t at = 0;
    for (i += 2; i < end; ++i) {
      if (text(i) == "(" || text(i) == "[" || text(i) == "{") {
        const std::size_t close = std::min(closing(i), end);
        for (; at == number && i < close; ++i) words += std::string(text(i)) + " ";
        i = close;
      }
      if (text(i) == ",")
        ++at;
      else if (at == number)
        words += std::string(text(i)) + " ";
    }
    return words;
  }

  // Whether some declaration of that name is one of floating-point numbers.
  bool is_of_floats(std::string_view name) const {
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      if (text(i) != name || (text(i - 1) != "*" && text(i - 1) != ",")) continue;
      for (std::size_t k = i; k-- > 0;) {
        if (text(k) == ";" || text(k) == "{" || text(k) == "}") break;
        if (text(k) == ")") k = opening(k);
        if (text(k) == "float" || text(k) == "double" || text(k) == "half" || text(k) == "__half")
          return true;
        if (text(k) == "int" || text(k) == "char" || text(k) == "unsigned") break;
      }
    }
    return false;
  }

 private:
  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].token.text : std::string_view();
  }
  std::size_t closing(std::size_t i) const {
    for (int depth = 0; i < tokens_.size(); ++i) {
      if (text(i) == "(" || text(i) == "[" || text(i) == "{") ++depth;
      if ((text(i) == ")" || text(i) == "]" || text(i) == "}") && --depth == 0) return i;
    }
    return tokens_.size();
  }
  std::size_t opening(std::size_t i) const {
    for (int depth = 0; i > 0; --i) {
      if (text(i) == ")") ++depth;
      if (text(i) == "(" && --depth == 0) return i;
    }
    return 0;
  }

  struct Placed {
    Token token;
    int line;
  };
  std::vector<Placed> tokens_;
};

std::size_t argument_with_bytes(std::string_view call) {
  if (call.starts_with("cudaMemcpy2D")) return 4;
  return call.starts_with("cudaMemcpy") ? 2 : 1;
}

bool counts_bytes(std::string argument) {
  std::ranges::transform(argument, argument.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  return argument.empty() || argument.find("sizeof") != std::string::npos ||
         argument.find("byte") != std::string::npos;
}

std::string last_word(const std::string& words) {
  std::size_t end = words.size();
  while (end > 0 && !is_word_character(words[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word_character(words[begin - 1])) --begin;
  return words.substr(begin, end - begin);
}

bool holds(const ProgramFinding& finding, const Code& code) {
  const std::size_t call = code.call_of(finding.call, finding.place.line);
  switch (finding.premise) {
    case ProgramFinding::Premise::value_is_unused:
    case ProgramFinding::Premise::value_is_unused_at_failure:
      return code.is_statement(call);
    case ProgramFinding::Premise::counts_no_bytes:
      return !counts_bytes(code.argument(call, argument_with_bytes(finding.call)));
    case ProgramFinding::Premise::is_of_floats:
      return code.is_of_floats(last_word(code.argument(call, 0)));
    default:
      return true;
  }
}

std::size_t source_of(const std::vector<SourceFile>& sources, const SourcePlace& place) {
  if (place.file.empty()) return 0;
  const auto found = std::ranges::find_if(
      sources, [&](const SourceFile& source) { return source.path.filename() == place.file; });
  return static_cast<std::size_t>(found - sources.begin());
}

}  // namespace

void find_source_lines(const std::vector<SourceFile>& sources, ProgramReport& report) {
  std::vector<std::vector<std::string>> lines;
  for (const SourceFile& source : sources) lines.push_back(lines_of(source.text));
  const auto fill = [&](SourcePlace& place) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool is_it = place.file.empty() ? i == 0 : sources[i].path.filename() == place.file;
      if (!is_it || place.line < 1 || static_cast<std::size_t>(place.line) > lines[i].size()) continue;
      place.source = without_blanks(lines[i][static_cast<std::size_t>(place.line) - 1]);
      return;
    }
  };
  std::erase_if(report.findings, [&](ProgramFinding& finding) {
    if (finding.premise == ProgramFinding::Premise::none) return false;
    const std::size_t source = source_of(sources, finding.place);
    if (source < sources.size() && holds(finding, Code(sources[source].text))) return false;
    if (finding.premise != ProgramFinding::Premise::value_is_unused_at_failure) return true;
    finding.pattern = "failed-call";
    finding.is_note = true;
    finding.instead.clear();
    return false;
  });
  for (ProgramFinding& finding : report.findings) {
    fill(finding.place);
    for (ProgramFinding::Other& other : finding.others) fill(other.place);
  }
}

}  // namespace gpulab::source
