#include <fmt/format.h>

#include "base/text.hpp"
#include "check/checked_kernel.hpp"
#include "check/judging.hpp"
#include "source/statements.hpp"

namespace gpulab::check {
namespace {

void blame_unset_bool(const source::LocalVariable& variable, const source::Code& code, bool was_right,
                      CheckResult& result) {
  result.pattern = unset_variable;
  result.line = code[variable.at].line;
  result.source = line_of(code.whole(), result.line);
  result.summary = fmt::format(
      "'{}' may be used before it has a value: the result is {} if it is false then, and {} if it is true",
      variable.name, was_right ? "right" : "wrong", was_right ? "wrong" : "right");
  result.notes.clear();
}

}  // namespace

void try_unset_bools(const Lesson& lesson, const Trial& trial, device::Device& device,
                     const device::KernelSource& source, const Settings& wrong_at,
                     const CheckResult& unjudged, CheckResult& result) {
  const bool was_right = result.verdict == Verdict::right;
  const source::Code code(source.text);
  for (const source::LocalVariable& variable : source::local_variables(code)) {
    if (variable.type != "bool" || !variable.is_uninitialized_number()) continue;
    device::KernelSource source_with_true = source;
    source_with_true.text.insert(code.end_of(variable.at), " = true");
    CheckedKernel kernel(lesson, source_with_true, device, trial);
    for (const Settings& settings :
         was_right ? check_settings(lesson, kernel.block_size()) : std::vector{wrong_at}) {
      if (!kernel.spent().leaves_room_for(kernel.work_at(settings))) continue;
      CheckResult result_with_true = unjudged;
      const bool is_right = kernel.passes_at(settings, thread_orders()[0], result_with_true);
      if (is_right == was_right) continue;
      if (was_right) result = std::move(result_with_true);
      return blame_unset_bool(variable, code, was_right, result);
    }
  }
}

}  // namespace gpulab::check
