#include "exercise/simulated_check.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include "core/defect_gravity.hpp"
#include "exercise/check_settings.hpp"
#include "exercise/defect_patterns.hpp"
#include "run/benches.hpp"
#include "run/run_options.hpp"
#include "run/variant_run.hpp"

namespace gpulab {
namespace {

struct NamedOrder {
  const char* name;
  ThreadOrder order;
};

constexpr NamedOrder orders[] = {{"forward", {ThreadOrder::Kind::forward}},
                                 {"reverse", {ThreadOrder::Kind::reverse}},
                                 {"preempted", {ThreadOrder::Kind::preempted}}};

// Further defects than these say nothing new.
constexpr std::size_t defects_told = 4;

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return "";
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? "" : line.substr(start);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Whether the line begins with "name[...] = " and the text declares name as an array: "float name[".
bool assigns_to_an_array(const std::string& line, const std::string& text) {
  static const std::regex assignment(R"(^(\w+)\s*\[[^=]*\]\s*[-+*/]?=[^=].*)");
  std::smatch match;
  if (!std::regex_match(line, match, assignment)) return false;
  return std::regex_search(text, std::regex("\\w\\s+" + match[1].str() + "\\s*\\["));
}

std::string pattern_of_compile_error(const std::string& message) {
  if (contains(message, "your kernel is")) return "wrong-parameters";
  if (contains(message, "has no kernel") || contains(message, "there is no kernel") ||
      contains(message, "it is no kernel"))
    return "missing-kernel";
  return "does-not-compile";
}

std::string pattern_of_fault(const std::string& message) {
  if (contains(message, "dynamic shared memory")) return "not-enough-shared";
  if (contains(message, "deadlock") || contains(message, "can go on")) return "deadlock";
  if (contains(message, "LAUNCH_TIMEOUT")) return "time-limit";
  if (contains(message, "divergent barrier")) return "divergent-barrier";
  return contains(message, "read") ? "out-of-bounds-read" : "out-of-bounds-write";
}

class SimulatedCheck {
 public:
  SimulatedCheck(const Lesson& lesson, const KernelSource& source, Device& device, CheckResult& result)
      : lesson_(lesson),
        solution_(find_variant(lesson, lesson.solution)),
        source_(source),
        device_(device),
        result_(result),
        files_(lesson, std::nullopt),
        stream_(device.create_stream()),
        benches_(lesson, files_, device, *stream_) {
    files_.replace(lesson.file_of(solution_), source);
  }

  void run() {
    for (const Settings& settings : check_settings(lesson_, solution_.block.usual)) {
      Problem problem = lesson_.problem(settings);
      const Tolerance tolerance = problem.tolerance;
      Workbench& bench = benches_.make(std::move(problem), settings, tolerance);
      for (const NamedOrder& order : orders)
        if (!is_right(bench, order)) return;
    }
  }

 private:
  bool is_right(const Workbench& bench, const NamedOrder& order) {
    device_.set_order(order.order);
    const VariantResult run = run_variant(
        bench, {.variant = solution_, .block_size = solution_.block.usual, .schedule = Schedule::checked});
    const std::vector<Defect> defects = by_gravity(device_.take_defects());
    if (run.observed == Outcome::right && defects.empty()) return true;
    result_.size = run.size;
    result_.block_size = solution_.block.usual;
    result_.schedule = order.name;
    result_.first_differences = run.first_differences;
    result_.verdict = run.observed == Outcome::right ? Verdict::defect : Verdict::wrong;
    if (run.observed == Outcome::fails_to_compile)
      judge_compile_error(run);
    else if (!defects.empty())
      judge_defects(bench, run, defects);
    else
      judge_result(run);
    result_.source = line_of(source_.text, result_.line);
    result_.reproduce = reproduction(bench.prepared.settings);
    return false;
  }

  void judge_compile_error(const VariantResult& run) {
    result_.verdict = Verdict::does_not_compile;
    result_.pattern = pattern_of_compile_error(run.explanation);
    result_.summary = run.explanation;
    result_.compiler_log = run.compiler_log;
  }

  void judge_defects(const Workbench& bench, const VariantResult& run, const std::vector<Defect>& defects) {
    const ArrayElement element = [&](std::uintptr_t address) { return bench.arrays.element_at(address); };
    const bool is_fault = run.observed == Outcome::faults;
    const bool is_shared_shortage = is_fault && pattern_of_fault(run.explanation) == "not-enough-shared";
    result_.line = defects.front().party.line;
    result_.pattern = is_shared_shortage ? "not-enough-shared" : pattern_of_first(defects.front(), run);
    result_.summary = explanation_of(defects.front(), element);
    for (std::size_t i = 1; i < std::min(defects.size(), defects_told); ++i)
      result_.details.push_back(explanation_of(defects[i], element));
    if (!run.explanation.empty()) result_.details.push_back(run.explanation);
  }

  // Accesses in one line are one defect, whichever came first. A guard zone that was hit, and an assignment
  // to an element, tell of a write.
  std::string pattern_of_first(const Defect& defect, const VariantResult& run) const {
    const std::string pattern = pattern_of(defect);
    const bool assigns = defect.kind == DefectKind::array_index &&
                         assigns_to_an_array(line_of(source_.text, defect.party.line), source_.text);
    const bool writes =
        pattern == "out-of-bounds-read" && (assigns || run.observed == Outcome::out_of_bounds);
    return writes ? "out-of-bounds-write" : pattern;
  }

  void judge_result(const VariantResult& run) {
    result_.summary = run.explanation;
    result_.pattern = run.pattern;
    if (run.observed == Outcome::out_of_bounds) result_.pattern = "out-of-bounds-write";
    if (run.observed == Outcome::fails_to_launch) result_.pattern = "launch-failure";
    if (run.observed == Outcome::faults) result_.pattern = pattern_of_fault(run.explanation);
  }

  // The lesson itself, with the learner's file in a folder of its own.
  std::string reproduction(const Settings& settings) const {
    std::string command = "gpulab check " + source_.name + " --device simulator";
    if (settings.size > 0) command += "   # at size " + std::to_string(settings.size);
    return command;
  }

  const Lesson& lesson_;
  const Variant& solution_;
  const KernelSource& source_;
  Device& device_;
  CheckResult& result_;
  KernelFiles files_;
  std::unique_ptr<Stream> stream_;
  Benches benches_;
};

}  // namespace

void check_on_simulator(const Lesson& lesson, const KernelSource& source, Device& simulator,
                        CheckResult& result) {
  SimulatedCheck(lesson, source, simulator, result).run();
}

}  // namespace gpulab
