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
  static const std::regex first_error(
      R"((?:[:(])(\d+)(?::\d+:|\):)\s*(?:fatal |catastrophic )?error:\s*([^\n]*))");
  std::smatch match;
  std::string message = file + " does not compile";
  if (std::regex_search(log, match, first_error))
    message += ": line " + match[1].str() + ": " + match[2].str();
  return {message, with_path(log, file)};
}

}  // namespace gpulab
