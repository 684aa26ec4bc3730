#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/table.hpp"
#include "check/files.hpp"
#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/run_options.hpp"

namespace gpulab::teach {

// Demos: an instructor plays a lesson to a class. Each step shows a kernel, asks a question about it and runs
// it. The steps are in exercises/LESSON/demo.txt, without the answers, which are computed from the runs.

// Answers that a run can give to a question.
struct DemoAnswer {
  enum class Kind {
    result,          // a word: right, wrong, race, defect, out-of-bounds, no-launch, no-compile, fault, leak
    pattern,         // a word: the pattern of a wrong result, such as unwritten-tail; "none" if it has none
    check,           // a word: what `gpulab check` says of a file, the pattern or "pass"
    fastest,         // a word: one of the variants
    times_as_fast,   // a number: the time of the second variant over that of the first
    wrong_elements,  // a number
    threads,         // a number of launched threads
    launches,        // a number
    figure,          // a number: a figure that the lesson shows of the variant
    figure_ratio,    // a number: the figure of the first variant over that of the second
  };

  Kind kind = Kind::result;
  std::vector<std::string> variants;
  std::string figure = {};

  bool is_word() const { return kind <= Kind::fastest; }
};

// Two times count as equal if their ratio differs from 1 by less than this.
constexpr double as_fast_within = 0.1;

// Returns the words that answer a question about a result: "right", "wrong", "race" ...
std::vector<std::string> words_of_results();

// Choice that fits a word, or numbers from `least` to less than `below`.
struct DemoChoice {
  std::string word;
  double least = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  std::string text;              // what the class reads
  std::string because = {};      // shown if this is the answer
  std::string tempting = {};     // shown if it is not: the reason why one might choose it
  bool is_about_values = false;  // of mistakes: a pattern of wrong results, not of a defect or an error
};

struct DemoQuestion {
  std::string text;
  DemoAnswer answer;
  std::vector<DemoChoice> choices;
};

struct DemoStep {
  std::string name;                // may be empty
  std::string text;                // what the class must know beforehand
  std::string launch = {};         // how the kernel is launched, shown before the text and above the source
  std::string launched_with = {};  // the same in a few words, for the first row
  std::string shown;               // the variant whose kernel is on the screen; empty for none
  std::string compared_with;       // the variant that the shown one is compared with; empty for none
  std::string kernel = {};         // kernel of its file; empty for the variant's main one
  std::string shown_as = {};       // the kernel's name on the screen, if its own gives the answer away
  std::vector<std::string> host = {};        // lines of host code above the kernel
  std::vector<check::TextEdit> edits;        // edits of the shown kernel, for this step alone
  std::vector<std::string> look_at;          // parts of lines that have to stay on the screen
  std::vector<std::string> run;              // variants; none for a step that only shows something
  std::vector<std::string> leaves_out = {};  // figures that are not shown, since a later step asks for them
  std::string with;                          // options of the lesson, as they are typed
  std::string simulated_with;                // the options on a machine without a GPU
  std::optional<DemoQuestion> question;
  std::string because;  // said after the run, whatever the result
  std::string say;      // to the instructor
  std::string expect;   // what learners answer
  double minutes = 0;
  std::string mistake = {};  // the text of a file to be checked, in place of variants to run
  std::string excerpt = {};  // part of it to be shown; empty: all of it
  std::string pattern = {};  // what check is expected to find in it, or check::expected_to_pass
  bool is_main = true;       // of mistakes: whether it is one of the lesson's main ones
};

struct Demo {
  std::string lesson;
  std::string about = {};  // of mistakes: what a class should know of all of them
  std::vector<DemoStep> steps;
};

// Sentences about a variant that was run.
struct DemoFinding {
  std::string variant;
  std::string text;
  std::vector<int> lines = {};  // lines of the kernel file that it names
};

// Findings of a run, and its answer.
struct DemoReveal {
  std::optional<LessonResult> result;
  std::vector<DemoFinding> findings;  // what the watching simulator saw
  std::optional<CheckResult> check;   // the check of a mistake
  std::string answer;                 // "a race", "36 times as fast"
  std::optional<std::size_t> choice;  // the choice that the answer fits, if any
  std::string unknown;                // why there is no answer here; empty if there is one
  std::string basis;                  // "recorded on 2 NVIDIA H200 ..."; empty for what was run here
  std::vector<Figure> recorded;       // figures of each variant that the basis has
};

// Line of the source on the screen.
struct DemoLine {
  int number = 0;   // in the file; 0 for a line that is gone
  char mark = ' ';  // '~' changed, '+' new, '-' gone, against what the step compares with
  std::string text;
  bool matters = false;         // it differs from the base, or the step says to look at it
  bool is_to_look_at = false;   // the step says to look at it
  bool is_beside_gone = false;  // before the vote: next to a line that is gone
  bool is_named = false;        // a finding names it or, before the run, it has to stay on the screen
  bool is_quoted = false;       // a reason has a part of its code
  bool is_apart = false;        // lines of the file are left out above it
};

// Contents of the screen.
struct DemoScene {
  const Demo* demo = nullptr;
  std::size_t step = 0;
  std::string problem;        // "1 048 576 int32 in 256 bins, simulated, seed 42"
  std::string text_is_for;    // the problem of the step's texts, if the size was changed since
  std::string source;         // "shared_histogram.cu, edited 14:03:21"; empty for no source
  std::string compared_with;  // name of what the source is compared with; empty for nothing
  bool is_edited = false;     // by hand, so that the demo's reasons may not fit
  std::vector<DemoLine> lines;
  bool hides_mistake = false;          // the source must not show where the mistake is
  std::vector<unsigned> votes;         // number of votes for each choice
  const DemoReveal* reveal = nullptr;  // none before the run
  std::string message;                 // shown in place of the keys: "running shared"

