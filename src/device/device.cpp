#include "device/device.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "device/host.hpp"
#include "device/symbols.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::device {

DeviceError::DeviceError(std::string call, std::string name, const std::string& explanation, Failure failure)
    : Error(ExitCode::device,
            call + " failed with " + name + (explanation.empty() ? "" : ": " + explanation)),
      call_(std::move(call)),
      name_(std::move(name)),
      explanation_(explanation),
      failure_(failure) {}

std::unique_ptr<LibraryCall> Device::prepare(const std::string& library_call, const Signature&, void* const*,
                                             Stream&) {
  throw LibraryRefusal(ExitCode::device, "this device has no library with '" + library_call + "'");
}

std::unique_ptr<Device> Device::open_peer(int index) {
  throw DeviceError("cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE",
                    "there is no device " + std::to_string(index) + " beside this one");
}

std::unique_ptr<Communicator> Device::connect(const Membership&) {
  return nullptr;
}

void Device::enable_peer_access(Device&) {
  throw DeviceError("cuCtxEnablePeerAccess", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
                    "this device has no peers");
}

void Device::copy_to_peer(Device&, DevicePointer, DevicePointer, std::size_t, Stream&) {
  throw DeviceError("cuMemcpyPeerAsync", "CUDA_ERROR_NOT_SUPPORTED", "this device has no peers");
}

std::unique_ptr<Graph> Device::capture(Stream& stream, const std::function<void()>& work) {
  if (!begin_capture(stream)) return nullptr;
  try {
    work();
  } catch (...) {
    try {
      end_capture(stream);
    } catch (const DeviceError&) {
      // The exception that stopped the work says more.
    }
    throw;
  }
  return end_capture(stream);
}

bool DeviceError::leaves_device_unusable() const {
  constexpr std::string_view refusals[] = {"CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_INVALID_VALUE",
                                           "CUDA_ERROR_NOT_FOUND",     "hipErrorOutOfMemory",
                                           "hipErrorInvalidValue",     "hipErrorNotFound"};
  const bool is_of_compiler = name_.starts_with("NVRTC_") || name_.starts_with("HIPRTC_");
  return !is_of_compiler && std::ranges::find(refusals, name_) == std::end(refusals);
}

std::string name_for_compilers(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  const bool is_harmless = std::ranges::all_of(name, [](char letter) {
    return source::is_word_character(letter) ||
           std::string_view(".- ()").find(letter) != std::string_view::npos ||
           static_cast<unsigned char>(letter) > 127;
  });
  return is_harmless && !name.starts_with('-') && name.ends_with(".cu") ? name : "kernel.cu";
}

