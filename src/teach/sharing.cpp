#include <fmt/format.h>
#include <pwd.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <map>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "lesson/lesson.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder_label = "shared in:";
constexpr const char* name_label = "shared as:";
constexpr const char* id_label = "shared id:";
constexpr const char* since_label = "since:";
constexpr const char* checked_label = "last check:";
constexpr const char* same_label = "checks with that result:";
constexpr const char* same_since_label = "that result since:";
constexpr const char* ending = ".gpulab.txt";
constexpr std::size_t max_bytes = 8192;  // in a shared file; a whole course has 2 KiB
constexpr std::size_t max_learners = 500, longest_name = 40;

std::string utc_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm utc{};
  char text[sizeof "0000-00-00T00:00:00Z"] = "";
  if (::gmtime_r(&time, &utc)) std::strftime(text, sizeof text, "%FT%TZ", &utc);
  return text;
}

// Parses a time; 0 for anything else. Clocks differ between machines, but no check is in the future.
std::int64_t seconds_of(const std::string& text, std::int64_t now) {
  std::tm utc{};
  const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return end && *end == '\0' ? std::clamp<std::int64_t>(::timegm(&utc), 0, now) : 0;
}

std::string user_name() {
  const passwd* const user = ::getpwuid(::geteuid());
  return user ? user->pw_name : "";
}

// Returns an id of its own for each folder that shares, so that learners of one name have a file each. An
// earlier one comes first in the order of names.
std::string new_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{:016x}", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Returns the file "Ada.18a3c0ffee123456.gpulab.txt"; without the id if an earlier gpulab shared it.
fs::path shared_file(const check::Progress& progress) {
  const fs::path folder = progress.value_of(folder_label);
  const std::string name = progress.value_of(name_label), id = progress.value_of(id_label);
  if (folder.empty() || name.empty() || id.find('/') != std::string::npos) return {};
  return folder / (name + (id.empty() ? "" : "." + id) + ending);
}

// Returns the name of the learner whose file it is.
std::string learner_of(const fs::path& file) {
  std::string name = file.filename();
  name.resize(name.size() - std::string_view(ending).size());
  const std::size_t dot = name.rfind('.');
  const bool has_id = dot != std::string::npos && dot > 0 && name.size() - dot == 17 &&
                      name.find_first_not_of("0123456789abcdef", dot + 1) == std::string::npos;
  return has_id ? name.substr(0, dot) : name;
}

// Returns the files of learners, with the earlier ones of a name first.
std::vector<fs::path> files_of_learners(const fs::path& shared_folder, std::error_code& failed) {
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(shared_folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (const std::string name = entry->path().filename(); name.ends_with(ending) && !name.starts_with('.'))
      files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

void require_name(const std::string& name) {
  const bool is_name = !name.empty() && name.size() <= longest_name && printable(name) == name &&
                       name.find_first_of("/:") == std::string::npos && name.front() != '.' &&
                       name.front() != ' ';
  if (!is_name)
    throw UsageError(
        fmt::format("'{}' is not a name for a class to see; --name takes up to {} letters, without / and :",
                    printable(name), longest_name));
}

// Returns a shared file's text; an empty one for links, which others may have made, and for too large files.
std::string text_in(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored))) return "";
  const std::string text = read_file(file, max_bytes);
  return text.size() > max_bytes || text.find('\0') != std::string::npos ? "" : text;
}

std::string heading_for(const check::Progress& progress) {
  return "# How far " + progress.value_of(name_label) + " is: gpulab progress --share wrote it.\n";
}

unsigned same_checks_in(const check::Progress& shared) {
  return static_cast<unsigned>(std::strtoul(shared.value_of(same_label).c_str(), nullptr, 10));
}

