#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/checked_kernel.hpp"
#include "run/problems.hpp"
#include "run/run_options.hpp"
#include "run/validate/comparison.hpp"
#include "run/validate/evidence.hpp"
#include "run/variant_run.hpp"
#include "run/watched_run.hpp"

namespace gpulab::check {
namespace {

using run::validate::Specificity, run::validate::specificity_of;

bool has_same_words(const Settings& settings, const Settings& other) {
  return std::ranges::all_of(settings.options, [&](const auto& option) {
    const auto& [name, value] = option;
    return !std::holds_alternative<std::string>(value) || other.options.at(name) == value;
  });
}

bool runs_forward(const NamedOrder& order) {
  return order.order.kind == device::ThreadOrder::Kind::forward;
}

// Largest size at which the sum of an index and a stride of the whole grid fits an int.
constexpr std::size_t largest_with_strides = std::size_t{1} << 30;

class SimulatedCheck {
 public:
  SimulatedCheck(const Lesson& lesson, const device::KernelSource& source, device::Device& device,
                 const Trial& trial, CheckResult& result)
      : lesson_(lesson),
        trial_(trial),
        source_(source),
        device_(device),
        kernel_(lesson, source, device, trial),
        result_(result),
        unjudged_(result) {}

  void run() {
    try_settings();
    add_cause_and_notes();
    const bool is_judged = result_.verdict == Verdict::right || is_reported_result_wrong_;
    if (!kernel_.notes().empty() && !trial_.is_limited() && is_judged)
      try_unset_bools(lesson_, trial_, device_, source_, shown_, unjudged_, result_);
    add_line_of_store();
    name_shift_by_warp_size(lesson_, kernel_.text(), result_);
    if (!trial_.is_limited()) test_demands(lesson_, trial_, device_, kernel_, unjudged_, result_);
    if (result_.verdict == Verdict::right && !trial_.settings) result_.where = extent_of_pass();
  }

 private:
  void try_settings() {
    const auto only = trial_.settings ? trial_.settings : few_if_repeated(lesson_, kernel_.text());
    if (only && (try_all_orders(shown_ = *only) || trial_.settings)) return;
    for (const Settings& settings : check_settings(lesson_, kernel_.block_size())) {
      if (takes_too_long(settings)) continue;
      if (const NamedOrder* order = try_all_orders(settings)) return explain(settings, *order);
    }
    DrawnSettings drawn(lesson_, kernel_.block_size(), kernel_.text(),
                        trial_.seed.value_or(seed_of(kernel_.text())));
    for (std::size_t draw = 0; const auto settings = drawn.next(); ++draw) {
      if (takes_too_long(*settings)) continue;
      const NamedOrder& order = orders_[draw % orders_.size()];
      const bool right = kernel_.passes_at(*settings, order, result_);
      tried_.push_back({*settings, right});
      if (right) continue;
      report(result_);
      return explain(is_endless() ? *settings : shrunk(*settings, order), order);
    }
    if (!trial_.block_size && is_right_in_other_blocks()) check_far();
  }

  // Adds the cause that a wrong kernel's text shows. If it shows none, adds which variables may be unset.
  void add_cause_and_notes() {
    const Explanation* const wrong = is_reported_result_wrong_ && !is_limit_named_ ? &wrong_ : nullptr;
    const Cause misread = tried_misreading(lesson_, trial_, device_, source_, shown_, unjudged_, result_);
    if (blame_cause(lesson_, kernel_.text(), wrong, misread, result_) ||
        (result_.verdict != Verdict::right && !is_limit_named_ &&
         blame_one_change(lesson_, trial_, device_, source_, shown_, wrong, kernel_.spent().seconds(),
                          unjudged_, result_)))
      return;
    const std::string certain = unset_variable_in(kernel_.text());
    for (const std::string& note : certain.empty() ? kernel_.notes() : std::set{certain})
      result_.notes.push_back(result_.verdict == Verdict::right
                                  ? "right, and yet " + note + ": on a GPU it may hold anything"
                                  : note);
  }

