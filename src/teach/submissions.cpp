#include "teach/submissions.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "check/answers.hpp"
#include "check/files.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "simulator/compile/compiler.hpp"
#include "source/code.hpp"
#include "source/device_code.hpp"
#include "source/source_parts.hpp"

namespace gpulab::teach {

std::string in_lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
  return text;
}

std::vector<KnownExercise> known_exercises() {
  std::vector<KnownExercise> known;
  for (const Exercise& exercise : all_exercises()) {
    const Lesson lesson = lesson_of(exercise);
    KnownExercise properties{.exercise = exercise, .names = lesson.aliases};
    properties.names.push_back(lesson.name);
    if (exercise.kind == ExerciseKind::kernel)
      properties.kernel = run::find_variant(lesson, lesson.solution).kernel;
    if (exercise.is_program()) properties.kernel = source::scan_source(exercise.starter).kernels.front();
    if (exercise.has_questions())
      for (const auto& asked : check::asked_questions(exercise.starter))
        properties.questions.insert(asked.name);
    known.push_back(std::move(properties));
  }
  return known;
}

std::string without_number(const std::string& name) {
  const std::filesystem::path file(name), stem = file.stem();
  const std::string number = stem.extension();
  const bool is_number = number.size() > 1 && number.find_first_not_of("0123456789", 1) == std::string::npos;
  const bool is_numbered = is_number && (file.extension() == ".cu" || file.extension() == ".txt");
  return is_numbered ? stem.stem().string() + file.extension().string() : name;
}

namespace {

// Returns "histogram-final" for "Histogram final (1).cu".
std::string as_words(const std::filesystem::path& file) {
  std::string words;
  for (const char letter : in_lower_case(file.stem())) {
    const bool is_of_word = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_of_word || !words.ends_with('-')) words += is_of_word ? letter : '-';
  }
  return words;
}

}  // namespace

std::string guess_exercise_from_name(const std::filesystem::path& file,
                                     const std::vector<KnownExercise>& known) {
  const std::string words = as_words(file);
  const KnownExercise* best = nullptr;
  std::size_t longest_match = 0;
  std::vector<std::string> names;
  for (const KnownExercise& candidate : known)
    for (const std::string& name : candidate.names) {
      names.push_back(name);
      if (name.size() <= longest_match || words.find(name) == std::string::npos) continue;
      best = &candidate;
      longest_match = name.size();
    }
  const std::string near = best ? "" : nearest_name(words, names);
  for (const KnownExercise& candidate : known)
    if (!best && contains(candidate.names, near)) best = &candidate;
  if (!best) return "";
  // A lesson may have questions and a program, which end differently.
  for (const KnownExercise& candidate : known)
    if (candidate.exercise.lesson == best->exercise.lesson &&
        std::filesystem::path(candidate.exercise.file).extension() == file.extension())
      return candidate.exercise.name;
  return best->exercise.name;
}

std::vector<std::string> exercises_recognised_in(const std::string& text,
                                                 const std::vector<KnownExercise>& known) {
  std::vector<std::string> exercises;
  const std::vector<std::string> kernels = text.find("__global__") == std::string::npos
                                               ? std::vector<std::string>{}
                                               : source::scan_source(text).kernels;
  std::set<std::string> questions;
  if (text.find("answer") != std::string::npos)
    for (const auto& asked : check::asked_questions(text)) questions.insert(asked.name);
  for (const KnownExercise& candidate : known) {
    const bool has_kernel = contains(kernels, candidate.kernel);
    const auto same = std::ranges::count_if(
        candidate.questions, [&](const std::string& question) { return questions.contains(question); });
    if (has_kernel || 2 * static_cast<std::size_t>(same) > candidate.questions.size())
      exercises.push_back(candidate.exercise.name);
  }
  return exercises;
}

std::string exercise_from_file_name(const std::filesystem::path& file,
                                    const std::vector<KnownExercise>& known) {
  const std::string name = without_number(file.filename());
  for (const KnownExercise& candidate : known)
    if (candidate.exercise.file == name) return candidate.exercise.name;
  return "";
}

