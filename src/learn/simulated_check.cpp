#include <algorithm>
#include <regex>

#include "core/defect.hpp"
#include "learn/checks.hpp"
#include "learn/explain_defect.hpp"
#include "run/problem_cache.hpp"
#include "run/run_options.hpp"
#include "run/smaller_problem.hpp"
#include "run/variant_run.hpp"

namespace gpulab::learn {
namespace {

struct NamedOrder {
  const char* name;
  device::ThreadOrder order;
};

constexpr NamedOrder orders[] = {{"forward", {device::ThreadOrder::Kind::forward}},
                                 {"reverse", {device::ThreadOrder::Kind::reverse}},
                                 {"preempted", {device::ThreadOrder::Kind::preempted}}};

// Further defects than these say nothing new.
constexpr std::size_t defects_told = 4;

// Whether the line begins with "name[...] = " and the text declares name as an array: "float name[".
bool assigns_to_an_array(const std::string& line, const std::string& text) {
  static const std::regex assignment(R"(^(\w+)\s*\[[^=]*\]\s*[-+*/]?=[^=].*)");
  std::smatch match;
  if (!std::regex_match(line, match, assignment)) return false;
  return std::regex_search(text, std::regex("\\w\\s+" + match[1].str() + "\\s*\\["));
}

// Whatever else is wrong, a launch that ended because it has too little shared memory says so.
bool is_shared_shortage(const Defect& defect) {
  return defect.ends_launch && pattern_of(defect) == "not-enough-shared";
}

// Far more than any kernel needs that does not have every thread do the work of all, also in blocks of a
// single thread: a minute of waiting would say no more. So few as are always allowed take a second at most.
std::size_t max_accesses(const Traffic& traffic) {
  constexpr double times_the_min = 1000, always_allowed = 1e7;
  const double words = (traffic.bytes_read + traffic.bytes_written) / sizeof(float);
  return static_cast<std::size_t>(std::max(always_allowed, times_the_min * (words + traffic.operations)));
}

class SimulatedCheck {
 public:
  SimulatedCheck(const Lesson& lesson, const device::KernelSource& source, device::Device& device,
                 const Trial& trial, CheckResult& result)
      : lesson_(lesson),
        solution_(run::find_variant(lesson, lesson.solution)),
        trial_(trial),
        block_size_(trial.block_size.value_or(solution_.block.threads)),
        source_(source),
        device_(device),
        result_(result),
        files_(lesson, std::nullopt),
        stream_(device.create_stream()),
        problems_(lesson, files_, device, *stream_) {
    files_.replace(lesson.file_of(solution_), source);
  }

  ~SimulatedCheck() { device_.instruments()->set_max_accesses(0); }

  void run() {
    const std::vector<Settings> all =
        trial_.settings ? std::vector{*trial_.settings} : check_settings(lesson_, block_size_);
    for (const Settings& settings : all) {
      run::check_options(lesson_,
                         {.settings = settings, .block_size = block_size_, .variants = {solution_.name}});
      Problem problem = lesson_.problem(settings);
      run::check_size(lesson_, problem, settings, device_.properties());
      const Tolerance tolerance = problem.tolerance;
      device_.instruments()->set_max_accesses(max_accesses(problem.min_traffic()));
      run::RunContext& context = problems_.make(std::move(problem), settings, tolerance);
      for (const NamedOrder& order : orders)
        if (!is_right(context, order)) return;
    }
  }

 private:
  bool is_right(const run::RunContext& context, const NamedOrder& order) {
    device_.instruments()->set_order(order.order);
    const VariantResult run =
        run::run_variant(context, {.variant = solution_,
                                   .block_size = block_size_,
                                   .instrumentation = device::Instrumentation::checked});
    const std::vector<Defect> defects = by_severity(device_.instruments()->take_defects());
    if (run.observed == Outcome::right && defects.empty()) return true;
    result_.size = run.size;
    result_.block_size = block_size_;
    result_.schedule = order.name;
    result_.first_differences = run.first_differences;
    result_.verdict = run.observed == Outcome::right ? Verdict::defect : Verdict::wrong;
    if (run.observed == Outcome::fails_to_compile)
      judge_compile_error(run);
    else if (!defects.empty())
      judge_defects(context, run, defects);
    else
      judge_result(run);
    result_.source = line_of(source_.text, result_.line);
    if (run.observed != Outcome::fails_to_compile)
      result_.tried_with = tried_with(lesson_, block_size_, context.prepared.settings);
    return false;
  }

  void judge_compile_error(const VariantResult& run) {
    result_.verdict = Verdict::does_not_compile;
    judge_failure(run);
    result_.compiler_log = run.compiler_log;
  }

  void judge_failure(const VariantResult& run) {
    result_.pattern = name_of(run.failure->kind);
    result_.summary = run.explanation;
    result_.line = run.failure->line;
  }

  void judge_defects(const run::RunContext& context, const VariantResult& run,
                     const std::vector<Defect>& defects) {
    const ArrayElement element = [&](std::uintptr_t address) { return context.arrays.element_at(address); };
    result_.line = defects.front().party.line;
    result_.pattern = std::ranges::any_of(defects, is_shared_shortage)
                          ? "not-enough-shared"
                          : pattern_of_first(defects.front(), run);
    result_.summary = explanation_of(defects.front(), element);
    const RaceInSource race = race_in_source(defects.front(), source_.text);
    if (!race.pattern.empty()) result_.pattern = race.pattern;
    if (!race.remark.empty()) result_.summary += "; " + race.remark;
    for (std::size_t i = 1; i < std::min(defects.size(), defects_told); ++i)
      result_.details.push_back(explanation_of(defects[i], element));
    // Where a defect has ended the launch, it is the explanation.
    if (!run.explanation.empty() && std::ranges::none_of(defects, &Defect::ends_launch))
      result_.details.push_back(run.explanation);
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
    if (run.failure) judge_failure(run);
    result_.notes.insert(result_.notes.end(), run.notes.begin(), run.notes.end());
  }

  const Lesson& lesson_;
  const Variant& solution_;
  const Trial& trial_;
  const unsigned block_size_;
  const device::KernelSource& source_;
  device::Device& device_;
  CheckResult& result_;
  run::KernelFiles files_;
  std::unique_ptr<device::Stream> stream_;
  run::ProblemCache problems_;
};

}  // namespace

void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result) {
  SimulatedCheck(lesson, source, simulator, trial, result).run();
}

}  // namespace gpulab::learn