  // Says which line computes the index, or has stored the first wrong value, if the report says little else.
  void add_line_of_store() {
    if (!is_reported_result_wrong_ || result_.line > 0 ||
        name_index(lesson_, kernel_.text(), tried_, result_) || line_of_store_ == 0 ||
        specificity_of(result_.pattern) != Specificity::generic)
      return;
    result_.line = line_of_store_;
    result_.source = line_of(kernel_.text(), line_of_store_);
    result_.summary += fmt::format("; line {} stores it, and the mistake may be before it", line_of_store_);
  }

  // Says up to which size the kernel was tried: larger sizes would take too long.
  std::string extent_of_pass() const {
    const auto size = [](const TriedSettings& tried) { return tried.settings.size; };
    std::string text = "right at all " + grouped(tried_.size()) + " settings tried";
    if (lesson_.has_size())
      text += ", up to size " + grouped(size(*std::ranges::max_element(tried_, {}, size)));
    if (far_size_ > 0) text += ", and in the last blocks of size " + grouped(far_size_);
    return text;
  }

  // Returns whether a slow kernel is left out at these settings. Nobody knows how slow an instructor's are.
  bool takes_too_long(const Settings& settings) {
    const bool is_too_long = !kernel_.spent().leaves_room_for(kernel_.work_at(settings));
    if (is_too_long && result_.notes.empty() && lesson_.kernels_text.empty())
      result_.notes.push_back("the kernel takes far longer than usual, so it was tried with fewer settings");
    return is_too_long;
  }

  // Returns the first order in which the kernel is wrong; null if it is right in all.
  const NamedOrder* try_all_orders(const Settings& settings) {
    kernel_.prepare(settings);
    const bool is_slow = !kernel_.spent().leaves_room_for_all_orders() && !tried_.empty();
    for (const NamedOrder& order : is_slow ? orders_.subspan(tried_.size() % orders_.size(), 1) : orders_) {
      if (kernel_.passes(order, result_)) continue;
      report(result_);
      if (!runs_forward(order) && is_only_wrong_) {
        CheckResult again;
        judge_later_launch(kernel_.passes(orders_[0], again), result_);
      }
      tried_.push_back({settings, false});
      return &order;
    }
    tried_.push_back({settings, true});
    return nullptr;
  }

  // Makes the last run the reported one.
  void report(const CheckResult& result) {
    if (&result != &result_) result_ = result;
    wrong_ = kernel_.last().wrong;
    line_of_store_ = kernel_.last().line_of_store;
    is_reported_result_wrong_ = kernel_.last().is_result_wrong;
    is_only_wrong_ = kernel_.last().is_result_wrong || result_.pattern == "out-of-bounds-write";
  }

  // Returns whether the same mistake shows at these settings, and then reports it. False if no work is left.
  bool shows_at(const Settings& settings, const NamedOrder& order, double& work_left) {
    work_left -= kernel_.work_at(settings);
    if (work_left < 0) return false;
    CheckResult result = unjudged_;
    const bool right = kernel_.passes_at(settings, order, result);
    tried_.push_back({settings, right});
    if (right || result.pattern != result_.pattern) return false;
    report(result);
    return true;
  }

  // Returns the simplest settings at which the same mistake shows, as far as a limit of work allows: each
  // number is its smallest, or the mistake does not show at the next smaller one.
  Settings shrunk(Settings settings, const NamedOrder& order) {
    double work_left = work_to_draw;
    for (bool has_changed = true; has_changed && work_left > 0;) {
      has_changed = false;
      for (const Settings& simpler : simpler_settings(lesson_, settings)) {
        if (!shows_at(simpler, order, work_left)) continue;
        settings = simpler;
        has_changed = true;
        break;
      }
    }
    for (const SizeOrCount& dimension : sizes_and_counts(lesson_))
      settings = with_smallest(settings, dimension, dimension.min, [&](const Settings& between) {
        return work_left > 0 && shows_at(between, order, work_left);
      });
    return settings;
  }