namespace {

namespace fs = std::filesystem;

// Limits that nobody reaches; beyond them, a row says that there is more. They bound the time of a command,
// since each file can keep a check busy for a minute.
constexpr std::size_t max_files = 40, max_entries = 10'000;
constexpr int deepest_folder = 4;

std::string ending_of(const fs::path& file) {
  return in_lower_case(file.extension());
}

bool is_kernel_file(const fs::path& file) {
  return is_one_of(ending_of(file), {".cu", ".cuh"});
}

// Returns whether a file may be an exercise's under another name.
bool may_be_handed_in(const fs::path& file) {
  return is_kernel_file(file) ||
         is_one_of(ending_of(file), {".txt", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp"});
}

bool is_archive(const fs::path& file) {
  return is_one_of(ending_of(file), {".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar"});
}

bool is_left_out(const fs::path& path) {
  const std::string name = path.filename();
  return name.starts_with('.') || name == "__MACOSX";
}

bool is_empty(const std::string& text) {
  return source::Code(text).size() == 0;
}

std::string why_empty(const std::string& text) {
  return trimmed(text).empty() ? "it is empty" : "it has comments only, and no kernel";
}

std::string hash_of(const std::string& text) {
  return std::to_string(text.size()) + "-" + std::to_string(fnv1a(text));
}

std::string name_of_exercise(const KnownExercise& known) {
  return known.exercise.name;
}

// Files of one learner.
class LearnersFiles {
 public:
  LearnersFiles(const LearnersFolder& learner, const std::vector<KnownExercise>& known)
      : learner_(learner), known_(known) {
    std::error_code ignored;
    if (learner.path.empty()) return;
    const fs::file_status status = fs::symlink_status(learner.path, ignored);
    if (fs::is_directory(status))
      read_folder(learner.path, /*depth=*/0);
    else
      read_entry(learner.path, status);
    if (entries_ > max_entries)
      add({}, SubmissionState::not_checked,
          "more than " + grouped(max_entries) + " files and folders, of which only the first were looked at");
    else if (left_out_ > 0)
      add({}, SubmissionState::not_checked,
          grouped(left_out_) + (left_out_ == 1 ? " more file, which was" : " more files, which were") +
              " not looked at");
    note_several();
  }

  std::vector<Submission> found;

 private:
  void read_folder(const fs::path& folder, int depth) {
    std::error_code failed;
    std::vector<fs::path> paths;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      if (++entries_ > max_entries) break;
      if (!is_left_out(entry->path())) paths.push_back(entry->path());
    }
    if (failed) add(folder, SubmissionState::unreadable, "this folder cannot be read: " + failed.message());
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
      const fs::file_status status = fs::symlink_status(path, failed);
      if (fs::is_directory(status) && depth < deepest_folder)
        read_folder(path, depth + 1);
      else if (found.size() < max_files)
        read_entry(path, status);
      else
        ++left_out_;
    }
  }

  void read_entry(const fs::path& path, const fs::file_status& status) {
    const std::string exercise_by_name = exercise_from_file_name(path, known_);
    if (fs::is_symlink(status))
      return add(path, SubmissionState::unreadable, "a symbolic link is not followed", exercise_by_name);
    if (is_archive(path))
      return add(path, SubmissionState::archive, "unpack it, or hand in the .cu file itself, not an archive");
    if (!may_be_handed_in(path) || fs::is_directory(status)) return;
    if (!fs::is_regular_file(status))
      return add(path, SubmissionState::unreadable, "it is not a file", exercise_by_name);
    if (!exercise_by_name.empty() && is_numbered_copy(path)) return;
    try {
      read(path, exercise_by_name);
    } catch (const UnreadableFile& error) {
      if (!exercise_by_name.empty() || is_kernel_file(path))
        add(path, SubmissionState::unreadable, error.why(), exercise_by_name);
    }
  }

  static bool is_numbered_copy(const fs::path& path) {
    const std::string name = path.filename(), own = without_number(name);
    std::error_code ignored;
    return own != name && fs::exists(fs::symlink_status(path.parent_path() / own, ignored));
  }

  void read(const fs::path& path, const std::string& exercise_by_name) {
    const fs::path relative = path.lexically_relative(learner_.path);
    const std::string text =
        run::text_of_file(path, read_file_below(learner_.path, relative, run::max_text_bytes),
                          ending_of(path) == ".txt" ? check::answer_sheet : run::kernel_file);
    if (!exercise_by_name.empty()) return add_file(path, exercise_by_name, text, "");
    const std::vector<std::string> exercises = exercises_recognised_in(text, known_);
    for (const std::string& exercise : exercises) add_file(path, exercise, text, "recognised by its content");
    if (!exercises.empty()) return;
    const std::string meant = guess_exercise_from_name(path, known_);
    if (!is_kernel_file(path) && (meant.empty() || ending_of(path) != ".txt")) return;
    if (is_empty(text)) return add(path, SubmissionState::empty, why_empty(text), meant);
    const auto nearest = std::ranges::find(known_, meant, name_of_exercise);
    add(path, SubmissionState::misnamed,
        "which exercise? It defines the kernel of none" +
            (nearest == known_.end()
                 ? "; gpulab progress lists the exercises"
                 : ", and its name is like " + meant + ", whose file is " + nearest->exercise.file +
                       (nearest->kernel.empty() ? "" : " with the kernel " + nearest->kernel)),
        meant);
  }

  void add_file(const fs::path& path, const std::string& exercise, const std::string& text,
                const std::string& note) {
    if (is_empty(text)) return add(path, SubmissionState::empty, why_empty(text), exercise);
    add(path, SubmissionState::checked, "", exercise);
    found.back().text = text;
    found.back().row.hash = hash_of(text);
    if (!note.empty()) found.back().row.notes.push_back(note);
    if (const std::string other = note_on_kernel(exercise, text); !other.empty())
      found.back().row.notes.push_back(other);
  }

  // Returns a note if the file and the exercise have one kernel each, of different names; else an empty text.
  std::string note_on_kernel(const std::string& exercise, const std::string& text) const {
    const auto known = std::ranges::find(known_, exercise, name_of_exercise);
    if (known == known_.end() || known->kernel.empty()) return "";
    const std::vector<std::string> asked = source::kernel_names(known->exercise.starter),
                                   found_here = source::kernel_names(text);
    if (asked.size() != 1 || found_here.size() != 1 || asked == found_here) return "";
    return fmt::format("kernel {} found where {} is asked for", found_here.front(), asked.front());
  }

  void add(const fs::path& path, SubmissionState state, const std::string& summary,
           const std::string& exercise = "") {
    const fs::path relative = path.lexically_relative(learner_.path);
    const std::string file = (path.empty() || relative == "." ? path.filename() : relative).string();
    found.push_back({{.learner = learner_.learner,
                      .exercise = exercise,
                      .file = printable(file),
                      .state = state,
                      .modified = modified_at(path),
                      .summary = printable(summary)}});
  }

  static std::int64_t modified_at(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
  }

  // Adds a note to each file that is one of several for its exercise.
  void note_several() {
    std::map<std::string, std::size_t> files;
    for (const Submission& submission : found) ++files[submission.row.exercise];
    for (GradeRow& row : found | std::views::transform(&Submission::row))
      if (const std::size_t count = files[row.exercise]; count > 1 && !row.exercise.empty())
        row.notes.push_back("1 of " + grouped(count) + " files");
  }

  const LearnersFolder& learner_;
  const std::vector<KnownExercise>& known_;
  std::size_t entries_ = 0, left_out_ = 0;
};

// Names learners by path if they have the same name, and by numbers if paths look alike.
void make_names_unique(std::vector<LearnersFolder>& learners) {
  std::ranges::sort(learners, {}, &LearnersFolder::path);
  std::map<std::string, int> count;
  for (const LearnersFolder& folder : learners) ++count[folder.learner];
  for (LearnersFolder& folder : learners)
    if (count[folder.learner] > 1) folder.learner = printable(folder.path.string());
  std::set<std::string> taken;
  for (LearnersFolder& folder : learners) folder.learner = unique_name(folder.learner, taken);
}

// Returns whether the folder has a folder for each learner, rather than one learner's files.
bool is_of_class(const fs::path& folder) {
  const auto [files, folders] = loose_files_in(folder);
  return files.empty() || (!folders.empty() && is_file(folder / "class.toml"));
}

LearnersFolder learner_at(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path last = whole.has_filename() ? whole : whole.parent_path();
  const fs::path name = is_archive(last) ? last.stem() : last.filename();
  return {printable(name.string()), path};
}

}  // namespace

