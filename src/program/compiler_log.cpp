#include "program/compiler_log.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "device/symbols.hpp"
#include "program/hip.hpp"
#include "simulator/compile/compiler.hpp"
#include "source/device_code.hpp"
#include "source/source_parts.hpp"
#include "source/statements.hpp"

namespace gpulab::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* form_of_launch = "kernel<<<blocks, threads>>>(arguments)";

// Returns "‘int’" for "‘gpulab_own<int>’ {aka ‘int’}", the type that a kernel's parameter has in the
// simulator.
std::string with_types_of_the_text(std::string error) {
  constexpr std::string_view own = "‘gpulab_own<", aka = "{aka ";
  for (std::size_t at; (at = error.find(own)) != std::string::npos;) {
    const std::size_t type = error.find(aka, at);
    const std::size_t end = type == std::string::npos ? type : error.find('}', type);
    if (end == std::string::npos) break;
    const std::size_t begin = type + aka.size();
    error.replace(at, end + 1 - at, error.substr(begin, end - begin));
  }
  return error;
}

// Returns the compiler's error. If it is about a warp function that CUDA has removed, adds the replacement.
// An error about a launch's configuration says what belongs there.
std::string with_advice(const std::string& error) {
  source::Scanner scanner(error);
  if (scanner.skip_past("gpulab_configure"))  // the function that takes the configuration
    return scanner.skip_past("attribute error: ") || scanner.skip_past("unavailable: ")
               ? std::string(scanner.rest())
               : std::string(
                     "a launch has blocks and threads, and after them only "
                     "bytes of shared memory and a stream: ") +
                     form_of_launch;
  if (!scanner.skip_past("‘") && !scanner.skip_past("'")) return error;
  const std::string advice = source::advice_for_removed(scanner.take_word());
  return advice.empty() ? error : error.substr(0, error.find(';')) + "; CUDA has removed it: " + advice;
}

// Returns what to write if the token names the q of "float* p, q;", which is no pointer.
std::string advice_for_missing_star(const source::Code& code, std::size_t use) {
  for (std::size_t at = use; code.is_word(use) && at-- > 3;) {
    const std::string_view end = code.text(at + 1);
    if (code.text(at) != code.text(use) || code.text(at - 1) != "," || !is_one_of(end, {",", ";", "="}))
      continue;
    std::string pointers;
    std::size_t type = at;  // goes back to the beginning of the declaration
    for (; type > 0 && (code.is_word(type) || is_one_of(code.text(type), {",", "*"})); --type)
      if (code.is_word(type) && is_one_of(code.text(type - 1), {",", "*"}))
        pointers = fmt::format("*{}{}{}", code.text(type), pointers.empty() ? "" : ", ", pointers);
    if (!is_one_of(code.text(type), {";", "{", "}"})) continue;
    if (code.is_word(++type) && code.text(type + 1) == "*")
      return fmt::format("{} is a {}, not a pointer: each name needs its own star, {} {}", code.text(use),
                         code.text(type), code.text(type), pointers);
  }
  return "";
}

// Returns what to write for a slip in a launch or in a call of cudaMalloc, or the error if the line has none.
std::string with_advice_on_line(const source::Code& code, int line, const std::string& error) {
  const auto has = [&](const char* words) { return error.find(words) != std::string::npos; };
  std::size_t at = code.first_from_line(line);
  const auto follows = [&](std::initializer_list<const char*> texts) {
    std::size_t next = at;
    return std::ranges::all_of(texts, [&](const char* text) { return code.text(next++) == text; });
  };
  for (; at < code.size() && code[at].line == line; ++at) {
    if (const std::string_view macro = source::macro_that_hides(code, at); !macro.empty())
      return fmt::format(
          "macro {} declares a variable {}, too, so the macro's argument names that one: rename one of the two",
          macro, code.text(at));
    const bool is_allocated = at > 3 && code.text(at - 1) == "&" && code.text(at - 3) == "cudaMalloc";
    if (is_allocated || has("cannot convert ‘float’ to") || has("cannot convert ‘int’ to") ||
        has("cannot convert ‘double’ to"))
      if (const std::string advice = advice_for_missing_star(code, at); !advice.empty()) return advice;
    if (at > 0 && code.is_word(at - 1) && follows({"<", "<"}) && !follows({"<", "<", "<"}) &&
        std::ranges::count(source::kernel_names(code), code.text(at - 1)) > 0)
      return fmt::format("a launch has three brackets on each side: {}<<<blocks, threads>>>(arguments)",
                         code.text(at - 1));
    if ((has("void value not ignored") || has("type 'void'")) && at > 1 && code.text(at - 2) == "=" &&
        follows({"<", "<", "<"}))
      return "a launch gives no value: call cudaGetLastError() after it";
    if (!has("no matching function for call to") || !has("cudaMalloc") || code.text(at) != "cudaMalloc")
      continue;
    at += 2;
    if (code.is_word(at) && code.text(at + 1) == "," && code.text(at + 2) != "&")
      return fmt::format("cudaMalloc takes the address of the pointer: write &{}", code.text(at));
  }
  return error;
}

}  // namespace

