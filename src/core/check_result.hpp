#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gpulab {

enum class Verdict {
  right,
  defect,  // the result is right, but the kernel has a defect that another GPU or another run may show
  wrong,
  unanswered,        // no answer to a question is wrong, but not all are there
  does_not_compile,  // or has another signature than the lesson launches, or is not there
};

// The settings that a kernel was tried with. Options are those that it takes to come to the same settings.
struct TriedWith {
  std::size_t size = 0;  // 0 for a lesson that has none
  std::uint64_t seed = 42;
  std::map<std::string, std::string> options = {};  // the lesson's own, as they are typed

  friend bool operator==(const TriedWith&, const TriedWith&) = default;
};

// What a learner's kernel does right or wrong, in words. Texts are whole sentences or lines, without line
// breaks.
struct CheckResult {
  std::string exercise;  // the lesson: "shared-histogram"
  std::string file;      // as it was given: "shared_histogram.cu"
  Verdict verdict = Verdict::right;
  std::string pattern;                        // "race-shared", "unwritten-tail"; empty when right
  std::string hint;                           // what to look for, given the pattern; may be empty
  std::string summary;                        // what is wrong, in one line
  std::vector<std::string> details;           // where and how it shows: threads, lines, further defects
  std::vector<Difference> first_differences;  // of the result, where it differs
  std::size_t size = 0;                       // work items at which it shows
  unsigned block_size = 0;
  std::string schedule;                 // "forward", "reverse", "preempted"; empty for a GPU
  int line = 0;                         // of the learner's file; 0 when it cannot be told
  std::string source;                   // the text of that line
  std::string compiler_log;             // of a kernel that does not compile
  std::optional<TriedWith> tried_with;  // where it shows, to have it again; none if it was not run
  std::vector<std::string> notes;
  std::vector<VariantResult> on_gpu;  // with a GPU: the learner's kernel, then the lesson's variants, timed
};

// Of several checks, the gravest: 0 when all are right.
ExitCode exit_code_of(const std::vector<CheckResult>& results);

}  // namespace gpulab