namespace {

// Replaces the name that compilers were given by the path that the user knows.
std::string with_path(const std::string& log, const std::string& file) {
  const std::string bare = name_for_compilers(file);
  if (bare == file) return log;
  std::string text;
  for (std::size_t start = 0; start < log.size();) {
    const std::size_t end = std::min(log.find('\n', start), log.size() - 1) + 1;
    const std::string line = log.substr(start, end - start);
    text += line.starts_with(bare) ? file + line.substr(bare.size()) : line;
    start = end;
  }
  return text;
}

std::size_t hexadecimal(std::string_view digits) {
  std::size_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

// Returns a sentence about an error of ptxas, which names no lines. Empty if there is no error, or if ptxas
// ran out of memory, which is not the file's fault.
std::string ptxas_error(const std::string& file, const std::string& log) {
  source::Scanner constant(log);
  if (constant.skip_past("too much global constant data (0x"))
    return too_much_constant(file, hexadecimal(constant.rest()));
  for (source::Scanner shared(log); shared.skip_past("function '");) {
    const std::string kernel = demangled_name(std::string(shared.take_word()));
    if (shared.take("' uses too much shared data (0x"))
      return too_much_static_shared(file, kernel.substr(0, kernel.find('(')), hexadecimal(shared.rest()));
  }
  source::Scanner error(log);
  if (!error.skip_past("ptxas error") && !error.skip_past("ptxas fatal")) return {};
  error.skip_blanks();
  if (!error.take(":")) return {};
  error.skip_blanks();
  const std::string message(error.up_to_one_of("\n"));
  const bool is_out_of_memory = message.find("emory allocation") != std::string::npos;
  return is_out_of_memory ? "" : file + " does not compile: " + message;
}

struct ErrorWithLine {
  int line = 0;
  std::string message;
};

// Returns whether a diagnostic of that file begins the line.
bool is_diagnostic_of(const std::string& file, const std::string& line) {
  return line.starts_with(file + ":") || line.starts_with(file + "(");
}

// Returns "error" for "fatal error: no such file", and moves the scanner to the message.
std::string kind_in(source::Scanner& scanner) {
  source::Scanner rest = scanner;
  if (!rest.take("fatal ")) rest.take("catastrophic ");
  for (const char* kind : {"error", "note", "warning", "required"}) {
    if (!rest.take(kind)) continue;
    scanner = rest;
    if (scanner.rest().find(':') != std::string_view::npos) scanner.skip_past(":");
    return kind;
  }
  return "";
}

// Reads "mine.cu:4:5: " of g++ and clang++ or "mine.cu(4): " of NVRTC, then "error: " or "note: " and the
// message. The name of the user's file may contain blanks and brackets.
std::optional<Diagnostic> diagnostic(const std::string& line, const std::string& file) {
  source::Scanner scanner(line);
  const bool is_about_file = is_diagnostic_of(file, line) && scanner.take(file);
  const std::string_view name = is_about_file ? file : scanner.up_to_one_of(": \t(");
  const bool has_bracket = scanner.rest().starts_with('(');
  if (!scanner.take_one_of(":(")) return std::nullopt;
  const std::optional<int> number = scanner.take_number();
  std::optional<int> column;
  if (!scanner.take(has_bracket ? "):" : ":")) return std::nullopt;
  if (!has_bracket) column = scanner.take_number();
  if (column) scanner.take(":");
  if (!number) return std::nullopt;
  scanner.skip_blanks();
  Diagnostic found{
      .file = std::filesystem::path(name).filename(), .line = *number, .column = column.value_or(0)};
  found.kind = kind_in(scanner);
  scanner.skip_blanks();
  found.message = scanner.rest();
  return found;
}

// Returns whether a line is about the prelude or a header, which the user did not write. Such lines begin
// with "In file included from", " from" or the file's name.
bool is_about_other_file(const std::string& line, const std::string& bare) {
  source::Scanner from(line);
  if (from.take("In file included from ")) return true;
  from.skip_blanks();
  if (line.starts_with(' ') && from.take("from ")) return true;
  source::Scanner named(line);
  const std::string_view name = named.up_to_one_of(": \t(");
  if (name.empty() || named.is_at_end()) return false;
  const bool is_introduced = named.rest().starts_with(": In ") || named.rest().starts_with(": At ");
  const bool has_line = named.take_one_of(":(") && named.take_number();
  return (is_introduced || has_line) && std::filesystem::path(name).filename() != bare && name != "ptxas";
}

// Returns the log without lines about the prelude and headers. Indented lines belong to the last line that is
// not indented.
std::string without_other_files(const std::string& log, const std::string& bare) {
  std::string kept;
  bool is_kept = true;
  for (const std::string& line : lines_of(log)) {
    const bool is_other = !is_diagnostic_of(bare, line) && is_about_other_file(line, bare);
    const bool begins_message = !line.empty() && line.front() != ' ' && line.front() != '\t';
    if (is_other || begins_message) is_kept = !is_other;
    // Any other line could be a stranger's text, such as that of a #pragma message.
    const bool is_compilers_own = begins_message ? is_diagnostic_of(bare, line) || line.starts_with("ptxas ")
                                                 : set_apart(line) == "  " + line;
    if (is_kept) kept += (is_compilers_own ? line : set_apart(line)) + "\n";
  }
  return kept;
}

// Returns the line of "inlined from 'f' at mine.cu:12"; 0 for anything else.
int inlined_at(const std::string& line, const std::string& bare) {
  source::Scanner scanner(line);
  if (!scanner.skip_past("inlined from ") || !scanner.skip_past(" at " + bare + ":")) return 0;
  return scanner.take_number().value_or(0);
}

// Returns whether the compiler could not write a file. It reports that at the last line that it has read.
bool is_about_the_machine(std::string_view message) {
  for (const char* begin : {"error writing to", "error closing", "cannot create temporary"})
    if (message.starts_with(begin)) return true;
  return false;
}

// Returns the first error. If that is in the prelude, returns its message with the line of the user's file
// that led there: g++ names that line before the error, clang++ after it.
ErrorWithLine first_error(const std::string& log, const std::string& bare) {
  int reached_from = 0;
  ErrorWithLine elsewhere;
  for (const std::string& line : lines_of(log)) {
    if (const int inlined = inlined_at(line, bare)) reached_from = inlined;
    const std::optional<Diagnostic> found = diagnostic(line, bare);
    if (!found || is_about_the_machine(found->message)) continue;
    const bool is_in_file = found->file == bare;
    if (is_in_file && found->kind == "error") return {found->line, found->message};
    if (is_in_file && !elsewhere.message.empty()) return {found->line, elsewhere.message};
    if (is_in_file && found->kind == "required") reached_from = found->line;
    if (is_in_file || found->kind != "error" || !elsewhere.message.empty()) continue;
    elsewhere.message = found->message;
    if (reached_from != 0) return {reached_from, elsewhere.message};
  }
  return {};
}

// Returns the header that would declare the missing name; empty if no name is missing.
std::string header_of(const std::string& message) {
  const auto has = [&](std::string_view part) { return message.find(part) != std::string::npos; };
  constexpr std::string_view missing[] = {"not declared", "has not been declared", "undeclared",
                                          "undefined",    "unknown type name",     "does not name a type"};
  if (std::ranges::none_of(missing, has)) return {};
  for (source::Scanner scanner(message); !scanner.is_at_end();) {
    scanner.take_while([](char letter) { return !source::is_word_character(letter); });
    const std::string_view name = scanner.take_word();
    if (name == "half" || name == "half2" || name == "__half" || name == "__half2" ||
        (name.starts_with("__") && name.find("2half") != std::string_view::npos))
      return "cuda_fp16.h";
  }
  if (has("bfloat16")) return "cuda_bf16.h";
  if (has("cooperative_groups")) return "cooperative_groups.h";
  return has("atomic_ref") ? "cuda/atomic" : "";
}

// Returns the name between quotes, whatever kind of quotes the compiler uses.
std::string_view quoted_name(std::string_view message) {
  source::Scanner scanner(message);
  scanner.take_while([](char letter) { return !source::is_word_character(letter); });
  return scanner.take_word();
}

// Returns "x.h" for "x.h: No such file or directory", "'x.h' file not found" and "cannot open source file
// "x.h""; otherwise empty.
std::string missing_header(std::string_view message) {
  for (const char* begin : {"cannot open source file \"", "could not open source file \""}) {
    source::Scanner scanner(message);
    if (scanner.skip_past(begin)) return std::string(scanner.up_to_one_of("\""));
  }
  for (const std::string_view end : {": No such file or directory", " file not found"})
    if (message.ends_with(end)) {
      std::string name(message.substr(0, message.size() - end.size()));
      std::erase(name, '\'');
      return name;
    }
  return "";
}

// Returns the message of a failed static_assert or, without one, its condition.
std::string asserted_message(std::string_view message) {
  source::Scanner scanner(message);
  const bool is_clang = scanner.take("static_assert failed");
  const std::size_t quote = scanner.rest().find('"');
  if (is_clang && quote == std::string_view::npos) return "";
  if (!is_clang && !scanner.take("static assertion failed")) return "";
  if (quote != std::string_view::npos) scanner.skip_past("\"");
  scanner.take_while([](char letter) { return letter == ':' || letter == ' '; });
  std::string text(scanner.rest());
  if (text.ends_with('"')) text.pop_back();
  return text;
}

// Explains an uninitialised variable, a missing header or name, and a failed static_assert.
std::string explained(const std::string& message) {
  for (const char* phrase : {" is used uninitialized", " is uninitialized when used here"})
    if (message.find(phrase) != std::string::npos) {
      source::Scanner scanner(message);
      scanner.take("variable ");
      return std::string(quoted_name(scanner.rest())) + " is used before it has a value";
    }
  if (const std::string header = missing_header(message); !header.empty())
    return "there is no " + header +
           " for device code; a kernel file may include CUDA's headers, and C++'s headers for numbers and types";
  if (const std::string text = asserted_message(message); !text.empty()) return text;
  if (const std::string header = header_of(message); !header.empty())
    return fmt::format("{}: #include <{}> declares it", message.substr(0, message.find("; did you mean")),
                       header);
  return message;
}

}  // namespace

std::optional<CompileError> error_in_file(const std::string& file, const std::string& log) {
  const std::string bare = name_for_compilers(file);
  const std::string shown = with_path(without_other_files(log, bare), file);
  const ErrorWithLine error = first_error(log, bare);
  if (error.line != 0) {
    const std::string message = explained(error.message);
    return CompileError(fmt::format("{} does not compile: line {}: {}", file, error.line, message), shown,
                        {.kind = DefectKind::does_not_compile, .line = error.line, .complaint = message});
  }
  const std::string refused = ptxas_error(file, log);
  if (refused.empty()) return std::nullopt;
  return CompileError(refused, shown, {.kind = DefectKind::does_not_compile});
}

std::vector<Diagnostic> diagnostics(const std::string& file, const std::string& log) {
  std::vector<Diagnostic> all;
  for (const std::string& line : lines_of(log))
    if (const auto found = diagnostic(line, file); found && is_diagnostic_of(file, line))
      all.push_back(*found);
  return all;
}

}  // namespace gpulab::device