// Returns the exercise that the learner works on: the one checked last, but not one that has passed before
// and is checked again beside it, as by `gpulab check` for all files of a folder.
std::string exercise_at_work(const check::Progress& progress, const check::Progress& previous) {
  const auto has_passed = [](const check::Progress& known, const std::string& exercise) {
    const ExerciseProgress now = known.of(exercise);
    return now.state == ExerciseState::passed && now.last_pattern.empty();
  };
  const std::string last = progress.last_checked(), earlier = previous.last_checked();
  const bool is_checked_again = has_passed(progress, last) && has_passed(previous, last);
  return is_checked_again && !earlier.empty() && !has_passed(progress, earlier) ? earlier : last;
}

std::string shared_text(const check::Progress& progress, const check::Progress& previous, std::int64_t now) {
  const std::string last = exercise_at_work(progress, previous);
  const bool is_same_exercise = previous.last_checked() == last && !previous.value_of(since_label).empty();
  check::Progress shared(heading_for(progress));
  for (const auto& [exercise, own] : check::standings(progress))
    if (own.state != ExerciseState::not_started || own.checks > 0)
      shared.set(exercise.name, {.state = own.state, .checks = own.checks, .last_pattern = own.last_pattern});
  shared.set_last_checked(last);
  if (last.empty()) return shared.text();
  shared.set_value(since_label, is_same_exercise ? previous.value_of(since_label) : utc_text(now));
  shared.set_value(checked_label, utc_text(now));
  const ExerciseProgress own = progress.of(last), earlier = previous.of(last);
  const bool is_same = is_same_exercise && own.last_pattern == earlier.last_pattern;
  shared.set_value(same_label,
                   std::to_string((is_same ? same_checks_in(previous) : 0) + (own.checks != earlier.checks)));
  shared.set_value(same_since_label, is_same ? previous.value_of(same_since_label) : utc_text(now));
  return shared.text();
}

// Returns the status of a learner, and counts it in the result.
LearnerStatus status_of(const std::string& learner, const check::Progress& progress,
                        const std::vector<std::string>& counted_exercises, ClassResult& result) {
  LearnerStatus status{.learner = learner,
                       .since = seconds_of(progress.value_of(since_label), result.now),
                       .checked = seconds_of(progress.value_of(checked_label), result.now),
                       .same_checks = same_checks_in(progress),
                       .same_since = seconds_of(progress.value_of(same_since_label), result.now)};
  for (const auto& [exercise, own] : check::standings(progress)) {
    if (!contains(counted_exercises, exercise.name)) continue;
    if (exercise.name == progress.last_checked()) {
      status.exercise = exercise.name;
      status.progress = own;
    }
    if (own.state == ExerciseState::not_started) continue;
    auto counts = std::ranges::find(result.started, exercise.name, &ExerciseStatus::exercise);
    if (counts == result.started.end()) counts = result.started.insert(counts, {.exercise = exercise.name});
    ++counts->started;
    counts->passed += own.state == ExerciseState::passed;
    counts->stuck += exercise.name == status.exercise && status.is_stuck();
    status.passed += own.state == ExerciseState::passed;
    if (!own.last_pattern.empty()) ++counts->patterns[own.last_pattern];
  }
  result.elsewhere += status.exercise.empty() && !progress.last_checked().empty();
  return status;
}

void write_shared(const fs::path& file, const check::Progress& progress, const std::string& previous_text) {
  replace_file(file, shared_text(progress, check::Progress(previous_text), std::time(nullptr)));
}

// Removes the shared file, if gpulab has written it.
void remove_shared(const check::Progress& progress) {
  const fs::path file = shared_file(progress);
  std::error_code ignored;
  if (!file.empty() && text_in(file).starts_with(heading_for(progress))) fs::remove(file, ignored);
}

}  // namespace

