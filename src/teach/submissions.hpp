#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "check/progress.hpp"
#include "lesson/exercise.hpp"
#include "lesson/result.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::teach {

// What comes of the files that a class has handed in.

// What could be done with a file, or why there is none.
enum class Handed {
  checked,
  missing,      // nobody has handed it in who should have
  misnamed,     // neither its name nor its kernels say which exercise it is
  empty,        // nothing but blanks and comments
  unreadable,   // no permission, no text, too large, a link
  archive,      // to be unpacked first
  not_checked,  // the check itself came to no end
};

struct GradeRow {
  std::string learner;   // the name of the folder
  std::string exercise;  // the lesson; empty where that cannot be told
  std::string file;      // in that folder; empty for what is missing
  std::string hash;      // of what was in it; empty for what was not read
  Handed handed = Handed::checked;
  Verdict verdict = Verdict::right;  // of what was checked, as are the next five
  std::string pattern;
  int line = 0;
  double seconds = 0;
  std::string feedback;  // what check prints
  std::string summary;   // what is wrong, in a sentence; of what was not checked, why
  std::vector<std::string> notes;
};

// Files of an exercise that have the same tokens when comments, blanks and names of their own are left aside.
struct EqualFiles {
  enum class To { each_other, the_starter, the_solution };

  std::string exercise;
  To to = To::each_other;
  std::vector<std::string> learners;
};

struct GradeResult {
  BuildFacts build;
  std::vector<GradeRow> rows;  // by learner, then in the order of the course
  std::vector<EqualFiles> equal = {};
  std::uint64_t seed = 0;  // that the settings to check with were drawn with
};

// Where a learner is who shares that. Times are in seconds since 1970.
struct LearnersPlace {
  std::string learner;
  std::string exercise;       // checked last; empty before the first check
  ExerciseProgress progress;  // with that one
  std::int64_t since = 0;     // the first of the checks of it, one after another
  std::int64_t checked = 0;   // the last check
  std::size_t passed = 0;     // exercises

  bool is_stuck() const { return !progress.last_pattern.empty(); }
};

struct ClassResult {
  std::string folder;
  std::int64_t now = 0;
  std::size_t exercises = 0;            // of the course
  std::vector<LearnersPlace> learners;  // who has been at something unsolved for longest first
  std::size_t not_read = 0;             // beyond the most that are read, or unreadable
};

// Who is where, in so many lines at most: a heading, a row for each learner and, at the end, how many more
// there are and what most are stuck at.
std::vector<std::string> class_lines(const ClassResult& result, const TextStyle& style,
                                     std::size_t most_lines);

// Everybody, as one document with "schema": "gpulab.class".
std::string class_json(const ClassResult& result);

// "passed", "does_not_compile", "missing": what scripts know the row by.
std::string verdict_of(const GradeRow& row);

// One row for each file and for what is missing; then which files are equal, and how many have passed.
std::string grade_text(const GradeResult& result, const TextStyle& style);

// The same rows for spreadsheets, a line of names first. Learners' words cannot become formulas there.
std::string grade_csv(const GradeResult& result);

// What a learner gets to read: for each exercise what check says, in lines of 80 columns.
std::string feedback_text(const std::string& learner, const std::vector<const GradeRow*>& rows);

// What check prints, as it stands in a row: without control characters, and with an end.
std::string feedback_of(const CheckResult& result);

// One document that matches data/gpulab-grade.schema.json, also before every row is checked. It has what
// read_grade_json needs to go on.
std::string grade_json(const GradeResult& result, bool is_complete);

// The build and the rows of such a document. Throws UsageError, which names the file, for anything else.
GradeResult read_grade_json(const std::string& text, const std::string& file);

// Learners who want to let an instructor see how far they are, by a folder that both can reach. Anybody may
// write anything there.

// From now on the progress in the folder is shared under that name or, where it is empty, the user's; it is
// remembered in the progress file. Returns the file, which is then there. Throws UsageError for what is no
// folder, cannot be written to, or is no name.
std::filesystem::path start_sharing(const std::filesystem::path& folder, const std::string& shared_folder,
                                    const std::string& name);

