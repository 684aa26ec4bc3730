#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files.hpp"
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

// Returns whether that pattern was expected, or a more general one: race-global of race-global-update.
bool is_as_expected(const TriedFile& file) {
  return file.found == file.expected || file.found.starts_with(file.expected + "-") ||
         (file.expected == fails && file.found != passes);
}

// Returns what to change in exercise.toml for a right solution that did not pass, if anything.
std::string advice(const OwnExercise& own, const CheckResult& result) {
  if (result.pattern == "time-limit") return "; if it needs them, exercise.toml lacks operations = \"...\"";
  if (result.verdict != Verdict::wrong || result.defect || own.exercise.is_program()) return "";
  const double now = own.lesson.problem(own.lesson.default_settings()).tolerance.relative;
  return fmt::format(
      "; if only rounding differs, write a larger tolerance into exercise.toml: tolerance = {:.0e}",
      std::pow(10, std::ceil(std::log10(std::max(now, 1e-7))) + 1));
}

std::string sentence_about(const OwnExercise& own, const TriedFile& file, const CheckResult& result) {
  const std::string said = printable(result.summary);
  if (result.verdict == Verdict::does_not_compile && file.expected != result.pattern)
    return file.name + " does not compile: " + said;
  if (result.verdict == Verdict::not_checked) return file.name + " was not judged: " + said;
  if (is_as_expected(file)) return "";
  if (file.expected == passes) return file.name + " should pass, and does not: " + said + advice(own, result);
  if (file.found == passes) return file.name + " should fail, and passes";
  return file.name + " should fail as " + file.expected + ", and fails as " + file.found + ": " + said;
}

// Checks a solution that has passed at seeds of its own, with other inputs, as gpulab grade does.
void try_other_seeds(const OwnExercise& own, const device::KernelSource& source, TriedFile& file) {
  constexpr std::uint64_t seeds = 3;
  for (std::uint64_t seed = 1; seed <= seeds && file.found == passes; ++seed) {
    const CheckResult result =
        check_exercise(own.exercise, source, {.with_gpu = false, .trial = {.seed = seed}});
    if (result.verdict == Verdict::right) continue;
    file.found = result.pattern.empty() ? "not judged" : result.pattern;
    file.why = fmt::format("{} passes, but not with seed {}, and gpulab grade draws a seed: {}{}", file.name,
                           seed, printable(result.summary), advice(own, result));
  }
}

// Lists what is still the example's although the solution is not.
void add_what_is_left(const OwnExercise& own, const fs::path& folder, std::vector<TriedFile>& files) {
  auto example = example_exercise(fs::path(own.exercise.file).stem());
  if (has_text(folder / "solution.cu", example["solution.cu"])) return;
  const std::string& starter = own.exercise.starter;
  constexpr std::size_t shortest = 4;  // of a line that says something
  for (const auto& [name, part] : {std::pair("exercise.toml", '"' + own.lesson.title + '"'),
                                   std::pair("starter.cu", starter.substr(0, starter.find('\n'))),
                                   std::pair("hints.txt", trimmed(own.exercise.hints.front()))})
    if (part.size() > shortest && example[name].find(part) != std::string::npos)
      files.push_back({name, "be yours", "the example's", fmt::format("{} still says: {}", name, part)});
}

}  // namespace

std::map<std::string, std::string> example_exercise(const std::string& kernel) {
  constexpr std::string_view mark = "@name@";
  std::map<std::string, std::string> files;
  for (const EmbeddedFile& file : embedded_example_exercise()) {
    std::string& text = files[file.name] = file.text;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += kernel.size())
      text.replace(at, mark.size(), kernel);
  }
  return files;
}

std::vector<TriedFile> try_exercise(const OwnExercise& own, const fs::path& folder) {
  std::vector<TriedFile> files{{.name = "starter.cu", .expected = fails},
                               {.name = "solution.cu", .expected = passes}};
  const std::vector<fs::path> mistakes = mistake_files(folder);
  for (const fs::path& file : mistakes)
    files.push_back({.name = "mistakes/" + printable(file.filename().string())});
  for (std::size_t i = 0; i < files.size(); ++i) {
    TriedFile& file = files[i];
    const fs::path path = i < 2 ? folder / file.name : mistakes[i - 2];
    device::KernelSource source = learners_file(own.exercise, path);
    source.text = mistake_text(path, source.text, own.lesson.kernels_text);
    if (file.expected.empty()) file.expected = expected_of(path, source.text);
    const CheckResult result = check_exercise(own.exercise, source, {.with_gpu = false});
    file.found = result.verdict == Verdict::right ? passes : result.pattern;
    file.why = sentence_about(own, file, result);
    if (file.expected == passes && file.why.empty()) try_other_seeds(own, source, file);
  }
  add_what_is_left(own, folder, files);
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