SharedFile start_sharing(const fs::path& folder, const std::string& shared_folder, const std::string& name) {
  std::error_code failed;
  const fs::path target = fs::canonical(shared_folder, failed);
  if (failed || !fs::is_directory(target, failed) || printable(target.string()) != target.string())
    throw UsageError("--share " + shared_folder + " is not a folder; ask for the one that the class shares");
  const std::string own_name = name.empty() ? user_name() : name;
  require_name(own_name);
  const check::Progress before = check::ProgressFile(folder).read();
  const auto set_place = [&, id = new_id()](check::Progress& progress) {
    progress.set_value(folder_label, target.string());
    progress.set_value(name_label, own_name);
    if (progress.value_of(id_label).empty()) progress.set_value(id_label, id);
  };
  check::Progress progress = before;
  set_place(progress);
  const fs::path file = shared_file(progress);
  // Writes the file before the progress file: a share that fails must not be remembered.
  write_shared(file, progress, text_in(file));
  check::ProgressFile(folder).change(set_place);
  if (shared_file(before) != file) remove_shared(before);
  // Learners need not be allowed to list the folder.
  const bool has_namesakes = std::ranges::any_of(
      files_of_learners(target, failed),
      [&](const fs::path& other) { return other != file && learner_of(other) == own_name; });
  return {file, own_name, has_namesakes};
}

bool stop_sharing(const fs::path& folder) {
  const check::Progress shared = check::ProgressFile(folder).read();
  if (shared_file(shared).empty()) return false;
  check::ProgressFile(folder).change([&](check::Progress& progress) {
    progress.set_value(folder_label, "");
    progress.set_value(name_label, "");
    progress.set_value(id_label, "");
  });
  remove_shared(shared);
  return true;
}

// Writes the shared file. The progress file may have come with another user's folder, and may name any path:
// only a file that gpulab progress --share has made is overwritten.
void share(const check::Progress& progress) {
  const fs::path file = shared_file(progress);
  if (file.empty()) return;
  require_name(progress.value_of(name_label));
  const std::string previous_text = text_in(file);
  if (!file.is_absolute() || !previous_text.starts_with(heading_for(progress)))
    throw UsageError(printable(file.string()) +
                     " was not written by gpulab progress --share, or is gone; share again if you want to");
  write_shared(file, progress, previous_text);
}

ClassResult class_in(const fs::path& shared_folder, const ClassRules& rules) {
  const std::vector<std::string> counted_exercises =
      rules.exercises.empty() ? transformed(all_exercises(), &Exercise::name)
                              : transformed(rules.exercises, &ExerciseRule::exercise);
  ClassResult result{
      .folder = shared_folder.string(), .now = std::time(nullptr), .exercises = counted_exercises.size()};
  std::error_code failed;
  std::vector<fs::path> files = files_of_learners(shared_folder, failed);
  if (failed)
    throw UsageError(fmt::format("cannot read {}: {}", printable(shared_folder.string()), failed.message()));
  for (const fs::directory_entry& entry : fs::directory_iterator(shared_folder))
    if (const std::string name = entry.path().filename();
        !name.ends_with(ending) && !name.starts_with('.') && name != "class.toml")
      ++result.not_read;
  if (files.size() > max_learners) {
    result.not_read += files.size() - max_learners;
    files.resize(max_learners);
  }
  std::map<std::string, unsigned> namesakes;
  for (const fs::path& file : files) try {
      const std::string text = text_in(file);
      if (text.empty()) {
        ++result.not_read;
      } else {
        const std::string learner = printable(learner_of(file));
        const unsigned number = ++namesakes[learner];
        result.learners.push_back(status_of(number == 1 ? learner : fmt::format("{} ({})", learner, number),
                                            check::Progress(text), counted_exercises, result));
      }
    } catch (const UsageError&) {
      ++result.not_read;
    }
  std::ranges::sort(result.learners, is_listed_before, &LearnerStatus::learner);
  std::ranges::stable_sort(result.learners, {}, [](const LearnerStatus& status) {
    return std::tuple(!status.is_stuck(), status.progress.last_pattern.empty(), status.since);
  });
  std::ranges::stable_sort(result.started, std::greater(), [](const ExerciseStatus& exercise) {
    return std::pair(exercise.stuck, exercise.started - exercise.passed);
  });
  return result;
}

}  // namespace gpulab::teach
