#include "cli/lesson_reports.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <set>
#include <utility>

#include "report/documents.hpp"

namespace gpulab::cli {
namespace {

// Such as /dev/stdout: text would get between the lines of the document.
bool is_stdout(const std::filesystem::path& file) {
  struct stat named {
  }, own{};
  return ::stat(file.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &own) == 0 &&
         named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

bool wants_text_on_stdout(const LessonWords& words) {
  if (!words.output) return format_of(words) == "text";
  return !words.quiet && !is_stdout(*words.output);
}

}  // namespace

std::string format_of(const LessonWords& words) {
  if (!words.format.empty()) return words.format;
  const std::string ending = words.output ? words.output->extension().string() : "";
  return ending == ".json" || ending == ".csv" ? ending.substr(1) : "text";
}

LessonReports::LessonReports(const LessonWords& words, std::size_t count)
    : format_(format_of(words)),
      output_(words.output),
      count_(count),
      is_text_on_stdout_(wants_text_on_stdout(words)) {}

void LessonReports::add(LessonResult result) {
  const bool is_first = results_.empty();
  results_.push_back(std::move(result));
  if (!is_text_on_stdout_) return;
  const std::string text = report::lesson_text(results_.back(), style_of_stdout());
  // A pager waits for its reader: it is for a report that nothing comes after.
  if (count_ == 1 && !output_.is_file()) return print(text);
  Output({}).write((is_first ? "" : "\n") + text);
}

void LessonReports::finish(const RunFacts& facts) {
  if (output_.is_file() || !is_text_on_stdout_) output_.write(document(facts));
}

std::string LessonReports::document(const RunFacts& facts) const {
  if (format_ == "csv") return report::lesson_csv(results_);
  if (format_ == "json")
    return count_ == 1 ? report::lesson_json(results_.front(), facts) : report::lessons_json(results_, facts);
  std::string text;
  for (const LessonResult& result : results_)
    text += (text.empty() ? "" : "\n") + report::lesson_text(result, report::TextStyle{});
  return text;
}

namespace {

bool stopped_early(const VariantResult& variant) {
  return !ran_to_its_end(variant.observed) && variant.observed != Outcome::not_run;
}

}  // namespace

std::string failures_text(const std::string& lesson, const std::vector<VariantResult>& variants) {
  std::string text;
  std::set<std::string> told;  // several variants may share a file that does not compile
  for (const VariantResult& variant : variants)
    if (!variant.as_expected() && stopped_early(variant) && told.insert(variant.explanation).second)
      text += fmt::format("gpulab: {}, variant {}: {}\n", lesson, variant.name, variant.explanation);
  return text;
}

}  // namespace gpulab::cli
