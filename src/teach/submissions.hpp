#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/table.hpp"
#include "check/progress.hpp"
#include "lesson/exercise.hpp"
#include "lesson/result.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::teach {

// Results for the files that a class has handed in.

// State of what a learner has handed in, or has not.
enum class SubmissionState {
  checked,
  missing,      // not handed in
  misnamed,     // neither its name nor its kernels say which exercise it is
  empty,        // nothing but blanks and comments
  unreadable,   // no permission, no text, too large, a link
  archive,      // to be unpacked first
  not_checked,  // the check did not finish, or does not judge it, since the simulator lacks what it needs
};

struct GradeRow {
  std::string learner;   // the name of the folder
  std::string exercise;  // the lesson; empty if unknown
  std::string file;      // in that folder; empty for what is missing
  std::string hash;      // hash of its text; empty if it was not read
  SubmissionState state = SubmissionState::checked;
  Verdict verdict = Verdict::right;  // this and the next four: only of what was checked
  std::string pattern;
  int line = 0;
  double seconds = 0;
  double score = 0;  // part of the points: 1 for what has passed, or the part of a sheet that is right
  std::int64_t modified = 0;  // when the file was saved, in seconds since 1970; 0 if unknown
  bool is_late = false;       // saved after the deadline
  std::string feedback;       // text that check prints
  std::string summary;        // reason why it is wrong or was not checked, in a sentence
  std::vector<std::string> notes;
};

// Files of an exercise with the same tokens, apart from comments, blanks and names of their own.
struct EqualFiles {
  enum class To { each_other, the_starter, the_solution };

  std::string exercise;
  To to = To::each_other;
  std::vector<std::string> learners;
};

// Deadline of a single learner, in seconds since 1970.
struct OwnDeadline {
  std::int64_t at = 0;
  std::string place;  // "class.toml, line 7: "
};

// Points of an exercise. Times are in seconds since 1970.
struct ExerciseRule {
  std::string exercise;
  double points = 1;
  std::optional<std::int64_t> deadline = {};
  double late_factor = 0;  // part of the points for what was saved after the deadline
  std::map<std::string, OwnDeadline> deadlines = {};  // by folder
};

// Contents of class.toml, which an instructor writes.
struct ClassRules {
  std::vector<ExerciseRule> exercises;          // in the order of the file; none: all that were handed in
  std::map<std::string, std::string> learners;  // names to show, by folder
};

// Parses class.toml. Throws UsageError, with the file and the line, for what has no meaning.
ClassRules parse_class_rules(const std::string& text, const std::string& file);

// Returns the folder of the instructor's own exercises that class.toml names; empty for none. They have to be
// in use before the rest is parsed.
std::string exercises_folder_in(const std::string& text, const std::string& file);

// Returns a class.toml to begin with: a point for each exercise, the learners' folders and, unless it is
// empty, the folder of the instructor's own exercises.
std::string class_rules_text(const std::vector<std::string>& exercises,
                             const std::vector<std::string>& learners, const std::string& folder);

struct GradeResult {
  BuildFacts build;
  std::vector<GradeRow> rows;  // by learner, then in the order of the course
  std::vector<EqualFiles> equal = {};
  std::uint64_t seed = 0;  // seed of the settings that the checks used
  ClassRules rules = {};
};

// State of a learner who shares their progress. Times are in seconds since 1970.
struct LearnerStatus {
  std::string learner;
  std::string exercise;       // checked last; empty before the first check
  ExerciseProgress progress;  // progress in that exercise
  std::int64_t since = 0;     // time of the first check since which all were of this exercise
  std::int64_t checked = 0;   // time of the last check
  std::size_t passed = 0;     // exercises that count

  unsigned same_checks = 0;     // how many of the latest checks in a row had the same pattern
  std::int64_t same_since = 0;  // time of the first of these

  // Three quick saves are no sign of trouble; three checks over some minutes are.
  bool is_stuck() const {
    constexpr std::int64_t min_s = 5 * 60;
    return !progress.last_pattern.empty() && same_checks >= 3 && checked - same_since >= min_s;
  }
};

// Learners at an exercise.
struct ExerciseStatus {
  std::string exercise;
  std::size_t started = 0, passed = 0, stuck = 0;
  std::map<std::string, std::size_t> patterns = {};  // how many had it in their last check
};

struct ClassResult {
  std::string folder;
  std::int64_t now = 0;
  std::size_t exercises = 0;            // those that count
  std::vector<LearnerStatus> learners;  // those who have been stuck for longest come first
  std::vector<ExerciseStatus> started;  // those where most are stuck, or have not passed, come first
  std::size_t not_read = 0;             // too many, or unreadable
  std::size_t elsewhere = 0;            // learners at exercises that are not in use here
};

// Returns the pattern that most learners have in the exercise, and how many; an empty one if there is none.
std::pair<std::string, std::size_t> most_frequent_pattern(const ExerciseStatus& exercise);

// Returns where the class is, in at most max_lines lines: a row for each exercise, then a row for each
// learner and, for those who have no room, the names alone.
std::vector<std::string> class_lines(const ClassResult& result, const TextStyle& style,
                                     std::size_t max_lines);

