#include "device/device.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>

#include "core/cuda_text.hpp"
#include "core/text.hpp"
#include "device/communicator.hpp"
#include "device/launch_limits.hpp"
#include "device/symbols.hpp"

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

void Device::reach(Device&) {
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
      // What stopped the work says more.
    }
    throw;
  }
  return end_capture(stream);
}

bool DeviceError::leaves_device_unusable() const {
  return name_ != "CUDA_ERROR_OUT_OF_MEMORY" && name_ != "CUDA_ERROR_INVALID_VALUE" &&
         name_ != "CUDA_ERROR_NOT_FOUND";
}

std::string name_for_compilers(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  const bool is_harmless = std::ranges::all_of(name, [](char letter) {
    return is_word_character(letter) || std::string_view(".- ()").find(letter) != std::string_view::npos ||
           static_cast<unsigned char>(letter) > 127;
  });
  return is_harmless && !name.starts_with('-') && name.ends_with(".cu") ? name : "kernel.cu";
}

namespace {

// Compilers are given a name of their own; the user knows the file by its path.
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

std::size_t hexadecimal(const std::string& digits) {
  return std::stoull(digits, nullptr, 16);
}

// The sentence about what ptxas refused, which knows no lines; empty when it refused nothing.
std::string what_ptxas_refused(const std::string& file, const std::string& log) {
  static const std::regex error(R"(ptxas (?:error|fatal)\s*: ([^\n]*))");
  static const std::regex constant(R"(too much global constant data \(0x([0-9a-f]+) bytes)");
  static const std::regex shared(R"(function '(\w+)' uses too much shared data \(0x([0-9a-f]+) bytes)");
  std::smatch match;
  if (std::regex_search(log, match, constant)) return too_much_constant(file, hexadecimal(match[1]));
  if (std::regex_search(log, match, shared)) {
    const std::string kernel = demangled_name(match[1]);
    return too_much_static_shared(file, kernel.substr(0, kernel.find('(')), hexadecimal(match[2]));
  }
  if (std::regex_search(log, match, error)) return file + " does not compile: " + match[1].str();
  return {};
}

}  // namespace

