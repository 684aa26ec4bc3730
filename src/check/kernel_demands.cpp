#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/checked_kernel.hpp"
#include "lesson/demands.hpp"
#include "run/run_options.hpp"
#include "source/statements.hpp"

namespace gpulab::check {
namespace {

// Returns the token of a variable of the file that is declared with __device__ alone, so that it lies in
// global memory; code.size() if there is none of that name.
std::size_t variable_in_global_memory(const source::Code& code, std::string_view name) {
  for (std::size_t begin = 0; begin < code.size(); ++begin) {
    const bool is_constant = begin > 0 && code.text(begin - 1) == "__constant__";
    if (code.text(begin) != "__device__" || is_constant) continue;
    std::size_t at = begin;
    while (at < code.size() && code.text(at) != name && code.text(at) != ";" && code.text(at) != "(" &&
           code.text(at) != "__constant__")
      ++at;
    if (code.text(at) == name) return at;
  }
  return code.size();
}

// Tests what an exercise asks for besides right results.
class DemandTest {
 public:
  DemandTest(const Lesson& lesson, const Trial& trial, device::Device& device, CheckedKernel& kernel,
             CheckResult& result)
      : lesson_(lesson), trial_(trial), device_(device), kernel_(kernel), result_(result) {}

  void test_counts() {
    const std::vector<Settings> all = check_settings(lesson_, kernel_.block_size());
    const auto work = [&](const Settings& candidate) {  // prefers problems in which whole warps work
      return std::pair(lesson_.problem(candidate).work_items().volume() < 1024, kernel_.work_at(candidate));
    };
    Settings settings = lesson_.has_size() ? all.front() : *std::ranges::min_element(all, {}, work);
    if (lesson_.has_size()) settings.size = lesson_.counted_size;
    const std::optional<KernelRecord> record = kernel_.counted(settings);
    if (!record || refuse_repeated_work(*record, settings)) return;
    for (const Demand<KernelRecord>& demand : lesson_.demands)
      if (const auto violation = demand.violation(*record); violation && result_.verdict == Verdict::right)
        judge(demand, *violation, settings);
    note(constant_in_global_memory());
    note(useless_statement());
    note(uncoalesced_accesses(*record));
    note_loop_of_one_lane(*record, settings);
    note(stores_at_one_address(*record));
    if (is_without_remark() && may_repeat_accesses(*record))
      if (const std::optional<KernelRecord> of_solution = counted_solution(settings)) {
        note(repeated_accesses(*record, *of_solution));
        note(repeated_stores(*record, *of_solution));
      }
  }

  void note_constant_for_block(CheckResult unjudged) {
    const unsigned usual = kernel_.block_size(), smaller = usual / 2;
    const source::Code code(kernel_.text());
    for (std::size_t at = 0; at < code.size() && is_without_remark(); ++at)
      if (code.text(at) == "/" && code.text(at + 1) == std::to_string(usual) && code.text(at + 2) == "]")
        return result_.notes.push_back(fmt::format(
            "right, and yet only in blocks of {} threads: blockIdx.x is the number of the block, and "
            "line {} computes it",
            usual, code[at].line));
    const bool any_size = run::find_variant(lesson_, lesson_.solution).block.multiple_of == 1;
    if (!any_size || smaller < 32 || !lesson_.checked_blocks.empty()) return;
    kernel_.set_block_size(smaller);
    const bool right =
        kernel_.passes_at(check_settings(lesson_, smaller).front(), thread_orders()[0], unjudged);
    // Small blocks do more of the work that each block repeats.
    const bool is_stopped = unjudged.defect && unjudged.defect->kind == DefectKind::too_many_accesses;
    if (!right && !is_stopped)
      result_.notes.push_back(fmt::format(
          "right, and yet only in blocks of {} threads: in blocks of {} it is wrong. blockDim.x says how many there are",
          usual, smaller));
    kernel_.set_block_size(usual);
  }

 private:
  bool is_without_remark() const { return result_.notes.empty() && result_.summary.empty(); }

  void note(const std::optional<ProgramFinding>& finding) {
    if (finding && is_without_remark()) result_.notes.push_back("right, and yet " + finding->text);
  }