// Returns everybody in one document with "schema": "gpulab.class".
std::string class_json(const ClassResult& result);

// Returns "passed", "does_not_compile", "missing": the names of verdicts for scripts.
std::string verdict_of(const GradeRow& row);

// Lists each file and what is missing, in a row each; then which files are equal, and how many have passed.
std::string grade_text(const GradeResult& result, const TextStyle& style);

// Cell of the matrix of learners and exercises: of several files, the one with the most points.
struct GradeCell {
  const GradeRow* row = nullptr;
  double points = 0;
};

// Returns the names of the exercises whose file is a sheet of answers.
std::set<std::string> answer_sheets();

// Returns whether a file whose exercise is unknown may belong to an exercise. Any file may, except a kernel
// file if the exercise wants a sheet of answers (`is_sheet`).
bool may_belong_to_exercise(const GradeRow& stray, bool is_sheet);

// Returns whether the points are known: a check has found them, or the file is empty.
inline bool has_points(const GradeCell& cell) {
  return cell.row && !cell.row->exercise.empty() &&
         (cell.row->state == SubmissionState::checked || cell.row->state == SubmissionState::empty);
}

struct LearnerGrade {
  std::string learner, name;  // name to show: the folder's, unless class.toml has one
  std::size_t passed = 0;     // exercises
  double points = 0;
  double unjudged = 0;                // points at most for files that could not be judged
  std::vector<GradeCell> cells = {};  // one for each exercise
};

// Matrix of learners and exercises. It points into the result.
struct GradeMatrix {
  std::vector<ExerciseRule> exercises;  // in the order of the course
  std::vector<LearnerGrade> learners;   // in the order of the rows
  std::vector<double> means;            // part of the points that the class has, for each exercise
  double possible = 0;                  // points
  double mean = 0;                      // part of the points that the class has
};

GradeMatrix matrix_of(const GradeResult& result);

// Returns "1 learner", "2 learners".
std::string counted(std::size_t number, const char* what);

// Formats points with at most two decimals: "4", "2.5".
std::string points_text(double points);

// Returns the learner's name to show.
std::string shown_name(const GradeResult& result, const std::string& learner);

// Returns the rule of an exercise; the usual one where class.toml has none.
ExerciseRule rule_of(const GradeResult& result, const std::string& exercise);

// Returns whether a deadline takes points from the file; not if it has none anyway.
inline bool loses_points(const GradeRow& row) {
  return row.is_late && (row.state != SubmissionState::checked || row.score > 0);
}

// Returns the points of one file.
double points_of(const GradeRow& row, const ExerciseRule& rule);

bool has_passed(const GradeRow& row);

// Begins a note of check that says of a right file what to improve.
constexpr const char* right_and_yet = "right, and yet ";
inline bool is_of_check(const std::string& note) {
  return note.starts_with(right_and_yet);
}
inline bool has_remark(const GradeRow& row) {
  return std::ranges::any_of(row.notes, is_of_check);
}

// Returns the rows for spreadsheets, below a line of titles. No learner's words become a formula there.
std::string grade_csv(const GradeResult& result);

// Returns the matrix for spreadsheets: a line for each learner, with the points of each exercise.
std::string matrix_csv(const GradeResult& result);

// Returns the heading of a web page, and its text: the matrix and, below, what check says of each file.
std::string grade_page_heading(const GradeResult& result);
std::string grade_page(const GradeResult& result);

// Returns a JUnit suite for each learner, by the name to show, with a case for each file. A missing file is a
// skipped case; a late one says so, with its points.
std::string grade_junit(const GradeResult& result);

// Returns Gradescope's results.json for one learner, with the points of class.toml.
std::string grade_gradescope(const GradeResult& result);

// Returns what a learner gets to read: the points and, for each exercise, what check says, in lines of 80
// columns.
std::string feedback_text(const LearnerGrade& grade, const GradeMatrix& matrix,
                          const std::vector<const GradeRow*>& rows);

// Returns "late, which leaves 50 %" if that costs points, else nothing.
std::string lateness_of(const GradeRow& row, const ExerciseRule& rule);

// Returns what check prints, for a row: without control characters, and of limited length.
std::string feedback_of(const CheckResult& result);

// Returns one document that matches data/gpulab-grade.schema.json, even before every row is checked. It has
// what read_grade_json needs to resume.
std::string grade_json(const GradeResult& result, bool is_complete);

// Reads the build and the rows of such a document. Throws UsageError, which names the file, for another text.
GradeResult read_grade_json(const std::string& text, const std::string& file);

// Sharing: learners show an instructor how far they are, by a folder that both can reach. Anybody may write
// anything there.

struct SharedFile {
  std::filesystem::path file;
  std::string name;
  bool has_namesakes = false;  // whether others share under the same name
};

// Shares the progress in the folder from now on, under that name or, if it is empty, the user's, and records
// this in the progress file. Each folder has a shared file of its own, which then exists. Throws UsageError
// if the shared folder is not a folder or cannot be written to, or the name is not allowed.
SharedFile start_sharing(const std::filesystem::path& folder, const std::string& shared_folder,
                         const std::string& name);