  // Bisects for the smallest value, `min` or more, that shows the mistake, as if all larger values show it.
  template <class Shows>
  Settings with_smallest(Settings settings, const SizeOrCount& dimension, std::uint64_t min, Shows shows) {
    std::uint64_t too_small = min - 1;
    while (dimension.of(settings) > too_small + 1) {
      Settings between = settings;
      dimension.set(between, too_small + (dimension.of(settings) - too_small) / 2);
      if (accepts(lesson_, between) && shows(between))
        settings = between;
      else
        too_small = dimension.of(between);
    }
    return settings;
  }

  // Returns whether the reported run was stopped: each further run would take as long.
  bool is_endless() const { return result_.pattern == name_of(DefectKind::time_limit); }

  static constexpr std::uint64_t few_elements = 3;

  void explain(const Settings& settings, const NamedOrder& order) {
    shown_ = settings;
    find_where_wrong(settings, order);
    is_limit_named_ |= blame_constant_for_size(lesson_, kernel_.text(), result_);
    const bool is_of_several_runs = is_only_wrong_ && !runs_forward(order);
    if (is_of_several_runs || is_limit_named_) return;
    find_cause_in_few(order);
    const bool ends = !is_endless() && result_.pattern != name_of(DefectKind::too_much_output);
    if (ends && shows_in_few_elements()) show_smallest(order);
  }

  // Runs the smallest problems if the report leaves the cause open. Such a run replaces the reported run if
  // it shows the cause, or if it ends and the reported run was stopped.
  void find_cause_in_few(const NamedOrder& order) {
    const bool is_stopped = is_endless();
    if (!leaves_cause_open(result_, is_reported_result_wrong_)) return;
    if (lines_of(starter_of(lesson_)) == lines_of(kernel_.text())) return;  // needs no cause
    for (std::uint64_t number = few_elements; number <= few_elements + 1; ++number) {
      Settings few = shown_;
      for (const SizeOrCount& dimension : sizes_and_counts(lesson_))
        if (!lesson_.has_size() || dimension.name == "size")
          dimension.set(few, std::min(std::max(number, dimension.min), dimension.of(shown_)));
      Settings with_other_inputs = few;  // few elements may fit a cause by chance
      ++with_other_inputs.seed;
      if (few == shown_ || !accepts(lesson_, few)) continue;
      CheckResult ignored = unjudged_, result = unjudged_;
      kernel_.passes_at(with_other_inputs, order, ignored);
      const Explanation with_others = kernel_.last().wrong;
      if (kernel_.passes_at(few, order, result)) continue;
      const Explanation& wrong = kernel_.last().wrong;
      const bool is_index = wrong.pattern == "input-index" || wrong.pattern == "shifted";
      const bool is_confirmed = with_others.pattern == wrong.pattern && with_others.model == wrong.model;
      const bool is_found =
          kernel_.last().is_result_wrong && is_confirmed &&
          !(is_reported_result_wrong_ && is_refuted(wrong, lesson_.problem(few), result_)) &&
          !leaves_cause_open(result, /*is_result_wrong=*/true);
      const bool has_cause = is_found && (is_reported_result_wrong_ || is_stopped || is_index) &&
                             !result.first_differences.front().is_poison;
      const bool ends_now = is_stopped && result.pattern != result_.pattern;
      if (!has_cause && !ends_now) continue;
      result.where = result_.where;
      result.details.push_back(fmt::format("at {} work items: {}", grouped(result_.size), result_.summary));
      report(result);
      shown_ = few;
      return;
    }
  }

  // Returns whether a few elements show the mistake as well as many, as it does not matter which are wrong.
  bool shows_in_few_elements() const {
    if (!is_reported_result_wrong_) return true;
    const std::vector<Difference>& wrong = result_.first_differences;
    if (wrong.empty() || wrong.front().is_poison) return false;
    const bool are_first = wrong.back().index + 1 == wrong.size() && result_.pattern != "one-wrong-value";
    return specificity_of(result_.pattern) >= (are_first ? Specificity::generic : Specificity::kind) &&
           specificity_of(result_.pattern) != Specificity::location;
  }