CompilerLog::CompilerLog(const std::vector<source::SourceFile>& sources,
                         const std::vector<source::RewrittenText>& texts, const std::string& compiler,
                         const std::string& log)
    : sources_(sources), texts_(texts), compiler_(compiler) {
  bool is_kept = true;
  const bool has_hip = is_hip(sources);
  for (const std::string& line : lines_of(log))
    is_kept = !take_undefined_reference(line) && add(has_hip ? in_hip(line) : line, is_kept);
}

void CompilerLog::refuse_undefined() const {
  if (undefined_.empty()) return;
  const std::string& file = sources_.front().name;
  const auto& [source, line] = undefined_at_;
  const auto c_file = std::ranges::find_if(
      sources_, [](const source::SourceFile& unit) { return unit.path.extension() == ".c"; });
  const CompileError error(
      file + " does not link: " + undefined_ +
          (line > 0 ? fmt::format(" is used in {}, line {}", sources_[source].name, line) : " is used") +
          ", but none of the given files defines it" +
          (c_file == sources_.end()
               ? "; is another source file missing? Name all files: gpulab run " + file + " OTHER.cu"
               : ": " + c_file->name +
                     " is compiled as C++, so extern \"C\" belongs before what C++ calls as C"),
      text_, {.kind = DefectKind::does_not_compile, .line = source == 0 ? line : 0});
  throw UndefinedName(error, undefined_);
}

void CompilerLog::refuse(const sandbox::CommandResult& result) const {
  const std::string& file = sources_.front().name;
  const auto error = [&](const std::string& words, int line) {
    return CompileError(words, text_,
                        {.kind = DefectKind::does_not_compile,
                         .line = line,
                         .complaint = line > 0 ? first_error_ : std::string()});
  };
  using Limit = sandbox::CommandResult::Limit;
  if (result.limit != Limit::none)
    throw error(file + " needs too much " +
                    (result.limit == Limit::time     ? "time"
                     : result.limit == Limit::memory ? "memory"
                                                     : "disk space") +
                    " to compile: does a template or a macro expand without limit?",
                0);
  if (!missing_library_.empty())
    throw error(fmt::format("{} does not link: there is no library {}; -L says in which folder it is", file,
                            missing_library_),
                0);
  if (!defined_twice_.empty())
    throw error(fmt::format("{} does not link: {} is defined more than once", file, defined_twice_), 0);
  if (first_error_.empty()) {
    refuse_undefined();
    throw simulator::compile::not_compiled(file, compiler_, result);
  }
  const auto& [source, line] = first_error_at_;
  refuse_missing_of_library();
  throw TextErrors(error(fmt::format("{} does not compile: line {}: {}", sources_[source].name, line,
                                     with_advice_on_line(sources_[source].code, line, first_error_)),
                         source == 0 ? line : 0),
                   errors_);
}

void CompilerLog::refuse_missing_of_library() const {
  const std::string complaint = first_error_.substr(0, first_error_.find(';'));  // without "did you mean"
  std::size_t name = std::string::npos;                                          // its first character
  for (const char* prefix : {"cublas", "hipblas", "curand", "CURAND_", "cufft", "CUFFT_"})
    name = std::min(name, complaint.find(prefix));
  constexpr const char* unknown[] = {"not declared", "undeclared", "does not name a type", "unknown type"};
  const auto is_complaint = [&](const char* words) { return complaint.find(words) != std::string::npos; };
  if (name == std::string::npos || std::ranges::none_of(unknown, is_complaint)) return;
  const std::string missing = "the simulated device does not have " +
                              std::string(source::Scanner(complaint.substr(name)).take_word());
  throw source::NotOffered(
      fmt::format("{}, line {}: {}", sources_[first_error_at_.source].name, first_error_at_.line, missing),
      text_,
      {.kind = DefectKind::does_not_compile,
       .line = first_error_at_.source == 0 ? first_error_at_.line : 0,
       .complaint = missing});
}

