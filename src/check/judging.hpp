#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/settings.hpp"
#include "lesson/finding.hpp"
#include "lesson/result.hpp"
#include "source/code.hpp"

namespace gpulab::run {
class DeviceArrays;
struct WatchedRun;
}  // namespace gpulab::run

namespace gpulab::check {

// Turns what a compiler or a run has shown into what a check says: the pattern, the line and the cause.

// Returns a line, counted from 1, without its indentation; empty if there is none of that number.
std::string line_of(const std::string& text, int number);

// Returns the column, in bytes from 1, in which the text of that line begins; 1 if there is no such line.
int column_of(const std::string& text, int number);

// Returns the pattern of a defect: "race-shared", "out-of-bounds-write".
std::string pattern_of(const Defect& defect);

// A compiler's refusal. The text says what to write; empty if the compiler's own words are all that is known.
struct RefusalInSource {
  std::string pattern, text;
  int line = 0;
};

RefusalInSource refusal_in_source(const Failure& failure, const source::Code& code);

// Makes a line of the text the cause in the result. If it is that of the other thread of a race, the first
// one's line is named beside it.
void blame(const CheckPlace& cause, const source::Code& code, CheckResult& result);

// Blames a slip of the pen in the text of a wrong kernel, such as an if that ends at its semicolon. Returns
// whether there is a slip.
bool blame_slip(const source::Code& code, CheckResult& result);

// Blames any cause that the text shows, a slip too: an unset variable, an array without __shared__, a loop
// that does not end. `wrong` explains a result that is wrong without a defect; null for anything else.
// `misread` is a misread operator, if there is one. Returns whether the text shows a cause.
bool blame_cause(const Lesson& lesson, const source::Code& code, const Explanation* wrong,
                 const std::optional<CheckPlace>& misread, CheckResult& result);

// Names a shift by warpSize, to make a mask, in a lesson that is about warps of 32 and of 64 lanes: the cause
// of a wrong mask, and a defect of a kernel that is right.
void name_shift_by_warp_size(const Lesson& lesson, const source::Code& code, CheckResult& result);

// Returns "'sum' is never set before line 7 adds to it", if that is certain for a variable; otherwise empty.
std::string unset_variable_in(const source::Code& code);

// Remark on a race, from the lines of the kernel file in which it was seen.
struct RaceInSource {
  std::string pattern;  // "race-shared-update"; empty when the lines add nothing
  std::string remark;   // continues the sentence about the race; may be empty
};

RaceInSource race_in_source(const Defect& race, const source::Code& code);

// Returns the first line of a learner's text, counted from 1, in which the number may stand for the size; 0
// if there is none. Ignores numbers of the starter or the course's kernel, and divisors.
int line_with_limit(const Lesson& lesson, const std::string& text, std::uint64_t number);

// Returns whether the text has a for or a while.
bool has_loop(const std::string& text);

// Cause that fits a limit: what follows "right up to size 32 768, wrong beyond".
struct LimitCause {
  std::string text = {};  // ": consistent with ..."; empty if none fits
  int line = 0;           // line of the text with the cause; 0 if unknown
  std::string pattern = "type-limit";
};

LimitCause cause_of_limit(const Lesson& lesson, const std::string& text, std::size_t last_right,
                          unsigned block_size);

// Returns the cause of a limit between two sizes at which all blocks were run; none if nothing fits.
std::optional<LimitCause> cause_of_small_limit(const Lesson& lesson, const std::string& text,
                                               const SizeLimit& limit, unsigned block_size);

// Blames a number in the text if the kernel never uses its last parameter, the size, and what was found fits
// that number. Returns whether it blames one.
bool blame_constant_for_size(const Lesson& lesson, const source::Code& code, CheckResult& result);

// Pattern of a result that is the value of a variable that nobody has set.
constexpr const char* unset_variable = "unset-variable";

// Fills in what is wrong, from a watched run of a kernel with that text: the defects or, without one, the
// result. The run must not be right.
void judge_run(const run::WatchedRun& watched, const run::DeviceArrays& arrays, const std::string& text,
               CheckResult& result);

// Returns whether a report says only what happened, such as an access out of bounds, and not why.
// `is_result_wrong` is true for a report about a wrong result.
bool leaves_cause_open(const CheckResult& result, bool is_result_wrong);

// Fills in the summary, the pattern and the fact of a wrong result.
void judge_wrong_result(const Explanation& wrong, CheckResult& result);

// Says why a launch is wrong though the first launch, with its threads in order, was right. Afterwards that
// first launch was repeated; `is_first_right_again` says whether it was right again.
void judge_later_launch(bool is_first_right_again, CheckResult& result);

// Returns whether the explanation names a cause, not only the kind of the defect.
bool names_cause(const Explanation& wrong);

// Returns whether the cause that a few wrong elements show is a typical one of the lesson, which was computed
// for many elements, too, and did not fit those. Where there are inputs, other inputs have confirmed it.
bool is_refuted(const Explanation& wrong, const Problem& few, const CheckResult& many);

// Returns the explanation whose cause fits most of the wrong results: `wrong`, or one of its others. If no
// cause fits at least two results, and at least half of all, returns the explanation without a cause.
Explanation best_fitting(const Explanation& wrong, const std::vector<Explanation>& all_wrong);

// Fills in what a compiler refused.
void judge_compile_error(const CompileError& error, const device::KernelSource& source, CheckResult& result);

// Fills in the columns of a result's places: those that a compiler reports, else where the text of the line
// begins. Adds the compiler's further messages about the file.
void find_places(const device::KernelSource& source, CheckResult& result);

}  // namespace gpulab::check
