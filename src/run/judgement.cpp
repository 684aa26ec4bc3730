#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "run/validate/comparison.hpp"
#include "run/validate/evidence.hpp"
#include "run/variant_run.hpp"

namespace gpulab::run {
namespace {

// Returns how the elements of an array of that length belong to work items, as far as that is known.
validate::WorkItems work_items(const PreparedProblem& prepared, const VariantExecution& execution,
                               std::size_t length) {
  validate::WorkItems items{.work = prepared.problem.work_items(), .element_name = prepared.problem.element};
  items.is_elementwise = prepared.problem.uses || prepared.problem.references.uses;
  // With several launches, the writer of an element is unknown.
  if (const auto& launch = execution.first_launch()) {
    items.launch = launch->config;
    if (execution.launches() == 1 && !execution.is_of_rank()) items.ownership = launch->ownership;
  }
  if (prepared.problem.first_item)
    items.item_of = [&](std::size_t element) {
      return prepared.problem.first_item(prepared.inputs, element);
    };
  else if (prepared.problem.work || execution.is_of_rank() || length != items.work.volume())
    items.item_of = [](std::size_t) { return std::nullopt; };
  return items;
}

bool computes_output(const Variant& variant, const std::string& output) {
  return variant.computes.empty() || std::ranges::any_of(variant.computes, [&](const AnyOutput& computed) {
           return computed.is_called(output);
         });
}

// Reads outputs from the device, or takes the copies of a variant that copies them itself.
void read_outputs(const RunContext& context, const Variant& variant, VariantExecution& execution,
                  Outputs& outputs) {
  context.arrays.read_outputs(outputs);
  if (!variant.copies_inputs_from) return;
  for (Array& output : outputs)
    std::memcpy(output.bytes().data(), execution.host_output(output.name()).bytes().data(),
                output.bytes().size());
}

// Returns the larger tolerance: a library may be less exact than the lesson's kernels.
Tolerance tolerance_for(const RunContext& context, const Variant& variant) {
  if (!variant.tolerance) return context.tolerance;
  const Tolerance own = variant.tolerance(context.launch_context(variant.block.threads));
  return {.relative = std::max(context.tolerance.relative, own.relative),
          .absolute = std::max(context.tolerance.absolute, own.absolute)};
}

void mark_poison(const Array& output, std::vector<Difference>& differences) {
  for (Difference& difference : differences)
    difference.is_poison = validate::is_poison(output, difference.index);
}

void add_inputs(const PreparedProblem& prepared, std::vector<Difference>& differences) {
  const Uses& inputs_of_element =
      prepared.problem.uses ? prepared.problem.uses : prepared.problem.references.uses;
  if (!inputs_of_element) return;
  for (Difference& difference : differences)
    for (const auto& [input, index] : inputs_of_element(difference.index))
      difference.inputs.push_back({input.name, index, value_of(prepared.inputs.of(input), index),
                                   prepared.inputs.of(input).row_length()});
}

// Returns whether computed candidates would say more.
bool is_vague(const Explanation& explanation) {
  return validate::specificity_of(explanation.pattern) <= validate::Specificity::location;
}

// Returns the results that other choices of the lesson's options would give on the same inputs.
std::vector<validate::OtherResult> other_options(const RunContext& context) {
  std::vector<validate::OtherResult> others;
  for (const Option& option : context.lesson.options) {
    const auto* choice = std::get_if<Choice>(&option.kind);
    for (const std::string& word : choice ? choice->words : std::vector<std::string>()) {
      Settings settings = context.prepared.settings;
      if (settings.word(option.name) == word) continue;
      settings.options.at(option.name) = word;
      try {
        const Problem problem = context.lesson.problem(settings);
        const auto length = [](const SizedArray& array) { return array.length; };
        if (std::ranges::equal(problem.arrays, context.prepared.problem.arrays, {}, length, length))
          others.push_back({fmt::format("--{} {}", option.name, word),
                            problem.references.plain ? problem.references.plain : problem.references.openmp});
      } catch (const UsageError&) {  // inconsistent options
      }
    }
  }
  return others;
}

// Looks for a candidate that gives the same wrong result. Puts its explanation before the present one if that
// says less, else after it.
void compare_with_candidates(const RunContext& context, const validate::WrongResult& wrong,
                             Explanation& explanation) {
  if (!is_vague(explanation) && explanation.model.empty()) return;
  validate::WrongResult all = wrong;
  all.others = other_options(context);
  const auto found = validate::explain_by_candidates(all);
  if (!found) return;
  const bool is_typical = std::ranges::any_of(
      all.problem.typically_wrong, [&](const auto& typical) { return typical.pattern == found->pattern; });
  // Many candidates give zeros by chance, but not those that the lesson names.
  const bool may_be_chance = explanation.pattern == "zero-everywhere" && !is_typical;
  const bool candidate_is_first = is_vague(explanation) && !may_be_chance;
  Explanation best = candidate_is_first ? *found : explanation;
  const Explanation& second = candidate_is_first ? explanation : *found;
  const auto position = candidate_is_first ? best.others.end() : best.others.begin();
  std::vector<Explanation> added = second.others;
  added.insert(added.begin(), second);
  best.others.insert(position, added.begin(), added.end());
  explanation = std::move(best);
}

// Adds to the explanation that only the edges of parts are wrong, if `edges` describes them.
void add_edges(const std::string& edges, const Problem& problem, Explanation& explanation) {
  if (edges.empty()) return;
  const bool is_typical = std::ranges::any_of(problem.typically_wrong, [&](const TypicalResult& typical) {
    return typical.pattern == explanation.pattern;
  });
  for (Explanation& other : explanation.others) add_edges(edges, problem, other);
  const std::string where = "wrong only at " + edges;
  if (!is_typical && is_vague(explanation))
    explanation = {.pattern = "seam", .fact = where};
  else
    explanation.fact =
        where + ": " + (is_typical && !explanation.cause().empty() ? explanation.cause() : explanation.fact);
  if (is_typical) explanation.computed = explanation.guess = "";
}

void set_explanation(Explanation explanation, VariantResult& result) {
  result.pattern = explanation.pattern;
  result.explanation = explanation.text();
  result.wrong = std::move(explanation);
}

void compare_outputs(const RunContext& context, const Variant& variant, const VariantExecution& execution,
                     const Outputs& outputs, VariantResult& result) {
  for (std::size_t i = 0; i < outputs.count(); ++i) {
    const Array& expected = context.prepared.expected.at(i);
    if (!computes_output(variant, expected.name())) continue;
    const validate::Comparison comparison =
        validate::compare(outputs.at(i), expected, tolerance_for(context, variant));
    if (comparison.right() || result.observed == Outcome::wrong) continue;
    result.observed = Outcome::wrong;
    result.wrong_elements = comparison.wrong;
    result.first_differences = comparison.first;
    for (Difference& difference : result.first_differences) difference.row_length = expected.row_length();
    mark_poison(outputs.at(i), result.first_differences);
    add_inputs(context.prepared, result.first_differences);
    const validate::WorkItems items = work_items(context.prepared, execution, expected.length());
    Explanation explanation = validate::explain_difference(comparison, outputs.at(i), expected, items);
    const PreparedProblem& prepared = context.prepared;
    const Traffic traffic = prepared.problem.min_traffic();
    compare_with_candidates(context,
                            {.problem = prepared.problem,
                             .inputs = prepared.inputs,
                             .output = i,
                             .actual = outputs.at(i),
                             .expected = expected,
                             .comparison = comparison,
                             .items = items,
                             .work = traffic.bytes_read / sizeof(float) + traffic.operations},
                            explanation);
    if (!execution.is_of_rank())
      add_edges(
          wrong_edges_of_ranks(prepared.problem, outputs.at(i), expected, tolerance_for(context, variant)),
          prepared.problem, explanation);
    set_explanation(std::move(explanation), result);
  }
}

// Copies the inputs that a variant has not copied. Before it runs, all are poisoned if it copies inputs
// itself, and it need not copy all of them.
void restore_uncopied_inputs(const RunContext& context, const VariantExecution& execution) {
  for (const Array& input : context.prepared.inputs)
    if (!execution.copied_to_device(input.name())) context.arrays.copy_input(input);
}

void set_out_of_bounds(const std::string& explanation, VariantResult& result) {
  result.observed = Outcome::out_of_bounds;
  result.explanation = explanation;
  result.wrong = {};
}

// Checks inputs and guard zones for writes.
void check_other_memory(const RunContext& context, const VariantExecution& execution, VariantResult& result) {
  if (const SizedArray* changed = context.arrays.changed_input(context.prepared.inputs)) {
    set_out_of_bounds("wrote into " + changed->name + ", which is an input", result);
    context.arrays.copy_inputs(context.prepared.inputs);  // the next variants need them
  }
  if (const auto damaged = context.arrays.damaged_array()) {
    const SizedArray& array = *damaged->array;
    set_out_of_bounds(validate::explain_guard_hit(damaged->hit, array.name, array.length, array.type,
                                                  work_items(context.prepared, execution, array.length)),
                      result);
  }
}

// Returns the expected outputs, overwritten by this rank's part.
Outputs outputs_of_rank(const RunContext& whole, const RunContext& part, const PartOfProblem& held) {
  Outputs own(part.prepared.problem.arrays), all(whole.prepared.problem.arrays);
  part.arrays.read_outputs(own);
  for (Array& output : all) {
    const Array& mine = *own.find(output.name());
    const auto divided = std::ranges::find_if(
        held.arrays, [&](const HeldPart& part_held) { return part_held.array.is_called(output.name()); });
    const std::size_t first = divided == held.arrays.end() ? 0 : divided->held.first;
    std::ranges::copy(whole.prepared.expected.find(output.name())->bytes(), output.bytes().begin());
    std::ranges::copy(mine.bytes(),
                      output.bytes().begin() + static_cast<std::ptrdiff_t>(first * size_of(output.type())));
  }
  return all;
}

}  // namespace

void judge_rank(const RunContext& whole, const RunContext& part, const PartOfProblem& held,
                const Variant& variant, VariantExecution& execution, VariantResult& result) {
  const Outputs outputs = outputs_of_rank(whole, part, held);
  result.observed = Outcome::right;
  compare_outputs(whole, variant, execution, outputs, result);
  if (result.observed == Outcome::wrong)
    for (const HeldPart& divided : held.arrays)
      if (const Array* const output = outputs.find(divided.array.name)) {
        const std::string edges = wrong_edges(*output, *whole.prepared.expected.find(divided.array.name),
                                              divided, tolerance_for(whole, variant));
        if (edges.empty()) continue;
        Explanation explanation = result.wrong;
        add_edges(edges + " of its part", whole.prepared.problem, explanation);
        set_explanation(std::move(explanation), result);
      }
  check_other_memory(part, execution, result);
}

Outputs judge(const RunContext& context, const Variant& variant, VariantExecution& execution,
              VariantResult& result) {
  Outputs outputs(context.prepared.problem.arrays);
  read_outputs(context, variant, execution, outputs);
  result.observed = Outcome::right;
  compare_outputs(context, variant, execution, outputs, result);
  if (variant.copies_inputs_from) restore_uncopied_inputs(context, execution);
  check_other_memory(context, execution, result);
  if (result.observed == Outcome::right && execution.leaked_bytes() > 0) {
    result.observed = Outcome::leaks;
    result.explanation =
        grouped(execution.leaked_bytes()) +
        " bytes of device memory were allocated and never freed: every further run takes as much again";
  }
  return outputs;
}

TimedResults::TimedResults(const RunContext& context, const Variant& variant)
    : context_(context),
      tolerance_(tolerance_for(context, variant)),
      key_(std::random_device()()),
      wrong_(context.device, sizeof(std::uint32_t)) {
  constexpr const char* file = "timed_results.cu";
  device::Module& module = context.modules.compiled({file, embedded_kernel_file(file)}, {});
  const auto hide_words =
      module.kernel("hide_words", signature_of<std::uint32_t*, std::uint32_t, std::uint32_t>());
  count_wrong_ = module.kernel("count_wrong",
                               signature_of<const std::uint32_t*, const std::uint32_t*, int, std::uint32_t,
                                            std::uint32_t, double, double, std::uint32_t*>());
  context.device.set(wrong_.address(), 0, sizeof(std::uint32_t), context.stream);
  for (const Array& array : context.prepared.expected) {
    if (!computes_output(variant, array.name())) continue;
    const std::size_t words = ceil_div(array.bytes().size(), sizeof(std::uint32_t));
    device::DeviceMemory hidden(context.device, words * sizeof(std::uint32_t));
    context.device.copy_to_device(hidden.address(), array.bytes(), context.stream);
    launch(*hide_words, words, {hidden.address(), words, key_});
    expected_.push_back({array, std::move(hidden)});
  }
}

void TimedResults::launch(const device::Kernel& kernel, std::size_t threads,
                          std::vector<std::uint64_t> values) {
  constexpr std::size_t block = 256, max_blocks = 1024;
  std::vector<void*> arguments;
  for (std::uint64_t& value : values) arguments.push_back(&value);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(threads / block, 1, max_blocks));
  context_.device.launch(kernel, {.grid = {blocks}, .block = {block}}, arguments.data(), context_.stream);
}

