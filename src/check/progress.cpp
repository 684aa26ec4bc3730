#include "check/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <sstream>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "check/explanations.hpp"
#include "check/files.hpp"
#include "lesson/lesson.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {

TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress) {
  TakenHint hint{.exercise = exercise.name, .advice = pattern_hint(progress.last_pattern)};
  if (!hint.advice.empty()) hint.pattern = progress.last_pattern;
  const std::size_t taken = progress.hints_taken;
  if (taken < exercise.hints.size()) {
    hint.texts = {exercise.hints[taken]};
    hint.first = taken + 1;
    hint.left = exercise.hints.size() - hint.first;
    ++progress.hints_taken;
  } else {
    hint.texts = exercise.hints;
  }
  return hint;
}

namespace {

constexpr const char* first_line =
    "# Your progress with gpulab's exercises in this folder. You may edit it; gpulab progress shows it.";

// Returns "1 hint" or "3 hints".
std::string counted(unsigned count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Reads one part of a line, such as "3 checks". Returns false if gpulab does not know such a part.
bool take_part(const std::string& part, ExerciseProgress& progress) {
  std::string lower_case(part);
  std::ranges::transform(lower_case, lower_case.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  source::Scanner scanner(part);
  const std::optional<int> number = scanner.take_number();
  if (number && (scanner.take(" hint") || scanner.take(" check"))) {
    const bool is_hint = part.find(" hint") != std::string::npos;
    scanner.take("s");
    if (!scanner.is_at_end()) return false;
    unsigned& count = is_hint ? progress.hints_taken : progress.checks;
    count = static_cast<unsigned>(*number);
  } else if (lower_case == "started" || lower_case == "not started") {
    progress.state = lower_case == "started" ? ExerciseState::started : ExerciseState::not_started;
  } else if (lower_case == "passed" || lower_case.starts_with("passed ")) {
    constexpr std::size_t after_passed = std::string_view("passed").size();
    progress.state = ExerciseState::passed;
    progress.passed_on = part.substr(std::min(part.find_first_not_of(' ', after_passed), part.size()));
  } else if (scanner.take("last ") &&
             scanner.rest().find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos) {
    progress.last_pattern = scanner.rest();
  } else if (scanner.take("text ")) {
    progress.hash_of_passed = scanner.take_digits();
    return scanner.is_at_end();
  } else if (lower_case == "after reading the solution" || lower_case == "solution read") {
    progress.read_solution = true;
  } else {
    return false;
  }
  return true;
}

struct Line {
  std::string exercise;  // empty for a line that names none
  ExerciseProgress progress;
  std::string rest;  // the words that gpulab does not know
};

Line parsed(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || trimmed(text).starts_with('#')) return {};
  Line line{.exercise = trimmed(text.substr(0, colon))};
  std::istringstream parts(text.substr(colon + 1));
  for (std::string part; std::getline(parts, part, ',');)
    if (part = trimmed(part); !part.empty() && !take_part(part, line.progress)) line.rest += ", " + part;
  return line;
}

std::string state_text(const ExerciseProgress& progress) {
  switch (progress.state) {
    case ExerciseState::not_started:
      return "not started";
    case ExerciseState::started:
      return "started";
    case ExerciseState::passed:
      break;
  }
  return progress.passed_on.empty() ? "passed" : "passed " + progress.passed_on;
}

std::string text_of(const Line& line) {
  const ExerciseProgress& progress = line.progress;
  const char* read =
      progress.state == ExerciseState::passed ? ", after reading the solution" : ", solution read";
  return line.exercise + ": " + state_text(progress) + (progress.read_solution ? read : "") + ", " +
         counted(progress.hints_taken, "hint") + ", " + counted(progress.checks, "check") +
         (progress.last_pattern.empty() ? "" : ", last " + progress.last_pattern) +
         (progress.hash_of_passed.empty() ? "" : ", text " + progress.hash_of_passed) + line.rest;
}

}  // namespace

Progress::Progress(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) lines_.push_back(line);
  if (lines_.empty()) lines_.emplace_back(first_line);
}

std::string Progress::text() const {
  std::string text;
  for (const std::string& line : lines_) text += line + "\n";
  return text;
}