void CompilerLog::take_name(std::string_view words, const std::string& line, std::string& name,
                            const char* end) {
  source::Scanner scanner(line);
  if (name.empty() && scanner.skip_past(words)) name = scanner.up_to_one_of(end);
}

bool CompilerLog::take_undefined_reference(const std::string& line) {
  source::Scanner scanner(line);
  if (!scanner.skip_past("undefined reference to `")) return false;
  const std::string symbol(scanner.up_to_one_of("'"));
  if (!undefined_.empty() || ::dlsym(RTLD_DEFAULT, symbol.c_str())) return true;
  undefined_ = device::demangled_name(symbol);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    source::Scanner place(line);
    if (place.skip_past(source::build_path_of(sources_, i) + ":"))
      undefined_at_ = {i, place.take_number().value_or(0)};
  }
  return true;
}

bool CompilerLog::add(const std::string& line, bool is_kept) {
  take_name("multiple definition of `", line, defined_twice_);
  take_name("cannot find -l", line, missing_library_, ":");
  if (line.empty() || line[0] == ' ') {
    if (is_kept) text_ += line + "\n";
    return is_kept;
  }
  // A header's path is "./1/sums.h".
  source::Scanner scanner(line);
  const std::string path = fs::path(scanner.up_to_one_of(":")).lexically_normal();
  const std::optional<int> source = source::Scanner(path).take_number();
  const bool is_ours =
      source && static_cast<std::size_t>(*source) < sources_.size() &&
      path.ends_with("/" + fs::path(source::build_path_of(sources_, *source)).filename().string());
  if (!is_ours || !scanner.take(":")) {
    add_from_library(line);
    return false;
  }
  const std::optional<int> number = scanner.take_number();
  if (!number || !scanner.take(":")) return false;
  const std::optional<int> column = scanner.take_number();
  if (column) scanner.take(":");
  scanner.take(" ");
  std::string kind;
  for (const char* word : {"fatal error:", "error:", "warning:", "note:"})
    if (kind.empty() && scanner.take(word)) kind = word;
  scanner.take(" ");
  if (kind == "warning:") context_.clear();
  is_in_warning_ = kind == "warning:" || (is_in_warning_ && kind == "note:");
  const int shown_column = column ? texts_[*source].original_column(*number, *column) : 0;
  if (kind == "warning:") add_warning(*source, {.line = *number, .column = shown_column}, scanner.rest());
  if (kind == "note:" && !library_warning_.empty() && scanner.rest().ends_with("declared here"))
    add_unset(*source, std::nullopt, std::exchange(library_warning_, {}));
  if (is_in_warning_) return false;
  const std::string words = with_advice(with_types_of_the_text(std::string(scanner.rest())));
  if (!kind.empty()) text_ += std::exchange(context_, {});
  (kind.empty() ? context_ : text_) += sources_[*source].name + ":" + std::to_string(*number) + ":" +
                                       (shown_column > 0 ? std::to_string(shown_column) + ":" : "") + " " +
                                       kind + (kind.empty() ? "" : " ") + words + "\n";
  const bool is_about_the_disk = scanner.rest().starts_with("error writing to");
  const bool is_error = kind.ends_with("error:") && !is_about_the_disk;
  if (is_error) errors_.push_back({*source == 0 ? "" : sources_[*source].name, *number, shown_column, words});
  if (is_error && first_error_.empty()) {
    first_error_ = words;
    first_error_at_ = {static_cast<std::size_t>(*source), *number};
  }
  reached_from_ = {static_cast<std::size_t>(*source), *number};
  if (first_error_.empty() && !library_error_.empty()) blame_line_of_user();
  return false;  // without the next lines, which quote the rewritten text
}