void TimedResults::compare() {
  for (const auto& [array, hidden] : expected_) {
    const bool is_exact = array.type() != ElementType::float32 && array.type() != ElementType::float64;
    const Tolerance tolerance = is_exact ? Tolerance{.relative = 0, .absolute = 0} : tolerance_;
    launch(
        *count_wrong_, array.length(),
        {context_.arrays.address_of(array.name()), hidden.address(), static_cast<std::uint64_t>(array.type()),
         array.length(), key_, std::bit_cast<std::uint64_t>(tolerance.relative),
         std::bit_cast<std::uint64_t>(tolerance.absolute), wrong_.address()});
  }
}

std::uint32_t TimedResults::wrong_elements() {
  std::uint32_t count = 0;
  context_.device.copy_to_host(std::as_writable_bytes(std::span(&count, 1)), wrong_.address(),
                               context_.stream);
  context_.device.synchronize(context_.stream);
  return count;
}

bool replaces_or_adds(const RunContext& context, const Variant& variant, VariantExecution& execution) {
  if (variant.copies_inputs_from) return true;  // its outputs are on the host, where no kernel finds them
  Outputs before(context.prepared.problem.arrays), after(context.prepared.problem.arrays);
  execution.prepare_run();
  for (Array& output : before) {
    const Array& expected = *context.prepared.expected.find(output.name());
    with_type(output.type(), [&](auto zero) {
      using T = decltype(zero);
      // Any values will do that are not the right ones.
      for (std::size_t i = 0; i < output.length(); ++i)
        output.as<T>()[i] = static_cast<T>(2 * expected.as<T>()[(i + 1) % output.length()] + 1);
    });
    context.arrays.copy_input(output);
  }
  execution.run();
  context.arrays.read_outputs(after);
  return std::ranges::all_of(after, [&](Array& output) {
    if (!computes_output(variant, output.name())) return true;
    const Array& expected = *context.prepared.expected.find(output.name());
    const auto is_right = [&] {
      return validate::compare(output, expected, tolerance_for(context, variant)).right();
    };
    if (is_right()) return true;
    with_type(output.type(), [&](auto zero) {
      using T = decltype(zero);
      for (std::size_t i = 0; i < output.length(); ++i)
        output.as<T>()[i] = static_cast<T>(output.as<T>()[i] - before.find(output.name())->as<T>()[i]);
    });
    return is_right();
  });
}

