#include "check/own_exercises.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "check/checks.hpp"
#include "check/explanations.hpp"
#include "check/files.hpp"
#include "program/compiler.hpp"
#include "program/process.hpp"
#include "run/run_options.hpp"

namespace gpulab::check {
namespace {

namespace fs = std::filesystem;

// The numbers that the solution of a program prints, by size.
class SolutionOutput {
 public:
  SolutionOutput(fs::path file, std::string text, double tolerance)
      : source_{file, "solution.cu", std::move(text), /*is_unit=*/true}, tolerance_(tolerance) {}

  PrintedNumbers at(std::size_t size) {
    if (const auto known = known_.find(size); known != known_.end()) return known->second;
    return known_[size] = numbers_in(output(size));
  }

 private:
  std::string output(std::size_t size) {
    constexpr double limit_s = 10;
    const auto fail = [&](const std::string& why) {
      throw UsageError(fmt::format("{}, the solution, {} for the size {}", source_.name, why, size));
    };
    try {
      if (compiled_.shared_object.empty())
        compiled_ = program::compile({source_}, {}, ProgramWatch::nothing, sandbox::Mode::automatic, cache_);
    } catch (const CompileError& error) {
      throw Error(ExitCode::compilation, error.what());
    }
    const ProgramResult run =
        program::run(compiled_, {.watch = ProgramWatch::nothing,
                                 .name = "./solution",
                                 .arguments = {std::to_string(size)},
                                 .captured = program::CapturedRun{.time_limit_s = limit_s}});
    if (run.limit != ProgramLimit::none) fail("does not end, or prints too much,");
    if (run.status != 0) fail("ends with exit code " + std::to_string(run.status));
    if (numbers_in(run.output).empty()) fail("prints no line with a name and a number, such as \"sum 12\",");
    return run.output;
  }

  PrintedNumbers numbers_in(const std::string& output) const {
    PrintedNumbers numbers;
    for (const std::string& line : lines_of(output)) {
      const std::size_t blank = trimmed(line).rfind(' ');
      if (blank == std::string::npos) continue;
      const std::string name = trimmed(line.substr(0, blank)), number = trimmed(line).substr(blank + 1);
      char* end = nullptr;
      const double value = std::strtod(number.c_str(), &end);
      if (end == number.c_str() + number.size() && name == printable(name) &&
          std::ranges::find(numbers, name, &PrintedNumber::name) == numbers.end())
        numbers.push_back({name, value, tolerance_});
    }
    return numbers;
  }

  source::SourceFile source_;
  double tolerance_;
  device::CompileCache cache_;
  program::CompiledProgram compiled_;
  std::map<std::size_t, PrintedNumbers> known_;
};

// Reads a folder's files, and makes an exercise of them.
class FolderReader {
 public:
  explicit FolderReader(fs::path folder) : folder_(std::move(folder)) {}

  OwnExercise read() const {
    const std::string name = exercise_name(folder_);
    const std::string file = replaced(name, '-', '_');
    ExerciseFacts facts = read_exercise_toml(folder_ / "exercise.toml");
    if (facts.kernel.empty()) facts.kernel = file;
    OwnExercise own;
    own.exercise = {.name = name,
                    .lesson = name,
                    .kind = facts.is_program() ? ExerciseKind::program : ExerciseKind::kernel,
                    .file = file + ".cu",
                    .starter = text("starter.cu"),
                    .hints = hints_in(printable_lines(text("hints.txt")))};
    own.lesson = {
        .name = name, .title = facts.title, .place = {.step = facts.step}, .kernels = own.exercise.file};
    std::error_code ignored;
    if (fs::exists(folder_ / "task.md", ignored)) own.lesson.text = printable_lines(text("task.md"));
    own.lesson.kernels_text = text("solution.cu");
    own.lesson.solution = "solution";
    if (facts.is_program())
      add_program(facts, own);
    else
      make_kernel_lesson(facts, {(folder_ / "reference.cpp").string(), text("reference.cpp")}, own.lesson);
    return own;
  }

