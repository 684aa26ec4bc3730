#pragma once

#include <string>
#include <vector>

#include "core/check_result.hpp"
#include "core/exercise_progress.hpp"
#include "core/result.hpp"
#include "core/taken_hint.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// What a check found, for people: the verdict first and, at the end, what to type next. Sentences are no
// longer than the style's width; sources, compilers' messages and commands stay whole, to be copied.
std::string check_text(const CheckResult& result, const TextStyle& style);

// The verdict alone, for one of many that have passed.
std::string check_line(const CheckResult& result, const TextStyle& style);

// How many of several have passed, in one line.
std::string checks_summary(const std::vector<CheckResult>& results);

// Every check, as one document with "schema": "gpulab.check"; null for what is not known.
std::string check_json(const std::vector<CheckResult>& results, ExitCode exit_code);

// What checks the file again: "gpulab check shared_histogram.cu"
std::string check_command(const CheckResult& result);

// What shows the same again, on the simulator; empty for what was never run.
std::string reproduce_command(const CheckResult& result);

// What to do after a check. What failed ends with the file to edit and the command to type then.
std::string next_commands(const CheckResult& result, const TextStyle& style);

// A learner's kernel, the first of the results, beside the lesson's own as they ran on a GPU; empty where
// there was none.
std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style);

// One row for each exercise, and below how many have passed and which is next.
std::string progress_text(const std::vector<ExerciseStanding>& standings, const TextStyle& style);

// Every exercise with its progress, as one document with "schema": "gpulab.progress".
std::string progress_json(const std::vector<ExerciseStanding>& standings);

// Hints as a learner reads them, and the command for what there is after them.
std::string hint_text(const TakenHint& hint, const TextStyle& style);

}  // namespace gpulab::report