ExerciseProgress Progress::of(const std::string& exercise) const {
  for (auto text = lines_.rbegin(); text != lines_.rend(); ++text)
    if (const Line line = parsed(*text); line.exercise == exercise) return line.progress;
  return {};
}

void Progress::set(const std::string& exercise, const ExerciseProgress& progress) {
  for (auto text = lines_.rbegin(); text != lines_.rend(); ++text) {
    Line line = parsed(*text);
    if (line.exercise != exercise) continue;
    line.progress = progress;
    *text = text_of(line);
    return;
  }
  lines_.push_back(text_of({exercise, progress, ""}));
}

std::string Progress::value_of(const std::string& label) const {
  for (const std::string& line : lines_)
    if (line.starts_with(label)) return trimmed(line.substr(label.size()));
  return "";
}

void Progress::set_value(const std::string& label, const std::string& value) {
  const auto has_label = [&](const std::string& line) { return line.starts_with(label); };
  const auto line = std::ranges::find_if(lines_, has_label);
  if (value.empty())
    std::erase_if(lines_, has_label);
  else if (line != lines_.end())
    *line = label + " " + value;
  else
    lines_.push_back(label + " " + value);
}

ExerciseProgress after_check(ExerciseProgress progress, const std::string& pattern, bool is_right,
                             const std::string& today) {
  ++progress.checks;
  progress.last_pattern = is_right ? "" : pattern;
  if (progress.state == ExerciseState::passed) return progress;
  progress.state = is_right ? ExerciseState::passed : ExerciseState::started;
  progress.passed_on = is_right ? today : "";
  return progress;
}

std::vector<ExerciseStanding> standings(const Progress& progress) {
  std::vector<ExerciseStanding> all;
  for (const Exercise& exercise : all_exercises())
    all.push_back({.exercise = exercise, .progress = progress.of(exercise.name)});
  return all;
}

namespace {

namespace fs = std::filesystem;

// Lock on a folder while its progress changes: the file itself is replaced, so a lock on it would be lost.
// Network file systems may have no such locks; then the later of two changes at the same instant is kept.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : folder_(::open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
    while (folder_.is_open() && ::flock(folder_.number(), LOCK_EX) != 0 && errno == EINTR) continue;
  }

 private:
  Descriptor folder_;
};

[[noreturn]] void throw_unreadable(const fs::path& file, const std::string& why) {
  throw UsageError(fmt::format("cannot read the progress in {}: {}", file.string(), why));
}

}  // namespace

ProgressFile::ProgressFile(const fs::path& folder) : folder_(folder), file_(folder / "gpulab-progress.txt") {
  if (folder == ".") file_ = file_.filename();
}

// Reads the progress. The folder may be another user's, and the file a link to anything: a link is followed
// only to a progress file, which the first line identifies, or to an empty file.
Progress ProgressFile::read() const {
  constexpr std::size_t max_bytes = std::size_t{1} << 20;
  std::error_code ignored;
  const bool is_link = fs::is_symlink(fs::symlink_status(file_, ignored));
  if (!is_link && !fs::exists(file_, ignored)) return Progress();
  if (is_link && !fs::exists(file_, ignored)) throw_unreadable(file_, "it is a link that leads nowhere");
  const std::string text = read_file(file_, max_bytes, "the progress in ");
  if (text.size() > max_bytes || text.find('\0') != std::string::npos)
    throw_unreadable(file_, "it is not a progress file");
  if (is_link && !text.empty() && !text.starts_with(first_line))
    throw_unreadable(file_, "it is a link to a file that is not a progress file");
  return Progress(text);
}

void ProgressFile::change(const std::function<void(Progress&)>& change) const {
  const FolderLock lock(folder_);
  Progress progress = read();
  change(progress);
  replace_file(target_of(file_), progress.text());
}

void ProgressFile::change(const std::string& exercise,
                          const std::function<void(ExerciseProgress&)>& change_one) const {
  change([&](Progress& progress) {
    ExerciseProgress of_exercise = progress.of(exercise);
    change_one(of_exercise);
    progress.set(exercise, of_exercise);
  });
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[sizeof "0000-00-00"] = "";
  if (::localtime_r(&now, &local)) std::strftime(text, sizeof text, "%F", &local);
  return text;
}

}  // namespace gpulab::check