void CompilerLog::add_warning(std::size_t source, SourcePlace place, std::string_view warning) {
  const int line = place.line;
  if (source > 0) place.file = sources_[source].path.filename().string();
  if (warning.ends_with("[-Wunused-result]")) discarded_results_.push_back(place);
  if (warning.find("[-Wvla") != std::string_view::npos &&
      source::kernel_around(sources_[source].code, line).is_kernel)
    throw CompileError(fmt::format("{}, line {}: the length of an array in a kernel must be a constant",
                                   sources_[source].name, line),
                       "", {.kind = DefectKind::does_not_compile, .line = source == 0 ? line : 0});
  add_unset(source, line, warning);
}

void CompilerLog::add_unset(std::size_t source, std::optional<int> line, std::string_view warning) {
  const bool is_unset = warning.ends_with("[-Wuninitialized]"), is_certain = is_unset && line;
  if (!is_unset && !warning.ends_with("[-Wmaybe-uninitialized]")) return;
  source::Scanner scanner(warning);
  scanner.take("variable ");
  scanner.take_while([](char letter) { return !source::is_word_character(letter); });
  const std::string_view name = scanner.take_word();
  if (!scanner.take("’") && !scanner.take("'"))
    return;  // a member; perhaps the program uses only other members
  const source::Code& code = sources_[source].code;
  std::optional<int> shown;
  std::string_view hidden_by;
  for (source::LocalVariable variable : source::local_variables(code)) {
    if (variable.name != name) continue;
    std::string_view macro;
    for (const std::size_t use : source::uses_between(code, name, variable.at + 1, variable.scope_end)) {
      const std::string_view hiding = source::macro_that_hides(code, use);
      if (hiding.empty()) break;
      macro = hiding;
      variable.at = use;
    }
    const std::size_t use = source::uninitialized_use(code, variable);
    if (use >= code.size()) continue;
    shown = code[use].line;
    hidden_by = macro;
  }
  if (!is_certain && !shown) return;
  std::vector<int> lines;  // where a macro hides the variable, or of the use
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::string_view macro = code.text(at) == name ? source::macro_that_hides(code, at) : "";
    if (macro.empty() || (!hidden_by.empty() && macro != hidden_by)) continue;
    hidden_by = macro;
    if (lines.empty() || lines.back() != code[at].line) lines.push_back(code[at].line);
  }
  if (lines.empty()) lines.push_back(is_certain ? *line : *shown);
  for (const int at : lines) {
    const ProgramFinding finding{
        .pattern = "unset-variable",
        .is_note = true,
        .place = {source == 0 ? "" : sources_[source].path.filename().string(), at},
        .text = "'" + std::string(name) + "' is used before it has a value, so its value is arbitrary" +
                (hidden_by.empty()
                     ? ""
                     : ": macro " + std::string(hidden_by) +
                           " declares a variable of this name, too, so the macro's argument names that one")};
    const auto is_known = [&](const ProgramFinding& other) {
      return other.place == finding.place && other.text == finding.text;
    };
    if (std::ranges::none_of(unset_, is_known)) unset_.push_back(finding);
  }
}

void CompilerLog::add_from_library(const std::string& line) {
  source::Scanner scanner(line);
  if (scanner.skip_past(" warning: ")) {
    is_in_warning_ = true;
    context_.clear();
    library_warning_ = scanner.rest();
    return;
  }
  if (!first_error_.empty() || !library_error_.empty() || !scanner.skip_past(" error: ")) return;
  is_in_warning_ = false;
  library_error_ = scanner.rest();
  // A header that the prelude includes because a file does: "cuda/std/algorithm: No such file or directory".
  for (std::size_t i = 0; reached_from_.line == 0 && i < sources_.size(); ++i)
    for (const source::CodeToken& token : sources_[i].code.tokens())
      if (const auto include =
              token.kind == source::TokenKind::directive ? source::include_in(token.text) : std::nullopt;
          include && library_error_.starts_with(std::string(include->name) + ":"))
        reached_from_ = {i, token.line};
  if (reached_from_.line > 0) blame_line_of_user();
}

void CompilerLog::blame_line_of_user() {
  first_error_ = library_error_;
  first_error_at_ = reached_from_;
  const auto& [source, line] = reached_from_;
  errors_.push_back({source == 0 ? "" : sources_[source].name, line, 0, first_error_});
  text_ += fmt::format("{}:{}: error: {}\n", sources_[source].name, line, first_error_);
}

}  // namespace gpulab::program