std::set<std::string> answer_sheets() {
  std::set<std::string> names;
  for (const Exercise& exercise : all_exercises())
    if (exercise.kind == ExerciseKind::answers) names.insert(exercise.name);
  return names;
}

bool may_belong_to_exercise(const GradeRow& stray, bool is_sheet) {
  return stray.exercise.empty() && stray.state != SubmissionState::missing &&
         !(is_sheet && is_kernel_file(stray.file));
}

std::string unique_name(const std::string& name, std::set<std::string>& taken) {
  std::string unique = name;
  for (int number = 2; !taken.insert(unique).second; ++number) unique = name + "-" + std::to_string(number);
  return unique;
}

LooseFiles loose_files_in(const fs::path& folder) {
  LooseFiles loose;
  std::error_code failed, ignored;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (is_left_out(entry->path())) continue;
    if (is_kernel_file(entry->path())) loose.files.push_back(entry->path());
    if (entry->is_directory(ignored)) loose.folders.push_back(entry->path());
  }
  std::ranges::sort(loose.files);
  return loose;
}

std::vector<LearnersFolder> learners_folders(const std::vector<fs::path>& folders, bool is_of_one_learner) {
  std::error_code failed;
  for (const fs::path& folder : folders)
    if (!fs::is_directory(folder, failed) && !(is_archive(folder) && fs::exists(folder, failed)))
      throw UsageError(
          printable(folder.string()) +
          " is not a folder; gpulab grade takes the learners' folders, or the one that they are in");
  std::vector<LearnersFolder> learners;
  const bool is_class =
      folders.size() == 1 && fs::is_directory(folders.front(), failed) && is_of_class(folders.front());
  if (!is_class) {
    for (const fs::path& folder : folders)
      learners.push_back(
          {learner_at(folder).learner, fs::canonical(folder)});  // a link that the user names is followed
  } else {
    for (fs::directory_iterator entry(folders.front(), failed), end; !failed && entry != end;
         entry.increment(failed))
      if (!is_left_out(entry->path()) && (entry->is_directory(failed) || is_archive(entry->path())))
        learners.push_back(learner_at(entry->path()));
    if (failed)
      throw UsageError(fmt::format("cannot read {}: {}", folders.front().string(), failed.message()));
  }
  if (learners.empty() && is_of_one_learner)
    learners.push_back({learner_at(folders.front()).learner, fs::canonical(folders.front())});
  if (learners.empty())
    throw UsageError("there is neither a kernel file nor a learner's folder in " + folders.front().string());
  make_names_unique(learners);
  std::ranges::sort(learners, is_listed_before, &LearnersFolder::learner);
  return learners;
}

