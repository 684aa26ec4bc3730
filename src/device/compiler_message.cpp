#include "device/compiler_message.hpp"

#include <filesystem>
#include <regex>

#include "device/launch_limits.hpp"
#include "device/symbols.hpp"

namespace gpulab::device {
namespace {

// Compilers are given the bare file name; the user knows the file by its path.
std::string with_path(const std::string& log, const std::string& file) {
  const std::string bare = std::filesystem::path(file).filename();
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

CompileError compile_error(const std::string& file, const std::string& log) {
  // Errors in other files (the simulator's prelude) are in the log; the sentence is about the learner's own
  // lines.
  static const std::regex error(
      R"(([^\s:(]+)[:(](\d+)(?::\d+:|\):)\s*(?:fatal |catastrophic )?error:\s*([^\n]*))");
  const std::string bare = std::filesystem::path(file).filename();
  for (std::sregex_iterator at(log.begin(), log.end(), error), end; at != end; ++at)
    if (std::filesystem::path((*at)[1].str()).filename() == bare)
      return {file + " does not compile: line " + (*at)[2].str() + ": " + (*at)[3].str(),
              with_path(log, file),
              {.kind = FailureKind::does_not_compile, .line = std::stoi((*at)[2].str())}};
  const std::string refused = what_ptxas_refused(file, log);
  return {refused.empty() ? file + " does not compile" : refused,
          with_path(log, file),
          {.kind = FailureKind::does_not_compile}};
}

}  // namespace gpulab::device