  // Shows the same mistake in the smallest problem that has it: a learner can compute a few elements by hand.
  void show_smallest(const NamedOrder& order) {
    constexpr std::uint64_t few_rows = 2;
    constexpr double max_s = 1;  // for kernels that are as slow with few elements, as they print without end
    const double until_s = kernel_.spent().seconds() + max_s;
    double work_left = work_to_draw / 2;
    const auto shows = [&](const Settings& smaller) {
      work_left -= kernel_.work_at(smaller);
      const bool has_time = work_left > 0 && kernel_.spent().seconds() < until_s;
      return has_time && is_same_mistake_at(smaller, order);
    };
    for (const SizeOrCount& dimension : sizes_and_counts(lesson_)) {
      const std::uint64_t few = std::max(dimension.min, dimension.name == "size" ? few_elements : few_rows);
      Settings smallest = shown_;
      dimension.set(smallest, few);
      const bool is_smaller = few < dimension.of(shown_) && accepts(lesson_, smallest);
      shown_ = is_smaller && shows(smallest) ? smallest : with_smallest(shown_, dimension, few + 1, shows);
    }
  }

  // Returns whether the reported mistake shows at these settings, and then reports it there.
  bool is_same_mistake_at(const Settings& settings, const NamedOrder& order) {
    const bool was_result_wrong = is_reported_result_wrong_;
    CheckResult result = unjudged_;
    if (kernel_.passes_at(settings, order, result) || kernel_.last().is_result_wrong != was_result_wrong)
      return false;
    if (result.verdict != result_.verdict) return false;
    Explanation wrong = kernel_.last().wrong;
    if (was_result_wrong) {
      const auto is_reported = [&](const Explanation& explanation) {
        return explanation.model == wrong_.model && explanation.pattern == wrong_.pattern;
      };
      if (!is_reported(wrong)) {
        const auto other = std::ranges::find_if(kernel_.last().wrong.others, is_reported);
        if (other == kernel_.last().wrong.others.end()) return false;
        wrong = *other;
        judge_wrong_result(wrong, result);
      }
    }
    if (result.pattern != result_.pattern || result.line != result_.line) return false;
    if (was_result_wrong) wrong_ = std::move(wrong);
    line_of_store_ = kernel_.last().line_of_store;
    result.where = result_.where;
    result_ = std::move(result);
    return true;
  }

  // Tries the kernel at more settings, to say where else it is wrong.
  void find_where_wrong(const Settings& settings, const NamedOrder& order) {
    if (!is_only_wrong_ || result_.pattern == "state-between-launches") return;
    double work_left = work_to_draw / 2;
    std::vector<Explanation> all_wrong{wrong_};
    for (const Settings& other : settings_around(lesson_, kernel_.block_size(), settings)) {
      if (was_tried(other)) continue;
      const double work = kernel_.work_at(other);
      if (work > work_left) continue;
      work_left -= work;
      CheckResult result = unjudged_;
      tried_.push_back({other, kernel_.passes_at(other, order, result)});
      // Too many explanations fit fewer than 8 elements: twice a value is also the sum of two equal values.
      if (tried_.back().right || (lesson_.has_size() && other.size < 8)) continue;
      if (kernel_.last().is_result_wrong && has_same_words(other, settings) &&
          names_cause(kernel_.last().wrong) &&
          (settings.size <= kernel_.block_size() || other.size > kernel_.block_size()))
        all_wrong.push_back(kernel_.last().wrong);
      const bool is_more_specific =
          (result_.pattern == "wrong-values" && result.pattern.starts_with("out-of-bounds")) ||
          (other.options == settings.options && specificity_of(result_.pattern) == Specificity::generic &&
           specificity_of(result.pattern) == Specificity::exact);
      if (is_more_specific) report(result), shown_ = other;
    }
    keep_best_cause(all_wrong);
    find_limit(settings, order, work_left);
    result_.where = where_right(lesson_, kernel_.block_size(), tried_);
    name_limit();
  }

