#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

// A lesson as an instructor plays it to a class: a kernel, a question about it, the run that answers it. The
// steps stand in exercises/LESSON/demo.txt. The answer is never among them: it is computed from the run.

namespace gpulab {

// What a question asks about a run.
struct DemoAnswer {
  enum class Kind {
    result,          // a word: right, wrong, race, defect, out-of-bounds, no-launch, no-compile, fault, leak
    pattern,         // a word: that a wrong result fits, such as unwritten-tail; "none" where it fits none
    check,           // a word: what `gpulab check` says of a file, the pattern or "passes"
    fastest,         // a word: one of the variants
    times_as_fast,   // a number: the time of the second variant over that of the first
    wrong_elements,  // a number
    threads,         // a number: launched
    launches,        // a number
    figure,          // a number: that the lesson shows of the variant
    figure_ratio,    // a number: the figure of the first variant over that of the second
  };

  Kind kind = Kind::result;
  std::vector<std::string> variants;
  std::string figure = {};

  bool is_word() const { return kind <= Kind::fastest; }
  bool is_about_time() const { return kind == Kind::fastest || kind == Kind::times_as_fast; }
};

// Fits a word, or numbers from `least` to less than `below`.
struct DemoChoice {
  std::string word;
  double least = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  std::string text;           // what the class reads
  std::string because = {};   // said when it is the answer
  std::string tempting = {};  // said when it is not: what speaks for it
};

struct DemoQuestion {
  std::string text;
  DemoAnswer answer;
  std::vector<DemoChoice> choices;
};

// Lines that a step changes in the kernel it shows.
struct DemoEdit {
  std::vector<std::string> before, after;
};

struct DemoStep {
  std::string name;                  // may be empty
  std::string text;                  // what there is to know beforehand
  std::string shown;                 // the variant whose kernel is on the screen; empty for none
  std::string since;                 // the variant that it is compared with; empty for none
  std::string kernel = {};           // of its file; empty for the variant's main one
  std::string shown_as = {};         // the kernel's name on the screen, where its own would tell the answer
  std::vector<DemoEdit> edits;       // of the shown kernel, for this step alone
  std::vector<std::string> look_at;  // parts of lines that have to stay on the screen
  std::vector<std::string> run;      // variants; none for a step that only shows something
  std::string with;                  // options of the lesson, as they are typed
  std::string simulated_with;        // the same where there is no GPU
  std::optional<DemoQuestion> question;
  std::string because;  // said after the run, whatever came out
  std::string say;      // to the instructor
  std::string expect;   // what learners answer
  double minutes = 0;
  std::string mistake = {};  // the text of a learner's file to be checked, in place of variants to run
  std::string excerpt = {};  // of it, to be shown; empty: all of it
};

struct Demo {
  std::string lesson;
  std::vector<DemoStep> steps;
};

// One sentence or more about a variant that was run.
struct DemoFinding {
  std::string variant;
  std::string text;
  std::vector<int> lines = {};  // of the kernel file that it names
};

// What a run has shown.
struct DemoReveal {
  std::optional<LessonResult> result;
  std::vector<DemoFinding> findings;  // what the simulator saw when it watched
  std::optional<CheckResult> check;   // of a mistake
  std::string answer;                 // "a race", "36 times as fast"
  std::optional<std::size_t> choice;  // that it fits; none where it fits none
  std::string unknown;                // why there is no answer here; empty where there is one
  std::string basis;                  // "recorded on NVIDIA H200, 2026-11-22"; empty for what was run here
  std::vector<Figure> recorded;       // of each variant, what that basis has
};

// A line of the source on the screen.
struct DemoLine {
  int number = 0;   // of the file; 0 for a line that is gone
  char mark = ' ';  // '~' changed, '+' new, '-' gone, against what the step compares with
  std::string text;
  bool matters = false;
  bool is_named = false;  // by what the run has shown: that matters most
};

// What the screen shows.
struct DemoScene {
  const Demo* demo = nullptr;
  std::size_t step = 0;
  std::string problem;  // "1 048 576 int32 in 256 bins, simulated, seed 42"
  std::string source;   // "shared_histogram.cu, edited 14:03:21"; empty for no source
  std::vector<DemoLine> lines;
  std::vector<unsigned> votes;         // for each choice
  const DemoReveal* reveal = nullptr;  // none before the run
  std::string message;                 // in place of the keys: "running shared"
  bool has_keys = true;
};

}  // namespace gpulab