 private:
  std::string text(const char* name) const {
    return run::read_text_file(folder_ / name, {"a file of an exercise", "text"});
  }

  void add_program(const ExerciseFacts& facts, OwnExercise& own) const {
    own.exercise.solution = own.lesson.kernels_text;
    const auto output = std::make_shared<SolutionOutput>(folder_ / "solution.cu", own.exercise.solution,
                                                         facts.tolerance.value_or(1e-5));
    own.lesson.program = {
        .prints = [output](std::size_t size) { return output->at(size); },
        .sizes = facts.program_sizes,
        .errors_to_check = facts.checks_errors ? ErrorsToCheck::every : ErrorsToCheck::none};
    own.lesson.default_size = facts.program_sizes.front();
    own.lesson.problem = [](const Settings& settings) {
      return Problem{.arrays = {Output<float>("result")(settings.size)}};
    };
    own.lesson.variants = {{.name = "solution", .idea = facts.title, .is_program = true}};
  }

  fs::path folder_;
};

}  // namespace

std::string exercise_name(const fs::path& folder) {
  std::string name = fs::weakly_canonical(folder).filename();
  const bool is_name = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
  if (!is_name || name.empty() || name.front() < 'a')
    throw UsageError(
        "the folder " + printable(folder.string()) +
        " cannot name an exercise: take small letters, digits, - and _, and begin with a letter");
  name = replaced(name, '_', '-');
  for (const Lesson& lesson : all_lessons())
    if (lesson.is_called(name))
      throw UsageError(fmt::format("{}: {} is a lesson of the course; give the folder another name",
                                   folder.string(), name));
  return name;
}

OwnExercise read_exercise(const fs::path& folder) {
  return FolderReader(folder).read();
}

std::vector<fs::path> exercise_folders(const fs::path& folder) {
  const auto is_exercise = [](const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path / "exercise.toml", ignored);
  };
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    throw UsageError("there is no folder " + folder.string() + " with exercises");
  if (is_exercise(folder)) return {folder};
  std::vector<fs::path> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    if (is_exercise(entry.path())) all.push_back(entry.path());
  std::ranges::sort(all);
  if (!all.empty()) return all;
  throw UsageError(
      folder.string() +
      " has no exercise: no folder in it has an exercise.toml; gpulab exercise new NAME writes one");
}

std::vector<OwnExercise> read_exercises(const fs::path& folder) {
  std::vector<OwnExercise> all;
  for (const fs::path& exercise_folder : exercise_folders(folder)) {
    all.push_back(read_exercise(exercise_folder));
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      if (all[i].exercise.name == all.back().exercise.name)
        throw UsageError(
            fmt::format("{} has two exercises called {}: - and _ are the same in a folder's name",
                        folder.string(), all[i].exercise.name));
  }
  std::ranges::stable_sort(all, {}, [](const OwnExercise& own) { return own.lesson.place.step; });
  return all;
}