  // Keeps the cause that fits most of the wrong results.
  void keep_best_cause(const std::vector<Explanation>& all_wrong) {
    if (wrong_.model.empty() || all_wrong.size() < 2 || result_.pattern == unset_variable) return;
    const Explanation best = best_fitting(wrong_, all_wrong);
    if (best.model == wrong_.model) return;
    judge_wrong_result(best, result_);
    wrong_ = best;
  }

  // Finds the exact size from which on the kernel is wrong.
  void find_limit(const Settings& settings, const NamedOrder& order, double& work_left) {
    if (!lesson_.has_size()) return;
    limit_ = size_limit(tried_);
    Settings other = settings;
    while (limit_ && limit_->first_wrong - limit_->last_right > 1) {
      other.size = limit_->last_right + (limit_->first_wrong - limit_->last_right) / 2;
      if (!try_limit_at(other, order, work_left)) break;
    }
    // Looks for a wrong size below the limit, just past each power of two blocks.
    for (std::size_t size = kernel_.block_size(); limit_ && size < limit_->last_right; size *= 2) {
      other.size = size + 1;
      if (!was_tried(other)) try_limit_at(other, order, work_left);
    }
  }

  // Finds the limit again with one more size. Returns whether work was left for it.
  bool try_limit_at(const Settings& settings, const NamedOrder& order, double& work_left) {
    work_left -= kernel_.work_at(settings);
    if (work_left < 0) return false;
    CheckResult ignored = unjudged_;
    tried_.push_back({settings, kernel_.passes_at(settings, order, ignored)});
    limit_ = size_limit(tried_);
    return true;
  }

  bool was_tried(const Settings& settings) const {
    return std::ranges::find(tried_, settings, &TriedSettings::settings) != tried_.end();
  }

  // Names the cause of a limit: the range of a type, or a number in the text.
  void name_limit() {
    if (!limit_ || result_.where.empty() || limit_->first_wrong - limit_->last_right > 1) return;
    if (specificity_of(result_.pattern) == Specificity::exact) return;
    const auto cause = cause_of_small_limit(lesson_, kernel_.text(), *limit_, kernel_.block_size());
    if (!cause) return;
    const bool is_type = cause->line == 0 && !result_.fact.empty();
    report_limit(limit_->last_right, *cause, is_type ? result_.fact : result_.summary);
  }

  // Says up to which size the kernel is right, and the cause of that limit.
  void report_limit(std::size_t last_right, const LimitCause& cause, const std::string& fact) {
    is_limit_named_ = true;
    result_.pattern = cause.pattern;
    result_.summary = "right up to size " + grouped(last_right) + ", wrong beyond" + cause.text + "; " + fact;
    if (cause.line == 0) return;
    result_.line = cause.line;
    result_.source = line_of(kernel_.text(), cause.line);
  }

  bool is_right_in_other_blocks() {
    const unsigned usual = kernel_.block_size();
    for (const unsigned threads : lesson_.checked_blocks) {
      kernel_.set_block_size(threads);
      if (!kernel_.passes_at(check_settings(lesson_, threads).front(), orders_[0], result_)) {
        result_.details.push_back("right in blocks of " + std::to_string(usual) + " threads");
        return false;
      }
      kernel_.set_block_size(usual);
    }
    return true;
  }

  // Runs the last blocks of huge problems, if the kernel passes those of a small one.
  void check_far() {
    if (lesson_.checked_far.sizes.empty()) return;
    const unsigned usual = kernel_.block_size();
    if (lesson_.checked_far.block_size > 0) kernel_.set_block_size(lesson_.checked_far.block_size);
    const std::size_t near_size = 20 * std::size_t{kernel_.block_size()} + kernel_.block_size() / 8;
    const bool has_loops = has_loop(kernel_.text());
    CheckResult ignored = unjudged_;
    if (kernel_.passes_last_blocks(near_size, ignored) &&
        !(has_loops && grows_with_size(near_size, kernel_.last().work.cpu_s)))
      for (const std::size_t size : lesson_.checked_far.sizes) {
        if (size > largest_with_strides && has_loops) continue;  // the index and the stride may overflow
        if (!kernel_.passes_last_blocks(size, ignored)) {
          report_far_limit(near_size, size);
          break;
        }
        far_size_ = size;
      }
    kernel_.set_block_size(usual);
  }