// Takes the shared file away, too. Returns whether anything was shared.
bool stop_sharing(const std::filesystem::path& folder);

// Writes the shared file, whole or not at all, where that was asked for. Throws UsageError where it cannot.
void share(const check::Progress& progress);

// Everybody who shares their progress in the folder. Throws UsageError for what is no folder.
ClassResult class_in(const std::filesystem::path& shared_folder);

// By what a file says which exercise it is, whatever it is called.

struct KnownExercise {
  Exercise exercise;
  std::vector<std::string> names;   // "shared-histogram", "histogram"
  std::string kernel;               // that it must define; empty for questions
  std::set<std::string> questions;  // their headings; none for a kernel
};

// In the order of the course.
std::vector<KnownExercise> known_exercises();

// "shared_histogram.cu" of shared_histogram.1.cu, as gpulab reset names what it keeps; other names as they
// are.
std::string without_number(const std::string& name);

// The exercise whose file has that name, numbered or not; empty for none.
std::string told_by_name(const std::filesystem::path& file, const std::vector<KnownExercise>& known);

// The exercises whose kernels the text defines, or most of whose questions stand in it.
std::vector<std::string> told_by_text(const std::string& text, const std::vector<KnownExercise>& known);

// The exercise that a name such as "Histogram final (1).cu" is like; empty for none.
std::string meant_by_name(const std::filesystem::path& file, const std::vector<KnownExercise>& known);

std::string in_lower_case(std::string text);

// A row to be filled in, and what is in its file.
struct Submission {
  GradeRow row;
  std::string text = {};
};

// A learner's folder, and the name that it is called by.
struct LearnersFolder {
  std::string learner;
  std::filesystem::path path;
};

// The name, with a number where it is taken; it is taken from now on.
std::string unique_name(const std::string& name, std::set<std::string>& taken);

// Several folders are a learner's each. A single one is a class, with a folder for each learner, unless it
// has kernel files itself: then it is one learner's. Sorted by name. Throws UsageError for what is no folder.
std::vector<LearnersFolder> learners_folders(const std::vector<std::filesystem::path>& folders);

// What is in these folders, and the folders in them: rows for the files, in the order of the course, of which
// those to be checked have their texts, and rows for what is missing. The exercises are those that are asked
// for or, where none are, those that anybody has handed in. Nothing is written, and no link is followed. A
// file's exercise is told by its name, else by the kernels that it defines, or the questions in it.
std::vector<Submission> submissions_in(const std::vector<LearnersFolder>& learners,
                                       const std::vector<std::string>& exercises);

struct CheckRequest {
  unsigned jobs = 1;  // processes at once
  sandbox::Mode sandbox = sandbox::Mode::require;
  // For a check and all that it starts, by the clock on the wall; each part of it has a limit of its own.
  double time_limit_s = 120;
  // To draw settings with. Learners do not know it, so none of their texts can choose what it is checked
  // with.
  std::uint64_t seed = 0;
};

// Checks each of them in a process of its own, on the simulator alone, and fills in its row. A process that
// dies, or is stopped, leaves a row that says so, and the rest goes on. Calls done after each, with what
// check found, or null. Throws Error, with the code of a device, for sandbox::Mode::require where this
// machine cannot confine. This process must have no threads.
void check_submissions(const std::vector<Submission*>& submissions, const CheckRequest& request,
                       const std::function<void(Submission&, const CheckResult*)>& done);

// A file that has fewer tokens than these beyond its starter is compared with no other: the shortest right
// kernels have up to 39, and people arrive at the same ones by themselves. The next longer ones have 67.
constexpr std::size_t min_own_tokens = 50;

// The text's tokens without comments, blanks and #include lines, and with "$1", "$2" ... for the names that
// are the text's own: those of variables, types and the functions that it defines.
std::vector<std::string> tokens_without_own_names(const std::string& text);

// Kernel files with the same such tokens, exercise by exercise: as each other, as the starter, or as the
// course's solution, whose text the function gives.
std::vector<EqualFiles> equal_submissions(const std::vector<Submission>& submissions,
                                          const std::function<std::string(const Exercise&)>& solution_of);

}  // namespace gpulab::teach
