#include "report/check_commands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpulab {
namespace {

// As a shell takes it for one word.
std::string quoted(const std::string& word) {
  constexpr const char* harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Whether gpulab can tell the exercise by the name of the file: shared_histogram.cu, shared_histogram.1.cu
bool names_its_exercise(const CheckResult& result) {
  std::string stem = result.exercise;
  std::ranges::replace(stem, '-', '_');
  return file_name(result.file).starts_with(stem + ".");
}

}  // namespace

std::string check_command(const CheckResult& result) {
  const std::string command = "gpulab check " + quoted(result.file);
  return names_its_exercise(result) ? command : command + " --exercise " + result.exercise;
}

std::string reproduce_command(const CheckResult& result) {
  if (!result.tried_with) return "";
  const auto& [size, seed, options] = *result.tried_with;
  std::string command = check_command(result) + " --device simulator";
  if (size > 0) command += fmt::format(" --size {}", size);
  for (const auto& [name, word] : options) command += fmt::format(" --{} {}", name, quoted(word));
  return command + fmt::format(" --block-size {} --seed {}", result.block_size, seed);
}

std::string next_commands(const CheckResult& result, const TextStyle& style) {
  const auto line = [&](const char* label, const std::string& text) {
    return painted(fmt::format("{:<8}", label), Ink::faint, style) + text + "\n";
  };
  if (result.verdict == Verdict::right)
    return line("compare", "gpulab diff " + result.exercise) + line("next", "gpulab next");
  const std::string place = result.line > 0 ? fmt::format(":{}", result.line) : "";
  return line("help", "gpulab hint " + result.exercise) + line("edit", result.file + place) +
         line("then", check_command(result));
}

}  // namespace gpulab