  // Notes what one thread does alone, unless one of the solution does so, too.
  void note_loop_of_one_lane(const KernelRecord& record, const Settings& settings) {
    const std::optional<ProgramFinding> loop = loop_of_one_lane(record);
    if (!loop || !is_without_remark()) return;
    const std::optional<KernelRecord> of_solution = counted_solution(settings);
    if (!of_solution || !loop_of_one_lane(*of_solution)) note(loop);
  }

  // Finds a variable that the host fills, which the course's kernel has in constant memory.
  std::optional<ProgramFinding> constant_in_global_memory() const {
    const source::Code code(kernel_.text());
    for (const Symbol& filled : run::find_variant(lesson_, lesson_.solution).symbols)
      if (const std::size_t at = variable_in_global_memory(code, filled.name); at < code.size())
        return ProgramFinding{
            .text = fmt::format("line {} has '{}' in global memory: __constant__ in place of __device__",
                                code[at].line, filled.name)};
    return std::nullopt;
  }

  // Finds memory that nothing frees, or a loop that only counts.
  std::optional<ProgramFinding> useless_statement() const {
    const source::Code code(kernel_.text());
    for (std::size_t at = 0; at < code.size(); ++at) {
      const std::size_t close = code.matching(at + 1);
      if (code.text(at) == "malloc" && !source::has_word(code, "free", at, code.size()))
        return ProgramFinding{.text = fmt::format("nothing frees what line {} allocates", code[at].line)};
      if (code.text(at) == "for" && code.text(at + 2) == "int" && code.text(close + 1) == ";")
        return ProgramFinding{
            .text = fmt::format("the loop in line {} does nothing: it ends at the semicolon", code[at].line)};
    }
    return std::nullopt;
  }

  std::optional<KernelRecord> counted_solution(const Settings& settings) {
    const Variant& solution = run::find_variant(lesson_, lesson_.solution);
    const device::KernelSource source = run::KernelFiles(lesson_, std::nullopt).of(solution);
    return CheckedKernel(lesson_, source, device_, trial_).counted(settings);
  }

  // Refuses a kernel in which each block does the work of all: a loop in the text shows that, and the kernel
  // stores more often than there are elements. Returns whether the kernel was refused.
  bool refuse_repeated_work(const KernelRecord& record, const Settings& settings) {
    const source::Code code(kernel_.text());
    for (const LineAccesses& accesses : record.counts.lines) {
      if (accesses.kind != AccessKind::global_store || accesses.sums.active_lanes <= record.size) continue;
      const Cause loop = repeated_loop(code, source::local_variables(code), accesses.line);
      if (!loop) continue;
      result_.verdict = Verdict::defect;
      blame(*loop, code, result_);
      add_settings(settings);
      return true;
    }
    return false;
  }

  void add_settings(const Settings& settings) {
    result_.size = settings.size;
    result_.block_size = kernel_.block_size();
    result_.tried_with = tried_with(lesson_, kernel_.block_size(), settings);
  }

  void judge(const Demand<KernelRecord>& demand, const ProgramFinding& violation, const Settings& settings) {
    const std::string asked = "asked for: " + demand.sentence;
    if (demand.is_note) {
      result_.summary = fmt::format("right, and yet {}; {}", violation.text, asked);
      return;
    }
    result_.verdict = Verdict::defect;
    result_.pattern = demand.pattern;
    result_.summary = violation.text;
    result_.notes.push_back(asked);
    result_.line = violation.place.line;
    const source::Code code(kernel_.text());
    for (std::size_t at = 0; at < code.size() && demand.pattern == std::string_view("diverging-lanes"); ++at)
      if (code.text(at) == "if" && source::lines_of_statement(code, at).has(violation.place.line))
        result_.line = code[at].line;
    result_.source = line_of(kernel_.text(), result_.line);
    add_settings(settings);
  }

  const Lesson& lesson_;
  const Trial& trial_;
  device::Device& device_;
  CheckedKernel& kernel_;
  CheckResult& result_;
};

}  // namespace

void test_demands(const Lesson& lesson, const Trial& trial, device::Device& device, CheckedKernel& kernel,
                  const CheckResult& unjudged, CheckResult& result) {
  DemandTest test(lesson, trial, device, kernel, result);
  if (result.verdict == Verdict::right) test.test_counts();
  if (result.verdict == Verdict::right) test.note_constant_for_block(unjudged);
}

}  // namespace gpulab::check
