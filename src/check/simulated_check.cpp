#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "check/checks.hpp"
#include "lesson/finding.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"
#include "run/validate/comparison.hpp"
#include "run/validate/evidence.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {
namespace {

struct NamedOrder {
  const char* name;
  device::ThreadOrder order;
};

constexpr NamedOrder orders[] = {{"forward", {device::ThreadOrder::Kind::forward}},
                                 {"reverse", {device::ThreadOrder::Kind::reverse}},
                                 {"preempted", {device::ThreadOrder::Kind::preempted}}};

// Bytes to keep of what a kernel prints.
constexpr std::size_t printed_bytes = std::size_t{1} << 16;

constexpr const char* unset_variable = "unset-variable";

// Most defects to report: further ones say nothing new.
constexpr std::size_t defects_told = 4;

// Returns whether the line begins with "name[...] = " and the text declares name as an array: "float name[".
bool assigns_to_an_array(const std::string& line, const std::string& text) {
  source::Scanner scanner(line);
  const std::string_view name = scanner.word();
  scanner.blanks();
  const std::string_view index = scanner.up_to_one_of("=");
  const std::size_t end = std::min(index.find_last_not_of(" \t+-*/"), index.size());
  const bool is_assigned = scanner.take("=") && !scanner.is_at_end() && !scanner.rest().starts_with('=');
  if (name.empty() || !index.starts_with('[') || end >= index.size() || index[end] != ']' || !is_assigned)
    return false;
  source::TokenKind before = source::TokenKind::symbol;
  std::string_view last;
  for (const source::Token& token : source::cuda_tokens(text)) {
    if (token.kind == source::TokenKind::space || token.kind == source::TokenKind::comment) continue;
    if (token.text == "[" && last == name && before == source::TokenKind::word) return true;
    if (token.text != name) before = token.kind;
    last = token.text;
  }
  return false;
}

// Finds a launch that ended for lack of shared memory, which matters more than all other defects.
bool is_shared_shortage(const Defect& defect) {
  return defect.ends_launch && pattern_of(defect) == "not-enough-shared";
}

// Access limit, which only redundant work exceeds, such as every thread doing the work of all. A check tries
// dozens of settings, so a launch may take only a part of a second. Each thread may look at as many elements
// as a block of the usual size has.
constexpr double always_allowed = 1.5e6, times_the_work = 15, elements_of_a_block = 260;
double max_accesses(const Lesson& lesson, const Settings& settings, unsigned block_size) {
  const double threads = lesson.has_size() ? static_cast<double>(settings.size + block_size) : 0;
  return std::max(always_allowed, times_the_work * work_of(lesson, settings, block_size) +
                                      std::min<double>(block_size, elements_of_a_block) * threads);
}

// Access limit at settings that somebody has asked for, also in blocks of a single thread.
constexpr double always_allowed_alone = 1e7;
std::size_t max_accesses(const Traffic& traffic) {
  constexpr double times_the_min = 1000;
  const double words = (traffic.bytes_read + traffic.bytes_written) / sizeof(float);
  return static_cast<std::size_t>(
      std::max(always_allowed_alone, times_the_min * (words + traffic.operations)));
}

// Work that a check does, beside that of the kernel's first settings: beyond it, further settings are tried
// in one order, and then left out. In seconds of a usual machine; that is steps, so that every machine judges
// alike. Only a kernel whose loops access no memory is measured by the CPU's clock.
constexpr double in_all_orders_s = 2.5, most_s = 8;
double usual_seconds(const device::LaunchWork& work) {
  constexpr double steps_per_s = 2e7, far_more = 10, at_least_s = 0.2;
  const double of_steps_s = static_cast<double>(work.steps) / steps_per_s;
  return work.cpu_s > far_more * of_steps_s + at_least_s ? work.cpu_s : of_steps_s;
}

// Largest size at which an int holds an index and a stride of the whole grid.
constexpr std::size_t largest_with_strides = std::size_t{1} << 30;

bool says_little(const std::string& pattern) {
  return run::validate::telling_of(pattern) == run::validate::Telling::little;
}

// Returns whether the pattern says that the result equals a wrong one that was computed.
bool is_computed(const std::string& pattern) {
  return run::validate::telling_of(pattern) == run::validate::Telling::computed;
}

bool has_same_words(const Settings& one, const Settings& other) {
  return std::ranges::all_of(one.options, [&](const auto& option) {
    return !std::holds_alternative<std::string>(option.second) ||
           other.options.at(option.first) == option.second;
  });
}

// Returns whether causes were looked for: not where elements are unwritten in no known order.
bool tells_of_causes(const Explanation& wrong) {
  return run::validate::telling_of(wrong.pattern) != run::validate::Telling::kind || !wrong.model.empty() ||
         !wrong.others.empty();
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
        begun_(result),
        files_(lesson, std::nullopt),
        problems_(lesson, files_, device) {
    files_.replace(lesson.file_of(solution_), source);
    device_.instruments()->take_work();  // of others before
  }

  ~SimulatedCheck() { device_.instruments()->set_max_accesses(0); }

  void run() {
    try_settings();
    if (result_.verdict == Verdict::right && !trial_.is_limited()) test_demands();
  }

 private:
  void try_settings() {
    if (trial_.settings) {
      in_all_orders(*trial_.settings);
      return;
    }
    for (const Settings& settings : check_settings(lesson_, block_size_)) {
      if (takes_too_long(settings)) continue;
      if (const NamedOrder* order = in_all_orders(settings)) return tell_where(settings, *order);
    }
    if (!trial_.block_size && !(is_right_in_other_blocks() && is_right_far())) return;
    DrawnSettings drawn(lesson_, block_size_, source_.text, trial_.seed.value_or(seed_of(source_.text)));
    for (std::size_t draw = 0; const auto settings = drawn.next(); ++draw) {
      if (takes_too_long(*settings)) continue;
      const NamedOrder& order = orders[draw % std::size(orders)];
      const bool right = is_right(prepared(*settings), order, result_);
      tried_.push_back({*settings, right});
      if (right) continue;
      is_only_wrong_ = is_only_wrong();
      wrong_ = last_wrong_;
      return tell_where(shrunk(*settings, order), order);
    }
  }

  // Counts the accesses of a kernel that is right, and tests what the exercise asks for besides.
  void test_demands() {
    if (lesson_.demands.empty()) return;
    Settings settings = check_settings(lesson_, block_size_).front();
    if (lesson_.has_size()) settings.size = lesson_.counted_size;
    device_.instruments()->set_order({});
    device_.instruments()->take_access_counts();
    const VariantResult run =
        run::run_variant(prepared(settings), {.variant = solution_,
                                              .block_size = block_size_,
                                              .instrumentation = device::Instrumentation::counted});
    if (run.observed != Outcome::right) return;
    const KernelRecord record{.counts = device_.instruments()->take_access_counts(),
                              .size = run.size,
                              .threads = (run.size + block_size_ - 1) / block_size_ * block_size_};
    for (const Demand<KernelRecord>& demand : lesson_.demands)
      if (const auto broken = demand.broken(record)) judge_demand(demand, *broken, settings);
  }

  void judge_demand(const Demand<KernelRecord>& demand, const ProgramFinding& broken,
                    const Settings& settings) {
    const std::string asked = "asked for: " + demand.asks;
    if (demand.is_note) return result_.notes.push_back("right, and yet " + broken.text + "; " + asked);
    result_.verdict = Verdict::defect;
    result_.pattern = demand.pattern;
    result_.summary = broken.text;
    result_.notes.push_back(asked);
    result_.line = broken.place.line;
    result_.source = line_of(source_.text, result_.line);
    result_.size = settings.size;
    result_.block_size = block_size_;
    result_.tried_with = tried_with(lesson_, block_size_, settings);
  }

  run::RunContext& prepared(const Settings& settings) {
    run::check_options(lesson_,
                       {.settings = settings, .block_size = block_size_, .variants = {solution_.name}});
    Problem problem = lesson_.problem(settings);
    run::check_size(lesson_, problem, settings, device_.properties());
    const Tolerance tolerance = problem.tolerance;
    device_.instruments()->set_max_accesses(
        trial_.block_size ? max_accesses(problem.min_traffic())
                          : static_cast<std::size_t>(max_accesses(lesson_, settings, block_size_)));
    return problems_.make(std::move(problem), settings, tolerance);
  }

  // Returns whether a slow kernel is left out at these settings. Its work may grow as the square of theirs.
  bool takes_too_long(const Settings& settings) {
    const double work = work_of(lesson_, settings, block_size_);
    const double times = slowest_work_ > 0 ? work / slowest_work_ : 0;
    const double expected_s = slowest_s_ * (is_growing_ && times > 1 ? times * times : times);
    const bool is_too_long = spent_s_ + expected_s > most_s;
    if (is_too_long && result_.notes.empty())
      result_.notes.push_back("the kernel takes far longer than usual, so it was tried with fewer settings");
    return is_too_long;
  }

  // Takes the work of the last run.
  void count_work(const Settings& settings) {
    const double seconds = usual_seconds(device_.instruments()->take_work());
    constexpr double slow_s = 0.1;
    const double work = work_of(lesson_, settings, block_size_);
    const double times = slowest_work_ > 0 ? work / slowest_work_ : 0;
    spent_s_ += seconds;
    if (seconds <= slowest_s_ * times) return;
    is_growing_ |= times > 2 && seconds > slow_s && seconds > 2 * slowest_s_ * times;
    slowest_s_ = seconds;
    slowest_work_ = work;
  }

  // Returns the order in which it is wrong; null if it is right in all.
  const NamedOrder* in_all_orders(const Settings& settings) {
    run::RunContext& context = prepared(settings);
    for (const NamedOrder& order : orders) {
      if (spent_s_ > in_all_orders_s && !tried_.empty() &&
          &order != &orders[tried_.size() % std::size(orders)])
        continue;
      if (is_right(context, order, result_)) continue;
      is_only_wrong_ = is_only_wrong();
      wrong_ = last_wrong_;
      if (&order != orders && is_only_wrong_) compare_with_first_order(context);
      tried_.push_back({settings, false});
      return &order;
    }
    tried_.push_back({settings, true});
    return nullptr;
  }

  // Launches again as at first, which was right. If it is wrong now, something has outlived that launch.
  void compare_with_first_order(const run::RunContext& context) {
    CheckResult again;
    if (is_right(context, orders[0], again)) {
      result_.details.push_back(
          "right with its threads in order: the result depends on an order that no GPU keeps");
      if (result_.pattern != "too-few") return;
      result_.pattern = "lost-updates";
      result_.summary =
          "too few in one order of threads, and no access races: consistent with an update that comes between another thread's reading a word and its storing it; " +
          result_.summary;
      return;
    }
    result_.pattern = "state-between-launches";
    result_.summary =
        "the first launch was right, and the same launch later is not: a variable of the file keeps its value from one launch to the next; " +
        result_.summary;
  }

  // Returns whether it ran to its end and only computed, or stored beyond an array, something wrong.
  bool is_only_wrong() const { return is_result_wrong_ || result_.pattern == "out-of-bounds-write"; }

  // Returns whether the same shows at these settings, and then takes their result. False if no work is left.
  bool shows_at(const Settings& settings, const NamedOrder& order, double& work_left) {
    work_left -= work_of(lesson_, settings, block_size_);
    if (work_left < 0) return false;
    CheckResult result = begun_;
    const bool right = is_right(prepared(settings), order, result);
    tried_.push_back({settings, right});
    if (right || result.pattern != result_.pattern) return false;
    result_ = result;
    wrong_ = last_wrong_;
    return true;
  }

  // Returns the simplest settings at which the same shows, as far as some work leads: each number the
  // smallest, or between one that does not show it and one that does.
  Settings shrunk(Settings settings, const NamedOrder& order) {
    double work_left = work_to_draw;
    for (bool found = true; found && work_left > 0;) {
      found = false;
      for (const Settings& simpler : simpler_settings(lesson_, settings)) {
        if (!shows_at(simpler, order, work_left)) continue;
        settings = simpler;
        found = true;
        break;
      }
    }
    for (const SizeOrCount& one : sizes_and_counts(lesson_)) {
      std::uint64_t less = one.min - 1;
      while (one.of(settings) - less > 1 && work_left > 0) {
        Settings between = settings;
        one.set(between, less + (one.of(settings) - less) / 2);
        if (!is_taken(lesson_, between))
          less = one.of(between);
        else if (shows_at(between, order, work_left))
          settings = between;
        else
          less = one.of(between);
      }
    }
    return settings;
  }

  // Tries it at more settings, to say where else it is wrong.
  void tell_where(const Settings& settings, const NamedOrder& order) {
    if (!is_only_wrong_ || result_.pattern == "state-between-launches") return;
    double work_left = work_to_draw / 2;
    std::vector<Explanation> all_wrong{wrong_};
    for (const Settings& other : settings_around(lesson_, block_size_, settings)) {
      const auto is_same = [&](const TriedSettings& one) { return one.settings == other; };
      if (std::ranges::any_of(tried_, is_same)) continue;
      work_left -= work_of(lesson_, other, block_size_);
      if (work_left < 0) break;
      CheckResult result = begun_;
      tried_.push_back({other, is_right(prepared(other), order, result)});
      // A few elements prove nothing: twice the first may be twice the sum.
      constexpr std::size_t few = 8;
      if (tried_.back().right || (lesson_.has_size() && other.size < few)) continue;
      if (is_result_wrong_ && has_same_words(other, settings) && tells_of_causes(last_wrong_) &&
          (settings.size <= block_size_ || other.size > block_size_))
        all_wrong.push_back(last_wrong_);
      const bool says_more =
          other.options == settings.options && says_little(result_.pattern) && is_computed(result.pattern);
      if (!says_more) continue;
      result_ = result;
      wrong_ = last_wrong_;
    }
    keep_what_fits(all_wrong);
    find_limit(settings, order, work_left);
    result_.where = where_right(lesson_, block_size_, tried_);
    name_limit();
  }

  // Keeps the cause that fits most of the wrong results, of which there are several; the fact alone if none
  // fits half of them.
  void keep_what_fits(const std::vector<Explanation>& all_wrong) {
    if (wrong_.model.empty() || all_wrong.size() < 2 || result_.pattern == unset_variable) return;
    std::vector<Explanation> all = wrong_.others;
    all.insert(all.begin(), wrong_);
    const Explanation* best = nullptr;
    std::ptrdiff_t most = 1;
    for (const Explanation& one : all) {
      const auto fitting =
          std::ranges::count_if(all_wrong, [&](const Explanation& wrong) { return wrong.allows(one.model); });
      const bool is_cause = !one.model.empty();
      if (is_cause ? fitting <= most || 2 * fitting < std::ssize(all_wrong) : best != nullptr) continue;
      best = &one;
      most = fitting;
      if (!is_cause) break;
    }
    if (best && best->model != wrong_.model) tell(*best, result_);
  }

  // Finds the exact size below which it is right and above which it is wrong.
  void find_limit(const Settings& settings, const NamedOrder& order, double& work_left) {
    if (!lesson_.has_size()) return;
    limit_ = size_limit(tried_);
    while (limit_ && limit_->first_wrong - limit_->last_right > 1) {
      Settings between = settings;
      between.size = limit_->last_right + (limit_->first_wrong - limit_->last_right) / 2;
      work_left -= work_of(lesson_, between, block_size_);
      if (work_left < 0) break;
      CheckResult ignored = begun_;
      tried_.push_back({between, is_right(prepared(between), order, ignored)});
      limit_ = size_limit(tried_);
    }
    for (std::size_t size = block_size_; limit_ && size < limit_->last_right; size *= 2) {
      Settings below = settings;
      below.size = size + 1;
      work_left -= work_of(lesson_, below, block_size_);
      if (work_left < 0 ||
          std::ranges::any_of(tried_, [&](const auto& one) { return one.settings == below; }))
        continue;
      CheckResult ignored = begun_;
      tried_.push_back({below, is_right(prepared(below), order, ignored)});
      limit_ = size_limit(tried_);
    }
  }

  // Names the cause of a limit that is that of a type, or a number in the text.
  void name_limit() {
    if (!limit_ || result_.where.empty() || limit_->first_wrong - limit_->last_right > 1) return;
    if (is_computed(result_.pattern)) return;
    const std::string& fact = result_.fact.empty() ? result_.summary : result_.fact;
    for (const unsigned bits : {15u, 16u, 24u})
      if (limit_->last_right + 1 - (std::size_t{1} << bits) <= 1) {
        result_.pattern = "type-limit";
        result_.summary = "right up to size " + grouped(limit_->last_right) +
                          ", wrong beyond: consistent with a number of " + std::to_string(bits) + " bits; " +
                          fact;
        return;
      }
    for (const std::size_t constant : {limit_->last_right, limit_->first_wrong}) {
      const int line = line_with_limit(lesson_, source_.text, constant);
      if (constant < 100 || constant == block_size_ || line == 0) continue;
      result_.pattern = "constant-for-size";
      result_.summary = "right up to size " + grouped(limit_->last_right) + ", wrong beyond, and line " +
                        std::to_string(line) + " has the number " + std::to_string(constant) + "; " +
                        result_.summary;
      result_.line = line;
      result_.source = line_of(source_.text, line);
      return;
    }
  }

  bool is_right_in_other_blocks() {
    const unsigned usual = block_size_;
    for (const unsigned threads : lesson_.checked_blocks) {
      block_size_ = threads;
      if (!is_right(prepared(check_settings(lesson_, threads).front()), orders[0], result_)) {
        result_.details.push_back("right in blocks of " + std::to_string(usual) + " threads");
        return false;
      }
      block_size_ = usual;
    }
    return true;
  }

  // Runs the last blocks of problems of which nobody has the memory. Only kernels whose threads have the
  // elements of their own numbers, as a small problem shows, do that right.
  bool is_right_far() {
    if (lesson_.checked_far.sizes.empty()) return true;
    const unsigned usual = block_size_;
    if (lesson_.checked_far.block_size > 0) block_size_ = lesson_.checked_far.block_size;
    const std::size_t near = 20 * std::size_t{block_size_} + block_size_ / 8;
    CheckResult ignored = begun_;
    bool right = true;
    if (is_right_at_end(near, ignored))
      for (const std::size_t size : lesson_.checked_far.sizes) {
        if (size > largest_with_strides && has_loop(source_.text))
          continue;  // the stride is added to an index
        right = is_right_at_end(size, ignored);
        if (right) continue;
        tell_far(near, size);
        break;
      }
    block_size_ = usual;
    return right;
  }

  bool is_right_at_end(std::size_t size, CheckResult& result) {
    constexpr std::size_t blocks = 3;
    const std::size_t begin = (ceil_div(size, block_size_) - blocks) * std::size_t{block_size_};
    Settings settings = lesson_.default_settings();
    settings.size = size;
    settings.begins_at = begin;
    run::RunContext& context = prepared(settings);
    device_.instruments()->set_max_accesses(static_cast<std::size_t>(always_allowed));
    result = begun_;
    const bool right = is_right(context, orders[0], result);
    for (Difference& difference : result.first_differences) difference.index += begin;
    return right;
  }

  // Finds the size from which on it is wrong, and says what such a limit is consistent with.
  void tell_far(std::size_t right, std::size_t wrong) {
    CheckResult between = begun_;
    const bool is_one_number = lesson_.checked_far.block_size == 1;  // it may be right and wrong in turn
    while (!is_one_number && wrong - right > 1) {
      const std::size_t size = right + (wrong - right) / 2;
      (is_right_at_end(size, between) ? right : wrong) = size;
    }
    is_right_at_end(wrong, result_);
    std::string fact = "at size " + grouped(wrong) + " a thread fails: " + result_.pattern;
    if (result_.pattern.starts_with("out-of-bounds")) fact = "a thread accesses memory far from its arrays";
    if (is_result_wrong_ && !result_.first_differences.empty()) {
      const Difference& first = result_.first_differences.front();
      fact = lesson_.problem(lesson_.default_settings()).element + " " + std::to_string(first.index) +
             (first.is_poison ? " is never written"
                              : ": expected " + run::validate::number_text(first.expected) + ", got " +
                                    run::validate::number_text(first.actual));
    }
    result_.where.clear();
    result_.details = {"only the last blocks of such a grid were run"};
    result_.size = wrong;
    if (is_one_number) {
      result_.summary = fact;
      return;
    }
    const LimitCause cause = cause_of_limit(lesson_, source_.text, right, block_size_);
    result_.pattern = cause.line > 0 ? "constant-for-size" : "type-limit";
    result_.summary = "right up to size " + grouped(right) + ", wrong beyond" + cause.text + "; " + fact;
    if (cause.line == 0) return;
    result_.line = cause.line;
    result_.source = line_of(source_.text, cause.line);
  }

  bool is_right(const run::RunContext& context, const NamedOrder& order, CheckResult& result) {
    device_.instruments()->set_order(order.order);
    run::WatchedRun watched = run::run_watched(context, {.variant = solution_, .block_size = block_size_});
    count_work(context.prepared.settings);
    const VariantResult& run = watched.result;
    const std::vector<Defect>& defects = watched.defects;
    const std::string printed = watched.printed.substr(0, printed_bytes);
    const bool right = run.observed == Outcome::right && defects.empty();
    if (!right || result.printed.empty()) result.printed = printed;
    if (right) return true;
    is_result_wrong_ = run.observed == Outcome::wrong && defects.empty();
    result.size = run.size;
    result.block_size = block_size_;
    result.schedule = order.name;
    result.first_differences = run.first_differences;
    result.verdict = run.observed == Outcome::right ? Verdict::defect : Verdict::wrong;
    if (run.observed == Outcome::fails_to_compile)
      judge_compile_error(run, result);
    else if (!defects.empty())
      judge_defects(context, run, defects, result);
    else
      judge_result(run, result);
    result.source = line_of(source_.text, result.line);
    if (run.observed != Outcome::fails_to_compile)
      result.tried_with = tried_with(lesson_, block_size_, context.prepared.settings);
    return false;
  }

  void judge_compile_error(const VariantResult& run, CheckResult& result) {
    result.verdict = Verdict::does_not_compile;
    judge_failure(run, result);
    result.compiler_log = run.compiler_log;
    result.pattern = pattern_of_refusal(*run.failure, source_.text);
  }

  void judge_failure(const VariantResult& run, CheckResult& result) {
    result.pattern = name_of(run.failure->kind);
    result.summary = run.explanation;
    result.fact = run.failure->complaint;
    result.line = run.failure->line;
  }

  void judge_defects(const run::RunContext& context, const VariantResult& run,
                     const std::vector<Defect>& defects, CheckResult& result) {
    const ArrayElement element = [&](std::uintptr_t address) { return context.arrays.element_at(address); };
    result.line = defects.front().party.line;
    result.pattern = std::ranges::any_of(defects, is_shared_shortage)
                         ? "not-enough-shared"
                         : pattern_of_first(defects.front(), run);
    result.summary = explanation_of(defects.front(), element);
    add_other_side(defects.front(), result);
    const RaceInSource race = race_in_source(defects.front(), source_.text);
    if (!race.pattern.empty()) result.pattern = race.pattern;
    if (!race.remark.empty()) result.summary += "; " + race.remark;
    for (std::size_t i = 1; i < std::min(defects.size(), defects_told); ++i) {
      result.details.push_back(explanation_of(defects[i], element));
      add_further(defects[i], result);
    }
    // A defect that has ended the launch is the explanation.
    if (run.explanation.empty() || std::ranges::any_of(defects, &Defect::ends_launch)) return;
    result.details.push_back(run.explanation);
    const bool is_write = run.observed == Outcome::out_of_bounds && result.pattern == "out-of-bounds-write";
    if (is_write && defects.front().party.access == DefectAccess::load)
      std::swap(result.summary, result.details.back());
  }

  static void add_other_side(const Defect& defect, CheckResult& result) {
    if (const std::string text = other_side_of(defect); !text.empty())
      result.related.push_back({.line = defect.other->line, .text = text});
  }

  void add_further(const Defect& defect, CheckResult& result) const {
    if (defect.party.line == 0) return;
    const std::string in_source = race_in_source(defect, source_.text).pattern;
    result.related.push_back({.line = defect.party.line,
                              .pattern = in_source.empty() ? pattern_of(defect) : in_source,
                              .text = result.details.back()});
    add_other_side(defect, result);
  }

  // Returns the pattern of the first defect. Accesses in one line are one defect, whichever came first. A
  // damaged guard zone, and an assignment to an element, tell of a write.
  std::string pattern_of_first(const Defect& defect, const VariantResult& run) const {
    const std::string pattern = pattern_of(defect);
    const bool assigns = defect.kind == DefectKind::array_index &&
                         assigns_to_an_array(line_of(source_.text, defect.party.line), source_.text);
    const bool writes =
        pattern == "out-of-bounds-read" && (assigns || run.observed == Outcome::out_of_bounds);
    return writes ? "out-of-bounds-write" : pattern;
  }

  // Finds the value of variables that nobody has set: a check fills each byte with this pattern.
  static bool is_unset(const std::vector<Difference>& differences) {
    constexpr std::uint32_t pattern = 0xFEFEFEFE;
    return std::ranges::any_of(differences, [=](const Difference& difference) {
      return difference.actual == static_cast<double>(std::bit_cast<float>(pattern)) ||
             difference.actual == static_cast<double>(std::bit_cast<std::int32_t>(pattern));
    });
  }

  static void say_unset(CheckResult& result) {
    result.pattern = unset_variable;
    result.summary += "; here, that is the value of a variable that was never set";
  }

  static void tell(const Explanation& wrong, CheckResult& result) {
    result.summary = wrong.text();
    result.pattern = wrong.pattern;
    result.fact = wrong.guess.empty() ? "" : wrong.fact;
    // Lost updates need a race, and every access was watched: something was not counted.
    if (!wrong.fact_without_race.empty()) result.summary = wrong.fact_without_race;
    if (wrong.pattern == "lost-updates") result.pattern = "too-few";
  }

  void judge_result(const VariantResult& run, CheckResult& result) {
    tell(run.wrong, result);
    last_wrong_ = run.wrong;
    if (run.wrong.pattern.empty()) {
      result.summary = run.explanation;
      result.pattern = run.pattern;
    }
    if (run.observed == Outcome::out_of_bounds) result.pattern = "out-of-bounds-write";
    if (is_unset(run.first_differences)) say_unset(result);
    if (run.failure) judge_failure(run, result);
    result.notes.insert(result.notes.end(), run.notes.begin(), run.notes.end());
  }

  const Lesson& lesson_;
  const Variant& solution_;
  const Trial& trial_;
  unsigned block_size_;
  const device::KernelSource& source_;
  device::Device& device_;
  CheckResult& result_;
  const CheckResult begun_;  // the result before the first run
  std::vector<TriedSettings> tried_ = {};
  std::optional<SizeLimit> limit_ = {};
  double spent_s_ = 0;                       // by all runs
  double slowest_s_ = 0, slowest_work_ = 0;  // of the run that was slowest for its work
  bool is_growing_ = false;                  // faster than the work that the lesson expects
  bool is_result_wrong_ = false;             // in the last run that was not right, without a defect
  bool is_only_wrong_ = false;               // for the reported run
  Explanation last_wrong_ = {};              // of the last run with a wrong result
  Explanation wrong_ = {};                   // of the reported run
  run::KernelFiles files_;
  run::ProblemCache problems_;
};

}  // namespace

void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result) {
  SimulatedCheck(lesson, source, simulator, trial, result).run();
}

}  // namespace gpulab::check
