#include <fmt/format.h>
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/checks.hpp"
#include "check/explanations.hpp"
#include "check/files.hpp"
#include "check/own_exercises.hpp"

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

constexpr const char* passes = "pass";
constexpr const char* fails = "fail";

// Returns the pattern after "// expect:" in the first line, or that the file is named after; else "fail".
std::string expected_of(const fs::path& file, const std::string& text) {
  constexpr std::string_view mark = "// expect:";
  const std::string first = text.substr(0, text.find('\n'));
  const PatternHint* const named = find_pattern(file.stem().string());
  if (!first.starts_with(mark)) return named ? named->pattern : fails;
  const std::string pattern = trimmed(first.substr(mark.size()));
  if (find_pattern(pattern)) return pattern;
  throw UsageError(file.string() + ", line 1: there is no pattern '" + printable(pattern) +
                   "'; gpulab list --patterns lists them");
}

std::string sentence_about(const TriedFile& file, const CheckResult& result) {
  const std::string said = printable(result.summary);
  if (result.verdict == Verdict::does_not_compile && file.expected != result.pattern)
    return file.name + " does not compile: " + said;
  if (result.verdict == Verdict::not_checked) return file.name + " was not judged: " + said;
  if (file.expected == file.found || (file.expected == fails && file.found != passes)) return "";
  const bool takes_long = file.expected == passes && result.pattern == "time-limit";
  const char* const advice = takes_long ? "; if it needs them, exercise.toml lacks operations = \"...\"" : "";
  if (file.expected == passes) return file.name + " should pass, and does not: " + said + advice;
  if (file.found == passes) return file.name + " should fail, and passes";
  return file.name + " should fail as " + file.expected + ", and fails as " + file.found + ": " + said;
}

}  // namespace

std::vector<TriedFile> try_exercise(const OwnExercise& own, const fs::path& folder) {
  std::vector<TriedFile> files{{.name = "starter.cu", .expected = fails},
                               {.name = "solution.cu", .expected = passes}};
  std::error_code none;
  std::vector<std::string> mistakes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "mistakes", none))
    if (entry.path().extension() == ".cu") mistakes.push_back(entry.path().filename());
  std::ranges::sort(mistakes);
  for (const std::string& name : mistakes) files.push_back({.name = "mistakes/" + printable(name)});
  for (std::size_t i = 0; i < files.size(); ++i) {
    TriedFile& file = files[i];
    const fs::path path = i < 2 ? folder / file.name : folder / "mistakes" / mistakes[i - 2];
    const device::KernelSource source = learners_file(own.exercise, path);
    if (file.expected.empty()) file.expected = expected_of(path, source.text);
    const CheckResult result = check_exercise(own.exercise, source, {.with_gpu = false});
    file.found = result.verdict == Verdict::right ? passes : result.pattern;
    file.why = sentence_about(file, result);
  }
  return files;
}

std::string tried_text(const OwnExercise& own, const std::vector<TriedFile>& files, const TextStyle& style) {
  Table table({{""}, {"file"}, {"should"}, {"does"}});
  std::string sentences;
  for (const TriedFile& file : files) {
    const bool is_off = !file.why.empty();
    table.add({{is_off ? "off" : "ok", is_off ? Ink::red : Ink::green},
               {file.name},
               {file.expected},
               {file.found}});
    if (is_off) sentences += paragraph(file.why, Ink::plain, style);
  }
  return fmt::format("{} · {}\n\n{}{}{}", own.exercise.name, own.lesson.title, table.text(style),
                     sentences.empty() ? "" : "\n", sentences);
}

}  // namespace gpulab::check