  // Returns whether a thread works longer in a larger problem, so that the last blocks would take minutes.
  bool grows_with_size(std::size_t near_size, double near_s) {
    constexpr std::size_t times_larger = 4, max_times = 4096;
    constexpr double measurable_s = 0.05;
    CheckResult ignored = unjudged_;
    for (std::size_t times = times_larger; times <= max_times; times *= times_larger) {
      kernel_.passes_last_blocks(times * near_size, ignored);
      if (kernel_.last().work.cpu_s > times_larger * near_s + measurable_s) return true;
    }
    return false;
  }

  // Finds the size from which on the kernel is wrong, and says what such a limit is consistent with.
  void report_far_limit(std::size_t right, std::size_t wrong) {
    CheckResult between = unjudged_;
    const bool is_one_number = lesson_.checked_far.block_size == 1;  // a larger one may be right again
    while (!is_one_number && wrong - right > 1) {
      const std::size_t size = right + (wrong - right) / 2;
      if (kernel_.passes_last_blocks(size, between))
        right = size;
      else
        wrong = size;
    }
    result_ = unjudged_;
    kernel_.passes_last_blocks(wrong, result_);
    std::string fact = "at size " + grouped(wrong) + " a thread fails: " + result_.pattern;
    if (result_.pattern.starts_with("out-of-bounds")) fact = "a thread accesses memory far from its arrays";
    if (kernel_.last().is_result_wrong && !result_.first_differences.empty()) {
      const Difference& first = result_.first_differences.front();
      fact = lesson_.problem(lesson_.default_settings()).element + " " + std::to_string(first.index) +
             (first.is_poison ? " is never written"
                              : ": expected " + run::validate::number_text(first.expected) + ", got " +
                                    run::validate::number_text(first.actual));
    }
    if (result_.pattern == "one-wrong-value") result_.pattern = "wrong-values";  // other blocks may be wrong
    result_.where.clear();
    result_.details = {"only the last blocks of such a grid were run"};
    result_.size = wrong;
    if (is_one_number) return static_cast<void>(result_.summary = fact);
    LimitCause cause = cause_of_limit(lesson_, kernel_.text(), right, kernel_.block_size());
    if (result_.pattern == name_of(DefectKind::constant_too_small))
      cause = {.pattern = result_.pattern}, fact = result_.summary;
    report_limit(right, cause, fact);
  }

  const Lesson& lesson_;
  const Trial& trial_;
  const device::KernelSource& source_;
  device::Device& device_;
  CheckedKernel kernel_;
  CheckResult& result_;
  const CheckResult unjudged_;  // the result before the first run
  const std::span<const NamedOrder> orders_ = thread_orders();
  std::vector<TriedSettings> tried_ = {};
  std::optional<SizeLimit> limit_ = {};
  std::size_t far_size_ = 0;  // the last size whose last blocks were right; 0 if there was none
  bool is_reported_result_wrong_ = false;
  bool is_only_wrong_ = false;   // the reported run has only a wrong result, or stores out of bounds
  bool is_limit_named_ = false;  // the report says up to which size the kernel is right, and why
  Settings shown_ = {};          // settings of the reported run
  Explanation wrong_ = {};       // explanation of the reported run
  int line_of_store_ = 0;        // line that stored the first wrong element; 0 if unknown
};

}  // namespace

void check_on_simulator(const Lesson& lesson, const device::KernelSource& source, device::Device& simulator,
                        const Trial& trial, CheckResult& result) {
  SimulatedCheck(lesson, source, simulator, trial, result).run();
}

}  // namespace gpulab::check