namespace {

bool is_row_wrong(const Array& output, const Array& expected, std::size_t width, std::size_t row,
                  const Tolerance& tolerance) {
  for (std::size_t i = row * width; i < (row + 1) * width; ++i)
    if (!validate::is_close(value_of(output, i), value_of(expected, i), tolerance)) return true;
  return false;
}

std::string rows(const char* which, std::size_t count) {
  return std::string(which) + (count == 1 ? " row" : " " + grouped(count) + " rows");
}

// Counts of the wrong rows of one part.
struct WrongRows {
  std::size_t at_start = 0;    // wrong rows before the first right one
  std::size_t at_end = 0;      // wrong rows after the last right one
  std::size_t in_between = 0;  // other wrong rows
  std::size_t rows = 0;        // all rows of the part, wrong or right

  bool any() const { return at_start + at_end + in_between > 0; }
  // Returns whether the wrong rows are at the ends alone, with right rows between.
  bool only_at_ends() const { return in_between == 0 && at_start + at_end < rows; }
};

WrongRows wrong_rows(const Array& output, const Array& expected, const HeldPart& part,
                     const Tolerance& tolerance) {
  WrongRows wrong{.rows = part.held.count / part.width};
  std::vector<bool> is_wrong;
  for (std::size_t row = 0; row < wrong.rows; ++row)
    is_wrong.push_back(
        is_row_wrong(output, expected, part.width, part.held.first / part.width + row, tolerance));
  const auto first_right = std::ranges::find(is_wrong, false);
  wrong.at_start = static_cast<std::size_t>(first_right - is_wrong.begin());
  if (first_right == is_wrong.end()) return wrong;
  while (is_wrong[wrong.rows - 1 - wrong.at_end]) ++wrong.at_end;
  wrong.in_between =
      static_cast<std::size_t>(std::ranges::count(is_wrong, true)) - wrong.at_start - wrong.at_end;
  return wrong;
}

std::string text_of(const WrongRows& wrong) {
  const std::string first = rows("the first", wrong.at_start), last = rows("the last", wrong.at_end);
  if (wrong.at_end == 0) return first;
  return wrong.at_start == 0 ? last : first + " and " + last;
}

}  // namespace