std::vector<Submission> submissions_in(const std::vector<LearnersFolder>& learners,
                                       const std::vector<std::string>& exercises) {
  const std::vector<KnownExercise> known = known_exercises();
  const std::set<std::string> sheets = answer_sheets();
  std::vector<std::vector<Submission>> of_learner;
  std::set<std::string> expected(exercises.begin(), exercises.end());
  for (const LearnersFolder& learner : learners) {
    of_learner.push_back(LearnersFiles(learner, known).found);
    if (exercises.empty())
      for (const Submission& submission : of_learner.back())
        if (submission.row.state == SubmissionState::checked) expected.insert(submission.row.exercise);
  }
  const auto position = [&](const std::string& exercise) {
    return std::ranges::find(known, exercise, name_of_exercise) - known.begin();
  };
  std::vector<Submission> all;
  for (std::size_t i = 0; i < learners.size(); ++i) {
    std::vector<Submission>& found = of_learner[i];
    // The exercise of a misnamed file is a guess. A guess at an unexpected exercise is dropped.
    for (GradeRow& row : found | std::views::transform(&Submission::row))
      if (row.state == SubmissionState::misnamed && !expected.contains(row.exercise)) row.exercise.clear();
    if (!exercises.empty())
      std::erase_if(found, [&](const Submission& submission) {
        return !submission.row.exercise.empty() && !expected.contains(submission.row.exercise);
      });
    const std::vector<Submission> handed_in = found;
    for (const std::string& exercise : expected) {
      const auto is_of_exercise = [&](const Submission& submission) {
        return submission.row.exercise == exercise;
      };
      if (std::ranges::any_of(handed_in, is_of_exercise)) continue;
      const auto stray = std::ranges::find_if(handed_in, [&](const Submission& submission) {
        return may_belong_to_exercise(submission.row, sheets.contains(exercise));
      });
      GradeRow row{.learner = learners[i].learner, .exercise = exercise, .state = SubmissionState::missing};
      if (stray != handed_in.end()) row.notes = {"may be in " + stray->row.file};
      found.push_back({row});
    }
    if (found.empty()) found.push_back({{.learner = learners[i].learner, .state = SubmissionState::missing}});
    std::ranges::stable_sort(found, {},
                             [&](const Submission& submission) { return position(submission.row.exercise); });
    std::ranges::move(found, std::back_inserter(all));
  }
  return all;
}

}  // namespace gpulab::teach