// Stops sharing and removes the shared file. Returns whether anything was shared.
bool stop_sharing(const std::filesystem::path& folder);

// Writes the shared file, whole or not at all, if the learner shares. Throws UsageError if it cannot.
void share(const check::Progress& progress);

// Returns everybody who shares their progress in the folder. The exercises of the rules count, all if they
// have none. Throws UsageError for what is not a folder.
ClassResult class_in(const std::filesystem::path& shared_folder, const ClassRules& rules = {});

// Properties by which a file's exercise is recognised.
struct KnownExercise {
  Exercise exercise;
  std::vector<std::string> names;   // "shared-histogram", "histogram"
  std::string kernel;               // kernel that it must define; empty for questions
  std::set<std::string> questions;  // their names; none for a kernel
};

// Returns the exercises in the order of the course.
std::vector<KnownExercise> known_exercises();

// Returns "shared_histogram.cu" for shared_histogram.1.cu, as gpulab start --again names its copies, and
// other names as they are.
std::string without_number(const std::string& name);

// Returns the exercise whose file has that name, numbered or not; empty for none.
std::string exercise_from_file_name(const std::filesystem::path& file,
                                    const std::vector<KnownExercise>& known);

// Returns the exercises whose kernels the text defines, or most of whose questions it has.
std::vector<std::string> exercises_recognised_in(const std::string& text,
                                                 const std::vector<KnownExercise>& known);

// Returns the exercise whose name is most like that of the file, "Histogram final (1).cu"; empty for none.
std::string guess_exercise_from_name(const std::filesystem::path& file,
                                     const std::vector<KnownExercise>& known);

std::string in_lower_case(std::string text);

// Row to be filled in, and what is in its file.
struct Submission {
  GradeRow row;
  std::string text = {};
};

// Learner's folder, and the name of the learner.
struct LearnersFolder {
  std::string learner;
  std::filesystem::path path;
};

// Returns a line that names the learners of class.toml who have no folder: they have handed in nothing, or
// the name is mistyped. Returns an empty text if all have one.
std::string learners_without_folder(const ClassRules& rules, const std::vector<LearnersFolder>& learners);

// Returns the name, with a number if it is taken, and takes it.
std::string unique_name(const std::string& name, std::set<std::string>& taken);

// Returns the learners' folders, sorted by name. Each of several folders is a learner's. A single folder has
// a folder for each learner or, if it has kernel files but no class.toml beside them, is one learner's.
// Throws UsageError for what is not a folder and, unless `is_of_one_learner`, for a folder without any files.
std::vector<LearnersFolder> learners_folders(const std::vector<std::filesystem::path>& folders,
                                             bool is_of_one_learner = false);

// Kernel files that lie in a folder itself, not below it, and the folders in it.
struct LooseFiles {
  std::vector<std::filesystem::path> files, folders;
};
LooseFiles loose_files_in(const std::filesystem::path& folder);

// Returns rows for the files in these folders and below, in the order of the course, with the texts of those
// to be checked, and rows for what is missing. A learner without a folder has handed in nothing. The
// exercises are those that are asked for or, if none are, those that anybody has handed in. Writes nothing,
// and follows no link. A file's exercise is recognised by its name, else by the kernels that it defines, or
// the questions in it.
std::vector<Submission> submissions_in(const std::vector<LearnersFolder>& learners,
                                       const std::vector<std::string>& exercises);

struct CheckRequest {
  unsigned jobs = 1;  // processes at once
  sandbox::Mode sandbox = sandbox::Mode::require;
  // Limit of a check and all that it starts, in wall-clock time; each part has its own limit, too.
  double time_limit_s = 1200;
  // Seed of the settings that the checks use. Learners do not know it, so no file can be fitted to those.
  std::uint64_t seed = 0;
  StopToken stop = {};  // ends the checks that run, and begins no other
};

// Checks each submission in a process of its own, on the simulator alone, and fills in its row. A process
// that dies, or is stopped, leaves a row that says so, and the rest goes on. Calls `done` after each, with
// the check's result or, without one, null. Throws Error with ExitCode::device for sandbox::Mode::require if
// this machine cannot confine, and WorkStopped. This process must have no threads.
void check_submissions(const std::vector<Submission*>& submissions, const CheckRequest& request,
                       const std::function<void(Submission&, const CheckResult*)>& done);

// Minimum number of tokens beyond the starter for a file to be compared with others. The shortest right
// kernels have up to 39, and different people arrive at the same ones. The next longer ones have 67.
constexpr std::size_t min_own_tokens = 50;

// Returns the text's tokens without comments, blanks and #include lines, and with "$1", "$2" ... for the
// names that are the text's own: those of variables, types and the functions that it defines.
std::vector<std::string> tokens_without_own_names(const std::string& text);

// Returns, exercise by exercise, the kernel files whose tokens_without_own_names() equal each other's, the
// starter's, or those of the course's solution, which `solution_of` returns as text.
std::vector<EqualFiles> equal_submissions(const std::vector<Submission>& submissions,
                                          const std::function<std::string(const Exercise&)>& solution_of);

}  // namespace gpulab::teach