namespace {

constexpr const char* expected_to_fail = "fail";
constexpr const char* starter_file = "starter.cu";
constexpr const char* solution_name = "solution.cu";
constexpr std::string_view expect_mark = "// expect:";

// Returns the pattern after "// expect:" in the first line. Without such a line, returns the pattern that is
// the file's name, or "fail" if there is no pattern of that name.
std::string expected_of(const fs::path& file, const std::string& text) {
  const std::string first = text.substr(0, text.find('\n'));
  const PatternHint* const named = find_pattern(file.stem().string());
  if (!first.starts_with(expect_mark)) return named ? named->pattern : expected_to_fail;
  const std::string said = trimmed(first.substr(expect_mark.size()));
  const std::string pattern = said.substr(0, said.find_first_of(" ,:("));  // a sentence may follow
  if (pattern == expected_to_pass || find_pattern(pattern)) return pattern;
  throw UsageError(fmt::format("{}, line 1: there is no pattern '{}'; gpulab list --patterns lists them",
                               file.string(), printable(pattern)));
}

bool is_as_expected(const TriedFile& file) {
  return is_kind_of(file.found, file.expected) ||
         (file.expected == expected_to_fail && file.found != expected_to_pass);
}

std::string shape_text(const SizedArray& array) {
  return array.name + (array.shape.y > 1 ? fmt::format(" ({} x {})", array.shape.x, array.shape.y)
                                         : fmt::format(" ({})", grouped(array.length)));
}

// Returns the size of which the output has one row each, if the solution takes blockIdx.x for a row; else "".
std::string size_of_rows(const OwnExercise& own, const Settings& settings, const SizedArray& output) {
  constexpr std::string_view block = "blockIdx.x";
  const std::string& text = own.lesson.kernels_text;
  const std::size_t at = text.find(block);
  const std::size_t factor = std::min(text.find_first_not_of(" *", at + block.size()), text.size());
  if (at == std::string::npos || text.compare(factor, 8, "blockDim") == 0) return "";
  const std::size_t rows = output.shape.y > 1 ? output.shape.y : output.length;
  for (const SizeOrCount& one : sizes_and_counts(own.lesson))
    if ((one.name == "size" ? settings.size : settings.count(one.name)) == rows) return one.name;
  return "";
}

// Says which grid exercise.toml asks for, if it may not be that of the kernel. A race may come from blocks of
// two dimensions where a block should have a row.
std::string advice_on_grid(const OwnExercise& own, const Settings& settings, bool is_race) {
  const Problem problem = own.lesson.problem(settings);
  const ChosenLaunch launch = launch_of_solution(own.lesson, settings);
  if (launch.ownership == Ownership::grid_stride) return "";
  if (launch.ownership == Ownership::unknown)
    return fmt::format("; the grid has {} blocks, as exercise.toml says, of {} threads",
                       grouped(launch.config.grid.volume()), launch.config.block.volume());
  const auto over = std::ranges::find_if(problem.arrays, [&](const SizedArray& array) {
    return problem.work ? array.name == problem.work->array.name : array.role == Role::output;
  });
  const auto output = std::ranges::find(problem.arrays, Role::output, &SizedArray::role);
  const std::string rows = output == problem.arrays.end() ? "" : size_of_rows(own, settings, *output);
  if (!rows.empty())
    return fmt::format(
        "; the grid has a thread for each element of {}{}: if blockIdx.x is a row, exercise.toml lacks "
        "grid = \"{}\", which launches a block for each row",
        shape_text(*over), over->shape.y > 1 ? ", in two dimensions" : "", rows);
  if (is_race) return "";
  if (problem.work)
    return fmt::format(
        "; the grid has a thread for each element of {}: for another one, write grid = \"...\"",
        shape_text(*over));
  const auto other = std::ranges::find_if(
      problem.arrays, [&](const SizedArray& array) { return array.shape != over->shape; });
  if (other == problem.arrays.end()) return "";
  return fmt::format(
      "; the grid has a thread for each element of {}: if the kernel's index runs over {}, exercise.toml lacks "
      "work = \"{}\"",
      shape_text(*over), shape_text(*other), other->name);
}

// Says how many accesses were counted, and how many are allowed at those settings.
std::string advice_on_operations(const OwnExercise& own, const CheckResult& result) {
  if (!result.defect || result.defect->kind != DefectKind::too_many_accesses || !result.tried_with)
    return result.pattern == "time-limit"
               ? "; if it needs that many operations, exercise.toml lacks operations = \"...\""
               : "";
  Settings settings = own.lesson.default_settings();
  settings.size = result.tried_with->size;
  for (const auto& [name, value] : result.tried_with->options)
    settings.options[name] = static_cast<std::uint64_t>(std::stoull(value));
  std::vector<std::string> where;
  for (const SizeOrCount& one : sizes_and_counts(own.lesson))
    where.push_back(
        fmt::format("{} = {}", one.name, one.name == "size" ? settings.size : settings.count(one.name)));
  return fmt::format(
      "; exercise.toml allows {} at {}, for its arrays and {} operations: if the kernel needs more, write "
      "operations = \"...\", an expression of the sizes for what all threads do together, also in shared memory",
      grouped(max_accesses(own.lesson, settings, result.block_size)), fmt::join(where, ", "),
      grouped(static_cast<std::size_t>(own.lesson.problem(settings).traffic.operations)));
}

// Returns what to change in exercise.toml for a right solution that did not pass, if anything.
std::string advice(const OwnExercise& own, const CheckResult& result) {
  if (result.pattern == "time-limit" || result.pattern == "repeated-work")
    return advice_on_operations(own, result);
  if (own.exercise.is_program()) return "";
  const Settings settings = own.lesson.default_settings();
  const Problem problem = own.lesson.problem(settings);
  if (std::ranges::any_of(result.first_differences, &Difference::is_poison))
    return advice_on_grid(own, settings, /*is_race=*/false);
  if (result.defect && result.defect->kind == DefectKind::shared_race)
    return advice_on_grid(own, settings, /*is_race=*/true);
  if (result.verdict != Verdict::wrong || result.defect) return "";
  const double now = problem.tolerance.relative;
  return fmt::format(
      "; if only rounding differs, write a larger tolerance into exercise.toml: tolerance = {:.0e}",
      std::pow(10, std::ceil(std::log10(std::max(now, 1e-7))) + 1));
}

std::string sentence_about(const OwnExercise& own, const TriedFile& file, const CheckResult& result) {
  const std::string summary = printable(result.summary);
  const bool has_other_kernel = result.pattern == name_of(DefectKind::missing_kernel) ||
                                result.pattern == name_of(DefectKind::wrong_parameters);
  if (result.verdict == Verdict::does_not_compile && file.expected != result.pattern)
    return has_other_kernel ? summary : file.name + " does not compile: " + summary;
  if (result.verdict == Verdict::not_checked) return file.name + " was not judged: " + summary;
  if (is_as_expected(file)) return "";
  if (file.expected == expected_to_pass)
    return file.name + " should pass, and does not: " + summary + advice(own, result);
  if (file.found == expected_to_pass) return file.name + " should fail, and passes";
  return fmt::format("{} should fail as {}{}, and fails as {}: {}", file.name, file.expected,
                     file.is_named_so
                         ? fmt::format(", a pattern, since the file is called so (a first line \"// "
                                       "expect: {}\" says otherwise)",
                                       file.found)
                         : "",
                     file.found, summary);
}

// Checks a solution again that has passed with the usual seed, now with other seeds: they make other inputs,
// and gpulab grade draws a seed.
void try_other_seeds(const OwnExercise& own, const device::KernelSource& source, TriedFile& file) {
  constexpr std::uint64_t last_seed = 3;
  for (std::uint64_t seed = 1; seed <= last_seed && file.found == expected_to_pass; ++seed) {
    const CheckResult result =
        check_exercise(own.exercise, source, {.with_gpu = false, .trial = {.seed = seed}});
    if (result.verdict == Verdict::right) continue;
    file.found = result.pattern.empty() ? "not judged" : result.pattern;
    file.why = fmt::format("{} passes, but not with seed {}, and gpulab grade draws a seed: {}{}", file.name,
                           seed, printable(result.summary), advice(own, result));
  }
}

// Lists the texts that are still those of the example, although the solution is a new one.
void add_rest_of_example(const OwnExercise& own, const fs::path& folder, std::vector<TriedFile>& files) {
  auto example = example_exercise(fs::path(own.exercise.file).stem());
  if (has_text(folder / "solution.cu", example["solution.cu"])) return;
  const std::string& starter = own.exercise.starter;
  constexpr std::size_t max_meaningless = 4;  // length of texts, such as "//", that are equal by chance
  for (const auto& [name, part] : {std::pair("exercise.toml", '"' + own.lesson.title + '"'),
                                   std::pair("starter.cu", starter.substr(0, starter.find('\n'))),
                                   std::pair("hints.txt", trimmed(own.exercise.hints.front()))})
    if (part.size() > max_meaningless && example[name].find(part) != std::string::npos)
      files.push_back({.name = name,
                       .expected = "be yours",
                       .found = "the example's",
                       .why = fmt::format("{} still says: {}", name, part),
                       .is_remark = name == std::string("hints.txt")});  // the example's hints may fit
}

// Names the numbers that are the same in each check, and which a learner's kernel may therefore spell out.
void add_fixed_numbers(const fs::path& folder, std::vector<TriedFile>& files) {
  constexpr const char* toml = "exercise.toml";
  const ExerciseFacts facts = read_exercise_toml(folder / toml);
  for (const auto& [name, value] : facts.scalars) {
    char* end = nullptr;
    static_cast<void>(std::strtod(value.text.c_str(), &end));
    if (*end != '\0') continue;  // an expression of the sizes
    files.push_back({.name = toml,
                     .expected = "vary",
                     .found = "fixed",
                     .why = fmt::format("{0} is always {1}, so a kernel passes with {1} in place of {0}; "
                                        "{0} = {{ default = {1}, min = ..., max = ... }} varies it",
                                        printable(name), printable(value.text)),
                     .is_remark = true});
  }
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

namespace {

device::KernelSource source_at(const OwnExercise& own, const fs::path& path) {
  device::KernelSource source = learner_file(own.exercise, path);
  try {
    source.text = mistake_text(path, source.text, own.lesson.kernels_text);
  } catch (const UsageError& error) {
    throw UsageError(printable(path.filename().string()) + " does not fit the solution: " + error.what());
  }
  return source;
}

// Checks a file as a learner's.
CheckResult try_file(const OwnExercise& own, const device::KernelSource& source, TriedFile& file) {
  CheckResult result = check_exercise(own.exercise, source, {.with_gpu = false});
  file.found = result.verdict == Verdict::right ? expected_to_pass : result.pattern;
  file.why = sentence_about(own, file, result);
  return result;
}

std::string name_of_mistake(const fs::path& path) {
  return "mistakes/" + printable(path.filename().string());
}

TriedFile mistake_to_try(const fs::path& path, const device::KernelSource& source) {
  return {.name = name_of_mistake(path),
          .expected = expected_of(path, source.text),
          .lacks_reason = said_in_mistake(source.text, "because: ").empty(),
          .is_named_so = find_pattern(path.stem().string()) && !source.text.starts_with(expect_mark)};
}

// Says which wrong choices of a mistake a demo leaves out, and why.
void add_refused_choices(TriedFile mistake, const std::string& text, std::vector<TriedFile>& files) {
  const std::string& pattern = mistake.expected == expected_to_fail ? mistake.found : mistake.expected;
  const std::string tempting = said_in_mistake(text, "tempting: ");
  if (tempting.empty()) return;
  for (const std::string& named : split_at_commas(tempting)) {
    const std::string why = why_no_choice(trimmed(named), pattern, text);
    if (why.empty()) continue;
    mistake.why =
        fmt::format("{}, tempting: {} is not offered: {}", mistake.name, printable(trimmed(named)), why);
    mistake.is_remark = true;
    files.push_back(mistake);
  }
}

}  // namespace

std::vector<TriedFile> try_exercise(const OwnExercise& own, const fs::path& folder) {
  std::vector<TriedFile> files;
  const auto add = [&](TriedFile file, const device::KernelSource& source) {
    const CheckResult result = try_file(own, source, file);
    if (file.expected == expected_to_pass && file.why.empty()) try_other_seeds(own, source, file);
    files.push_back(file);
    if (file.name != solution_name || result.verdict != Verdict::right) return;
    for (const std::string& note : result.notes) {
      file.why = file.name + ": " + printable(note);
      file.is_remark = true;
      files.push_back(file);
    }
  };
  for (const auto& [name, expected] :
       {std::pair(starter_file, expected_to_fail), std::pair(solution_name, expected_to_pass)})
    add({.name = name, .expected = expected}, source_at(own, folder / name));
  for (const fs::path& path : mistake_files(folder)) try {
      const device::KernelSource source = source_at(own, path);
      add(mistake_to_try(path, source), source);
      add_refused_choices(files.back(), source.text, files);
    } catch (const UsageError& error) {  // the other files do not depend on it
      files.push_back({.name = name_of_mistake(path),
                       .expected = "be a mistake",
                       .found = "refused",
                       .why = error.what()});
    }
  if (!own.exercise.is_program()) add_fixed_numbers(folder, files);
  add_rest_of_example(own, folder, files);
  return files;
}

std::string why_no_demo(const OwnExercise& own, const fs::path& folder, const std::vector<std::string>& only,
                        const std::function<void(const std::string&)>& progress) {
  progress("checking solution.cu");
  TriedFile solution{.name = "solution.cu", .expected = expected_to_pass};
  try_file(own, source_at(own, folder / solution.name), solution);
  if (!solution.why.empty()) return solution.why;
  std::vector<fs::path> mistakes = mistake_files(folder);
  const auto is_other = [&](const fs::path& path) {
    return std::ranges::find(only, replaced(path.stem(), '_', '-')) == only.end();
  };
  // Words that name no file may be numbers or patterns.
  if (!only.empty() && mistakes.size() == only.size() + std::ranges::count_if(mistakes, is_other))
    std::erase_if(mistakes, is_other);
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    const fs::path& path = mistakes[i];
    progress(fmt::format("checking {}, {} of {} mistakes", path.filename().string(), i + 1, mistakes.size()));
    const device::KernelSource source = source_at(own, path);
    TriedFile mistake = mistake_to_try(path, source);
    const bool compiles = try_file(own, source, mistake).verdict != Verdict::does_not_compile;
    if (!compiles && !mistake.why.empty()) return mistake.why;
  }
  return "";
}

std::string tried_text(const OwnExercise& own, const std::vector<TriedFile>& files, const TextStyle& style) {
  const auto lacks_expected = [](const TriedFile& file) {
    return file.expected == expected_to_fail && file.found != expected_to_pass && file.name != starter_file;
  };
  const bool lacks_any = std::ranges::any_of(
      files, [&](const TriedFile& file) { return file.lacks_reason || lacks_expected(file); });
  Table table({{""}, {"file"}, {"should"}, {"does"}, {lacks_any ? "its head lacks" : ""}});
  std::string sentences;
  for (const TriedFile& file : files) {
    std::vector<std::string> lacking;
    if (lacks_expected(file)) lacking.emplace_back("expect");
    if (file.lacks_reason) lacking.emplace_back("because");
    if (!file.is_remark)
      table.add({{file.is_unexpected() ? "off" : "ok", file.is_unexpected() ? Ink::red : Ink::green},
                 {file.name},
                 {file.expected},
                 {file.found},
                 {fmt::format("{}", fmt::join(lacking, ", ")), Ink::faint}});
    if (!file.why.empty())
      sentences += paragraph(file.why, file.is_unexpected() ? Ink::plain : Ink::faint, style);
  }
  if (lacks_any)
    sentences += paragraph(
        "first lines: \"// expect: PATTERN\", or it may fail in any way; \"// because: ...\", what "
        "gpulab demo mistakes and a learner's check say",
        Ink::faint, style);
  return fmt::format("{} · {}\n\n{}{}{}", own.exercise.name, own.lesson.title, table.text(style),
                     sentences.empty() ? "" : "\n", sentences);
}

ChosenLaunch launch_of_solution(const Lesson& lesson, const Settings& settings) {
  const Problem problem = lesson.problem(settings);
  const Variant& solution = run::find_variant(lesson, lesson.solution);
  return solution.launch({{.settings = settings,
                           .work = problem.work_items(),
                           .block_size = solution.block.threads,
                           .problem = &problem}});
}

}  // namespace gpulab::check
