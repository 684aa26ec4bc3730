#include "device/compiler_message.hpp"

#include <filesystem>
#include <regex>

namespace gpulab {
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
              with_path(log, file)};
  return {file + " does not compile", with_path(log, file)};
}

}  // namespace gpulab
