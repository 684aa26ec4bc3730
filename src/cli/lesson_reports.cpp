#include "cli/lesson_reports.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <set>
#include <utility>

#include "base/files.hpp"
#include "base/output.hpp"
#include "base/terminal.hpp"
#include "lesson/lesson.hpp"
#include "run/documents.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Returns whether the words ask only for help, the version or a plan.
bool writes_nothing(const Words& words) {
  const Words questions = {"-h", "--help", "--version", "--dry-run", "--dry-run=rows"};
  return std::ranges::any_of(words, [&](const std::string& word) { return contains(questions, word); });
}

bool is_command(const CLI::App& app, const std::string& name) {
  return std::ranges::any_of(app.get_subcommands([](const CLI::App*) { return true; }),
                             [&](const CLI::App* command) { return command->check_name(name); });
}

// Returns the options of this command that name a file to write. An unknown command may be a mistyped lesson.
Words options_that_write(const CLI::App& app, const Words& words) {
  const std::string& name = words[1];
  Words options;
  if (!is_command(app, name)) return {"--output"};
  if (name == "grade") return {};  // it resumes its own output
  const CLI::App* command = app.get_subcommand(name);
  for (const char* option : {"--output", "--trace", "--html"}) {
    const CLI::Option* known = command->get_option_no_throw(option);
    if (!known) continue;
    options.emplace_back(option);
    for (const std::string& letter : known->get_snames()) options.push_back("-" + letter);
  }
  const auto is_against = [](const std::string& word) { return word.starts_with("--against"); };
  if (std::ranges::any_of(words, is_against)) options.emplace_back("--baseline");  // then bench writes it
  for (const Lesson& lesson : all_lessons()) {
    if (!lesson.is_called(name)) continue;
    for (const Option& option : lesson.options)
      if (std::holds_alternative<OutputFile>(option.kind)) options.push_back("--" + option.name);
  }
  return options;
}

// Returns the value in "--option=value", and any other word whole.
std::string value_in(const std::string& word) {
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
  return equals == std::string::npos ? word : word.substr(equals + 1);
}

// Returns the file that the word at this index names, if the word is the value of an option that writes a
// file; else empty.
std::string written_file_at(std::size_t index, const Words& words, const Words& options) {
  const auto is_writing_option = [&](const std::string& word) { return contains(options, word); };
  const std::string& word = words[index];
  if (is_writing_option(words[index - 1])) return word.starts_with('-') ? "" : word;
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && is_writing_option(word.substr(0, equals)) ? value_in(word) : "";
}

bool is_named_twice(const std::string& file, const Words& words) {
  std::error_code failed;
  return std::ranges::count_if(words, [&](const std::string& word) {
           return fs::equivalent(value_in(word), file, failed) && !failed;
         }) > 1;
}

bool can_be_mistaken_for_result(const fs::path& file) {
  const bool is_work_of_learner = contains(all_exercises(), file.filename().string(), &Exercise::file);
  if (is_work_of_learner || is_source_code(file)) return false;
  return has_content(file) && !is_written_in_place(file) && ::access(file.c_str(), W_OK) == 0;
}

}  // namespace

EarlierOutputs::EarlierOutputs(const CLI::App& app, const Words& words) {
  if (words.size() < 3 || writes_nothing(words)) return;
  const Words options = options_that_write(app, words);
  Words files;
  for (std::size_t index = 2; index < words.size(); ++index)
    if (const std::string file = written_file_at(index, words, options); !file.empty())
      if (!is_named_twice(file, words)) files.push_back(file);
  std::error_code ignored;
  for (const std::string& file : files)
    if (can_be_mistaken_for_result(file)) earlier_.push_back({file, fs::last_write_time(file, ignored)});
}

EarlierOutputs::~EarlierOutputs() {
  std::error_code ignored;
  for (const auto& [file, written] : earlier_)
    if (fs::last_write_time(file, ignored) == written && !is_locked(file))
      tell(fmt::format("gpulab: {} was not written: it is as it was before\n", file));
}

namespace {

// Returns whether the file is stdout under a name such as /dev/stdout: text would mix with the document.
bool is_stdout(const std::filesystem::path& file) {
  struct stat of_file = {}, of_stdout = {};
  return ::stat(file.c_str(), &of_file) == 0 && ::fstat(STDOUT_FILENO, &of_stdout) == 0 &&
         of_file.st_dev == of_stdout.st_dev && of_file.st_ino == of_stdout.st_ino;
}

bool wants_text_on_stdout(const LessonOptions& options) {
  if (!options.output) return format_of(options) == "text";
  return !options.quiet && !is_stdout(*options.output);
}

}  // namespace

std::string format_of(const LessonOptions& options) {
  return format_of_output(options.format, options.output, {{".json", "json"}, {".csv", "csv"}});
}

LessonReports::LessonReports(const LessonOptions& options, std::size_t count)
    : format_(format_of(options)),
      times_(options.verbose ? run::SimulatedTimes::both : run::SimulatedTimes::estimated),
      output_(options.output),
      count_(count),
      is_text_on_stdout_(wants_text_on_stdout(options)) {}

std::string LessonReports::text_of(const LessonResult& result, const TextStyle& style) const {
  return run::lesson_text(result, style, nullptr, times_);
}

void LessonReports::add(LessonResult result) {
  const bool is_first = results_.empty();
  results_.push_back(std::move(result));
  if (!is_text_on_stdout_) return;
  const std::string text = text_of(results_.back(), style_of_stdout());
  // Uses a pager only for a single report: a pager would hold up the next ones.
  if (count_ == 1 && !output_.is_file()) return print(text);
  ReportOutput({}).write((is_first ? "" : "\n") + text);
}

void LessonReports::finish(const RunFacts& facts) {
  if (output_.is_file() || !is_text_on_stdout_) output_.write(document(facts));
}

std::string LessonReports::document(const RunFacts& facts) const {
  if (format_ == "csv") return run::lesson_csv(results_);
  if (format_ == "json")
    return count_ == 1 ? run::lesson_json(results_.front(), facts) : run::lessons_json(results_, facts);
  std::string text;
  for (const LessonResult& result : results_)
    text += (text.empty() ? "" : "\n") + text_of(result, TextStyle{});
  return text;
}

namespace {

bool stopped_early(const VariantResult& variant) {
  return !ran_to_its_end(variant.observed) && variant.observed != Outcome::not_run;
}

}  // namespace

std::string failures_text(const std::string& lesson, const std::vector<VariantResult>& variants, Told told) {
  std::string text;
  std::set<std::string> explained;  // several variants may share a file that does not compile
  for (const VariantResult& variant : variants)
    if (!variant.as_expected() && (told == Told::all || stopped_early(variant)) &&
        explained.insert(variant.explanation).second)
      text += fmt::format("gpulab: {}{}: {}\n", lesson,
                          variant.observed == Outcome::fails_to_compile ? "" : ", variant " + variant.name,
                          variant.explanation);
  return text;
}

}  // namespace gpulab::cli