namespace {

struct CompilerError {
  int line = 0;
  std::string words;
};

// Whether a diagnostic of that file begins the line.
bool is_of(const std::string& file, const std::string& line) {
  return line.starts_with(file + ":") || line.starts_with(file + "(");
}

// "mine.cu:4:5: " of g++ and clang++, "mine.cu(4): " of NVRTC; then "error: " or "note: " and the words. The
// name of the user's file may have blanks and brackets.
std::optional<Diagnostic> diagnostic(const std::string& line, const std::string& file) {
  static const std::regex format(
      R"(^([^\s:(]*)[:(](\d{1,9})(?::(\d{1,9}):|\):|:)\s*(?:(?:fatal |catastrophic )?(error|note|warning|required)[^:]*:?)?\s*(.*)$)");
  const bool is_ours = is_of(file, line);
  // A regex takes the length of a text on the stack.
  constexpr std::size_t longest = 1000;
  const std::string text = line.substr(is_ours ? file.size() : 0, longest);
  std::smatch match;
  if (!std::regex_match(text, match, format)) return std::nullopt;
  const std::filesystem::path name = is_ours ? file : match[1].str();
  return Diagnostic{.file = name.filename(),
                    .line = std::stoi(match[2]),
                    .column = match[3].matched ? std::stoi(match[3]) : 0,
                    .kind = match[4],
                    .words = match[5]};
}

// Whether it is about the prelude or a header, which the user did not write: "In file included from ...", "
// from ...", or a line with such a file in front.
bool is_about_others(const std::string& line, const std::string& bare) {
  static const std::regex from(R"(^(In file included from |\s+from )([^:,]+)[:,])");
  static const std::regex introduced(R"(^([^\s:(]+): (In|At) )");
  static const std::regex named(R"(^([^\s:(]+)[:(]\d+)");
  std::smatch match;
  if (std::regex_search(line, match, from)) return true;
  for (const std::regex& file : {introduced, named})
    if (std::regex_search(line, match, file))
      return std::filesystem::path(match[1].str()).filename() != bare && match[1] != "ptxas";
  return false;
}

// The log without what is said about the prelude. Lines that begin with a blank belong to the one before.
std::string about_the_file(const std::string& log, const std::string& bare) {
  static const std::regex begins(R"(^\S)");
  std::string kept;
  bool is_kept = true;
  for (const std::string& line : lines_of(log)) {
    const bool is_other = is_about_others(line, bare);
    if (is_other || std::regex_search(line, begins)) is_kept = !is_other;
    if (is_kept) kept += line + "\n";
  }
  return kept;
}

// The first error. Of one in the prelude the line is that of the file from where it was reached, which g++
// names before the error and clang++ after it.
CompilerError first_error(const std::string& log, const std::string& bare) {
  static const std::regex inlined(R"(inlined from .* at ([^\s:]+):(\d+))");
  int reached_from = 0;
  CompilerError elsewhere;
  for (const std::string& line : lines_of(log)) {
    std::smatch match;
    if (std::regex_search(line, match, inlined) && match[1] == bare) reached_from = std::stoi(match[2]);
    const std::optional<Diagnostic> found = diagnostic(line, bare);
    if (!found) continue;
    const bool is_ours = found->file == bare;
    if (is_ours && found->kind == "error") return {found->line, found->words};
    if (is_ours && !elsewhere.words.empty()) return {found->line, elsewhere.words};
    if (is_ours && found->kind == "required") reached_from = found->line;
    if (is_ours || found->kind != "error" || !elsewhere.words.empty()) continue;
    elsewhere.words = found->words;
    if (reached_from != 0) return {reached_from, elsewhere.words};
  }
  return {};
}

// The header that the file would need, where a name is missing.
std::string header_of(const std::string& words) {
  static const std::regex missing(
      R"(not declared|has not been declared|undeclared|undefined|unknown type name|does not name a type)");
  if (!std::regex_search(words, missing)) return {};
  if (std::regex_search(words, std::regex(R"(\b(__)?half2?\b|\b__\w*2half)"))) return "cuda_fp16.h";
  if (words.find("bfloat16") != std::string::npos) return "cuda_bf16.h";
  if (words.find("cooperative_groups") != std::string::npos) return "cooperative_groups.h";
  if (words.find("atomic_ref") != std::string::npos) return "cuda/atomic";
  return {};
}

// What the compilers say of a header that is not there, and of a static_assert.
std::string in_plain_words(const std::string& words) {
  static const std::regex missing(
      R"(^'?([^':"]+)'?(?:: No such file or directory| file not found)$|(?:cannot|could not) open source file "([^"]+)\")");
  static const std::regex asserted(
      R"re(^static(?:_assert failed[^"]*| assertion failed[^"]*?)[: ]\s*"?([^"]+?)"?$)re");
  static const std::regex not_set(
      R"((?:variable )?\W*(\w+)\W* is (?:used uninitialized|uninitialized when used here).*)");
  std::smatch match;
  if (std::regex_match(words, match, not_set)) return match[1].str() + " is used before it has a value";
  if (std::regex_search(words, match, missing))
    return "there is no " + match[1].str() + match[2].str() +
           " for device code; a kernel file may include CUDA's headers, and of C++'s those for numbers and "
           "types";
  if (std::regex_match(words, match, asserted)) return match[1];
  if (const std::string header = header_of(words); !header.empty())
    return words.substr(0, words.find("; did you mean")) + ": #include <" + header + "> declares it";
  return words;
}

}  // namespace

CompileError compile_error(const std::string& file, const std::string& log) {
  const std::string bare = name_for_compilers(file);
  const std::string shown = with_path(about_the_file(log, bare), file);
  const CompilerError error = first_error(log, bare);
  if (error.line != 0)
    return {
        file + " does not compile: line " + std::to_string(error.line) + ": " + in_plain_words(error.words),
        shown,
        {.kind = DefectKind::does_not_compile, .line = error.line}};
  const std::string refused = what_ptxas_refused(file, log);
  return {
      refused.empty() ? file + " does not compile" : refused, shown, {.kind = DefectKind::does_not_compile}};
}

std::vector<Diagnostic> diagnostics(const std::string& file, const std::string& log) {
  std::vector<Diagnostic> all;
  for (const std::string& line : lines_of(log))
    if (const auto found = diagnostic(line, file); found && is_of(file, line)) all.push_back(*found);
  return all;
}

}  // namespace gpulab::device