  const DemoStep& current() const { return demo->steps[step]; }
};

// Figure that GPUs once measured, and what it was measured with.
struct RecordedFigure {
  std::string lesson;
  std::string options;  // "--size 33554432"
  std::string variant;
  Figure figure;
  std::string gpus, date;  // "2 NVIDIA H200", "2026-11-22"
};

// Figures for machines without a GPU, from data/recorded-figures.csv: each lesson at one size, and some with
// other options. script/record-figures writes this file.
class Recorded {
 public:
  // Throws std::logic_error for any other text.
  explicit Recorded(const std::string& csv);

  // Returns a figure; null if it was not recorded. A kernel's time with cold caches is called "seconds".
  // Prefers a figure that was recorded with the options `with`.
  const RecordedFigure* of(const std::string& lesson, const std::string& variant, const std::string& figure,
                           const std::string& with = {}) const;

  // Returns the names of a lesson's figures, without recorded_seconds.
  std::vector<std::string> figures_of(const std::string& lesson) const;

 private:
  std::vector<RecordedFigure> rows_;
};

constexpr const char* recorded_seconds = "seconds";

// Parses a demo such as exercises/LESSON/demo.txt. Throws UsageError, with the line, for what has no meaning:
// an unknown word, a variant that the lesson lacks, choices that overlap. docs/demos.md lists the words.
Demo parse_script(const std::string& text, const Lesson& lesson, const std::string& file);

// Returns the demo that the course has for the lesson.
Demo demo_of(const Lesson& lesson);

// Runs what a step asks for, watches it if the question is about the result, and computes the answer: with a
// GPU from measured times, else from recorded ones. The options have the settings and the kernel files.
// Throws what run_lesson throws.
DemoReveal reveal(const DemoStep& step, const Lesson& lesson, run::RunOptions options, device::Device& device,
                  const Recorded& recorded);

// Returns the lines of the file that the answer's reason, a finding or the check names.
std::set<int> lines_named(const DemoReveal& reveal, const DemoStep& step);

// Returns the reason against a choice after the run: the demo's own or, of a mistake, what check has found.
std::string reason_against(const DemoScene& scene, std::size_t choice);

// Marks the lines that a reason names or whose code it quotes: a reason that the screen shows or, before the
// answer, any.
void mark_quoted(const DemoStep& step, const DemoReveal* reveal, const std::vector<unsigned>& votes,
                 std::vector<DemoLine>& lines);

// Returns the step for a kernel that was edited by hand: only a choice whose text says no more than its word,
// such as "a race", can be the answer, since "wrong: a few elements are missing" may now be false.
DemoStep with_choices_for_any_kernel(DemoStep step);

// Returns the choice that a word or a number fits; none if it fits none.
std::optional<std::size_t> choice_of(const DemoQuestion& question, const std::string& word);
std::optional<std::size_t> choice_of(const DemoQuestion& question, double number);

// Returns the source without its comments, and without the lines that had nothing else.
std::string without_comments(const std::string& source);

// Returns what a class may see of a kernel file before it votes: the kernel and what it uses, under the name
// that the screen has, without comments.
std::string anonymised(const std::string& file_text, const std::string& kernel, const std::string& shown_as);

// Returns the kernel file for an anonymised text that was edited: with the kernel's own name, and below it
// all that was left out.
std::string restored(const std::string& edited_text, const std::string& file_text, const std::string& kernel,
                     const std::string& shown_as);

// Returns a demo of typical mistakes and of files that only look wrong, from easy to hard. Each step shows
// one and asks what `gpulab check` will say; the wrong choices are the patterns of other mistakes. An
// instructor's own exercise has its mistakes in its folder. Throws UsageError if there are none.
Demo mistakes_of(const Exercise& exercise, const std::optional<std::filesystem::path>& folder = {});

// Checks a mistake and computes the answer of its step. Throws what check::check_exercise throws.
DemoReveal reveal_mistake(const DemoStep& step, const Exercise& exercise, const StopToken& stop = {});

// Screens of a demo on a projector: pure functions of what there is to show.

// Kernel as a step of a demo shows it, and what it is compared with.
struct DemoSource {
  std::string text;         // text of the file
  std::string kernel;       // empty: the whole file
  std::string base;         // text of the file to compare with; empty for none
  std::string base_kernel;  // kernel to compare with; the two names count as equal
  std::string shown_as;     // what the kernel is called on the screen; empty for its own name
  std::vector<std::string> look_at;
  bool has_all_used = false;  // all that the kernel uses, with the comments above, and not only to look at
};

// Returns the lines of the kernel, and of the functions that it uses if they have something to look at.
// Leaves out comments above functions, which may give the answer away. Changed lines of a body, and those to
// look at, are marked as those that matter.
std::vector<DemoLine> demo_lines(const DemoSource& source);

// Returns the lines as a class sees them before it votes: without marks, and without the lines that are gone.
// Lines next to these are marked as is_beside_gone. `matters` is kept, so that those lines stay on the
// screen.
std::vector<DemoLine> without_marks(const std::vector<DemoLine>& lines);

// Adds the lines of the file that a finding names and that belong to other kernels.
void add_named(const std::set<int>& named, const std::string& text, std::vector<DemoLine>& lines);

// Marks the lines that differ from the text before an edit as those that matter: they stay on the screen.
void keep_edited(const std::string& text, const std::string& before, std::vector<DemoLine>& lines);

// Marks lines of the kernel that stay on the screen: the first and, unless the file is a program, those that
// call other functions of the file. A function without its kernel would tell that the mistake is there.
void keep_calls(const std::string& text, ExerciseKind kind, std::vector<DemoLine>& lines);

// Returns the lines without comments, which may tell the answer, and without those that have nothing else.
std::vector<DemoLine> without_comments(const std::vector<DemoLine>& lines);

// Returns the lines that fit into `rows` rows of that width, as they are shown: number, mark, text. Lines
// that matter stay, and "..." marks gaps. The other lines are those around them or, with points_at_nothing,
// those of whole functions where possible, so that the choice of lines does not tell which ones matter. Lines
// that are gone of a mistake matter as much as what is there instead.
enum class SourceCut { around_what_matters, around_a_mistake, points_at_nothing };
std::vector<std::string> demo_source_rows(const std::vector<DemoLine>& lines, std::size_t width,
                                          std::size_t rows, SourceCut cut = SourceCut::around_what_matters);

// Returns what the exercise's starter says of the kernel, without what there is to do; empty for a sheet.
std::string task_text(const Exercise& exercise);

// Returns all lines with their numbers, coloured as source text.
std::string whole_source_text(const std::vector<DemoLine>& lines, const TextStyle& style);

// Returns the whole screen: at most `rows` rows, each at most as wide as the style. From 120 columns on, the
// source is shown beside the rest.
std::vector<std::string> demo_screen(const DemoScene& scene, const TextStyle& style, std::size_t rows);

// Returns the whole scene as text for a log. The tables of the run may be left to another report.
enum class Tables { shown, left_out };
std::string demo_text(const DemoScene& scene, const TextStyle& style, Tables tables = Tables::shown);

// Returns the step's name for the instructor: of a mistake, the file's name, which would tell a class too
// much.
std::string name_of(const DemoStep& step);

// Returns a list of the steps: number, name, question.
std::string demo_steps_text(const Demo& demo, const TextStyle& style);

// Returns what the instructor may say at a step, as text to be appended to a file. Leaves the demo's reason
// for the answer out if the kernel was edited.
std::string demo_notes(const Demo& demo, std::size_t step, const DemoReveal* reveal, bool is_edited = false);

// Returns the keys, each with what it does.
std::string demo_keys_text();

// Line of a demo's screen. It has one ink, so that two can stand beside each other.
struct ScreenLine {
  // Part that a line belongs to. If there are few rows, whole parts are left out.
  enum class Part {
    other,
    question,
    spare_choice,  // a wrong one that nobody has voted for
    choice,
    verdict,
    about_a_choice,
    more_about_a_choice,
    result,
    head_of_table,
    spare_table  // of right variants alone, without times
  };

  std::string text;
  Ink ink = Ink::plain;
  Part part = Part::other;
  std::optional<std::size_t> choice = {};  // that it is about, with its votes
  unsigned votes = 0;
};
using ScreenLines = std::vector<ScreenLine>;

// Returns the result of the run: edited kernels are called so, and a wrong one is not "as expected".
LessonResult result_for_class(const DemoScene& scene);

// Returns the number of votes for all choices.
unsigned votes_of(const DemoScene& scene);

enum class Space { ample, tight, scarce };

// Returns the text beside the source, in lines of that width: the question and, after the run, its answer. Of
// an edited kernel there is only the answer. In tight space, a choice has one line after the run, and wrong
// choices without votes have no reason. In scarce space, there is only the question before the run.
ScreenLines question_and_answer(const DemoScene& scene, std::size_t width, Space space = Space::ample);

// Returns the answer alone, with the tables of the run. If the tables are left to another report, begins with
// the question and all choices. If nobody has voted, all wrong choices have their reasons in ample space.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width, Tables tables = Tables::shown,
                        Space space = Space::ample);

}  // namespace gpulab::teach