std::string wrong_edges(const Array& output, const Array& expected, const HeldPart& part,
                        const Tolerance& tolerance) {
  if (part.width == 0) return {};
  const WrongRows wrong = wrong_rows(output, expected, part, tolerance);
  return wrong.any() && wrong.only_at_ends() ? text_of(wrong) : "";
}

std::string wrong_edges_of_ranks(const Problem& problem, const Array& output, const Array& expected,
                                 const Tolerance& tolerance) {
  if (!problem.part || problem.ranks_in_turn < 2) return {};
  struct AtRanks {
    std::string where;
    int first_rank = 0, last_rank = 0;
  };
  std::vector<AtRanks> all;
  for (int rank = 0; rank < problem.ranks_in_turn; ++rank)
    for (const HeldPart& part : problem.part(rank, problem.ranks_in_turn).arrays) {
      if (!part.array.is_called(output.name()) || part.width == 0) continue;
      const WrongRows wrong = wrong_rows(output, expected, part, tolerance);
      if (!wrong.any()) continue;
      if (!wrong.only_at_ends()) return {};
      if (!all.empty() && all.back().where == text_of(wrong) && all.back().last_rank + 1 == rank)
        all.back().last_rank = rank;
      else
        all.push_back({text_of(wrong), rank, rank});
    }
  constexpr std::size_t max_shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(max_shown, all.size()); ++i) {
    const auto& [where, first, last] = all[i];
    text +=
        (i == 0 ? "" : ", ") + where + (first == last ? " of rank " : " of ranks ") + std::to_string(first);
    if (first < last) text += (first + 1 == last ? " and " : " to ") + std::to_string(last);
  }
  return all.size() > max_shown ? text + ", and so on" : text;
}

}  // namespace gpulab::run
