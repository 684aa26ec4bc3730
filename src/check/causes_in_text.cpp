#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/own_exercises.hpp"
#include "run/validate/evidence.hpp"

namespace gpulab::check {

// Slips of the pen, wrong variables and guards, and the choice between all causes that a text shows.

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value, source::is_operation,
    source::use_at, source::uses_between;

CheckPlace at_line(const Code& code, std::size_t at, const char* pattern, std::string text) {
  return {.line = code[at].line, .pattern = pattern, .text = std::move(text)};
}

bool has_symbol(const Code& code, std::string_view symbol, std::size_t begin, std::size_t end) {
  while (begin < end && code.text(begin) != symbol) ++begin;
  return begin < end;
}

bool is_shared_element(const Code& code, const Variables& variables, std::size_t name) {
  return code.text(name + 1) == "[" && std::ranges::any_of(variables, [&](const LocalVariable& local) {
           return local.name == code.text(name) && local.is_array && local.is_shared && local.at != name;
         });
}

const LocalVariable* initialized_variable(const Code& code, const Variables& variables, std::size_t at) {
  const LocalVariable* found = nullptr;  // the last one hides those before it
  for (const LocalVariable& local : variables)
    if (local.name == code.text(at) && local.at < at && at < local.scope_end) found = &local;
  return found && found->has_initializer ? found : nullptr;
}

std::pair<std::size_t, std::size_t> function_around(const Code& code, std::size_t at) {
  const auto is_mark = [&](std::size_t token) {
    return code.text(token) == "__global__" || code.text(token) == "__device__";
  };
  std::size_t begin = at, end = at;
  while (begin > 0 && !is_mark(begin)) --begin;
  while (end < code.size() && !is_mark(end)) ++end;
  return {begin, end};
}

std::string_view last_parameter(const Code& code) {
  std::size_t at = 0;
  while (at < code.size() && code.text(at) != "__global__") ++at;
  const std::size_t close = code.matching(source::start_of_parameters(code, at));
  return close < code.size() ? code.text(close - 1) : "";
}

bool depends_on(const Code& code, const Variables& variables, std::string_view word, std::size_t begin,
                std::size_t end) {
  const auto is_hidden = [&](const LocalVariable& outer) {
    return std::ranges::any_of(variables, [&](const LocalVariable& inner) {
      return inner.name == outer.name && outer.at < inner.at && inner.at < outer.scope_end &&
             inner.at < end && end <= inner.scope_end && !has_word(code, outer.name, begin, inner.at);
    });
  };
  return has_word(code, word, begin, end) || std::ranges::any_of(variables, [&](const LocalVariable& local) {
           const bool is_visible = local.at < end && begin < local.scope_end;
           const std::size_t initializer = local.at + 1;
           return is_visible && has_word(code, local.name, begin, end) && !is_hidden(local) &&
                  has_word(code, word, initializer, end_of_value(code, initializer));
         });
}

namespace {

// Finds a variable whose first use reads it before anything has set it.
Cause unset_local(const Code& code, const Variables& variables) {
  for (const LocalVariable& local : variables) {
    const std::size_t first = source::uninitialized_use(code, local);
    if (first == code.size()) continue;
    const char* predicate = is_operation(code, first + 1, "+=")           ? "adds to it"
                            : use_at(code, first) == VariableUse::changed ? "changes it"
                                                                          : "reads it";
    return at_line(
        code, first, unset_variable,
        fmt::format("'{}' is never set before line {} {}", local.name, code[first].line, predicate));
  }
  return std::nullopt;
}

// Finds an array without __shared__ with indices that depend on threadIdx, as if a block's threads shared it.
Cause private_array(const Code& code, const Variables& variables) {
  for (const LocalVariable& local : variables) {
    if (!local.is_array || local.is_shared || local.is_const) continue;
    std::set<std::string> indices;
    bool depends_on_thread = false;
    for (const std::size_t use : uses_between(code, local.name, local.at + 1, local.scope_end)) {
      std::size_t end = use + 1;
      while (code.text(end) == "[") end = code.after_bracket(end);
      std::string index;
      for (std::size_t at = use + 1; at < end; ++at) index += code.text(at);
      depends_on_thread |= depends_on(code, variables, "threadIdx", use + 1, end);
      indices.insert(index);
    }
    if (depends_on_thread && indices.size() > 1)
      return at_line(code, local.at, "not-shared",
                     fmt::format("line {} declares '{}' without __shared__, so each thread has its own array",
                                 code[local.at].line, local.name));
  }
  return std::nullopt;
}

bool has_only_floats(const Lesson& lesson) {
  return std::ranges::all_of(lesson.problem(lesson.default_settings()).arrays, [](const SizedArray& array) {
    return array.role == Role::scratch || array.type == ElementType::float32 ||
           array.type == ElementType::float64;
  });
}

// Finds a variable of an integer type that gets an element, a sum of elements, or a square root.
Cause sum_in_an_integer(const Code& code, const Variables& variables) {
  constexpr const char* roots[] = {"sqrt", "sqrtf", "rsqrt", "rsqrtf"};
  const auto is_real = [](const LocalVariable& local) {
    return local.type == "float" || local.type == "double" || local.type.ends_with("half");
  };
  for (const LocalVariable& local : variables) {
    if (is_real(local) || local.type == "auto" || local.is_pointer) continue;
    for (const std::size_t use : uses_between(code, local.name, local.at, local.scope_end)) {
      std::size_t next = use + 1;
      while (code.text(next) == "[") next = code.after_bracket(next);
      const bool adds = is_operation(code, next, "+=");
      const std::size_t end = end_of_value(code, next + 1);
      const bool is_fractional =
          has_symbol(code, "[", next, end) ||
          std::ranges::any_of(variables,
                              [&](const LocalVariable& other) {
                                return is_real(other) && has_word(code, other.name, next, end);
                              }) ||
          std::ranges::any_of(roots, [&](const char* root) { return has_word(code, root, next, end); });
      if (is_fractional && (adds || is_plain_assignment(code, next)))
        return at_line(code, local.at, "whole-numbers",
                       fmt::format("line {} declares '{}' as {}, so what line {} {} loses its fraction",
                                   code[local.at].line, local.name, local.type, code[use].line,
                                   adds ? "adds" : "stores"));
    }
  }
  return std::nullopt;
}

// Returns whether an integer may be on the way of a value: a cast, a rounding, a division by a whole number,
// a function of the file, or a variable that is neither a number nor an index of the grid.
bool may_lose_fractions(const Code& code, const Variables& variables) {
  static const std::regex loss(
      R"(\b(unsigned|int|long|short) [()>]|/ \d+ |\b(trunc|floor|ceil|l*round|l*rint|__float2)|__device__)");
  std::string text;
  for (const source::CodeToken& token : code.tokens()) text.append(token.text) += ' ';
  return std::regex_search(text, loss) || std::ranges::any_of(variables, [&](const LocalVariable& local) {
           if (local.type == "float" || local.type == "double" || local.is_pointer) return false;
           const std::size_t begin = local.at + 2, end = end_of_value(code, begin);
           const bool is_number = code[begin].kind == source::TokenKind::number && end == begin + 1;
           return code.text(local.at + 1) != "=" ||
                  (!is_number && !depends_on(code, variables, "threadIdx", begin, end) &&
                   !depends_on(code, variables, "blockIdx", begin, end));
         });
}

// Returns whether that element, or the next one, is the first that is wrong, and was not written.
bool begins_unwritten_at(const CheckResult& result, std::size_t element) {
  if (result.first_differences.empty()) return false;
  const Difference& first = result.first_differences.front();
  return first.is_poison && (first.index == element || first.index == element + 1);
}

// Finds a guard that compares an index with the number of threads in a block, where the elements of only the
// first block were stored, or the other blocks add nothing.
Cause guard_of_one_block(const Code& code, const Variables& variables, const CheckResult& result) {
  const bool leaves_out = result.pattern == "skipped-elements";
  if (!leaves_out && !begins_unwritten_at(result, result.block_size)) return std::nullopt;
  for (std::size_t at = 2; at < code.size(); ++at) {
    if (leaves_out && is_operation(code, at, "==") && component_of(code, at - 3, "blockIdx") == "x" &&
        code.text(at + 2) == "0" && depends_on(code, variables, "threadIdx", at, end_of_value(code, at)))
      return at_line(code, at, "skipped-elements",
                     fmt::format("line {} lets only block 0 through, and what other blocks have is lost",
                                 code[at].line));
    const std::size_t limit = code.text(at + 1) == "=" ? at + 2 : at + 1;
    const bool is_block_size = code.text(limit) == std::to_string(result.block_size) ||
                               (component_of(code, limit, "blockDim") == "x" && code.text(limit + 3) != "*");
    if (code.text(at) != "<" || !code.is_word(at - 1) || code.text(at - 2) == "." || !is_block_size ||
        (leaves_out && !depends_on(code, variables, "blockIdx", at - 1, at)))
      continue;
    return at_line(code, at, leaves_out ? "skipped-elements" : "constant-for-size",
                   fmt::format("line {} compares '{}' with the threads of one block{}", code[at].line,
                               code.text(at - 1), leaves_out ? ", and it counts those of all blocks" : ""));
  }
  return std::nullopt;
}

// Finds the sizeof of a pointer, where that of an array was probably meant.
Cause size_of_pointer(const Code& code, const Variables& variables) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t name = code.text(at + 1) == "(" ? at + 2 : at + 1;
    const std::string_view behind = code.text(name + 1);
    if (code.text(at) != "sizeof" || !code.is_word(name) || behind == "[" || behind == ".") continue;
    const auto local = std::ranges::find(variables, code.text(name), &LocalVariable::name);
    if (local != variables.end() ? !local->is_pointer || local->is_array
                                 : !source::is_pointer_parameter(code, code.text(name)))
      continue;
    return at_line(code, at, "sizeof-pointer",
                   fmt::format("line {} takes the sizeof of '{}', a pointer: that is 8 bytes, however many "
                               "elements it points to",
                               code[at].line, code.text(name)));
  }
  return std::nullopt;
}

// Finds a memcpy() whose last argument counts elements.
Cause elements_for_bytes(const Code& code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.text(at) != "memcpy" || code.text(at + 1) != "(") continue;
    const auto [begin, end] = source::argument_tokens(code, at, 2);
    if (end == begin + 1 && code.is_word(begin))
      return at_line(code, at, "copy-size",
                     fmt::format("line {} gives memcpy {}, and memcpy counts bytes: write {} * sizeof(float)",
                                 code[at].line, code.text(begin), code.text(begin)));
  }
  return std::nullopt;
}

// Finds a quotient of two numbers that is 0, as 1 / 2 is for whole numbers, or of a number and a cast to int.
Cause quotient_of_0(const Code& code) {
  const auto whole = [&](std::size_t at) {
    const bool is_whole = code.text(at).find_first_not_of("0123456789") == std::string_view::npos;
    return is_whole ? number_at(code, at, 0) : 0;
  };
  for (std::size_t at = 2; at + 1 < code.size(); ++at)
    if (code.text(at) == "/" && 0 < whole(at - 1) && whole(at - 1) < whole(at + 1) &&
        (code.text(at - 2) == "return" || std::string_view("(,=+-").find(code.text(at - 2)) < 5))
      return at_line(code, at, "whole-numbers",
                     fmt::format("line {0} has {1} / {2}, which is 0 for whole numbers: write {1}.0f / {2}",
                                 code[at].line, code.text(at - 1), code.text(at + 1)));
    else if (code.text(at) == "/" && 0 < whole(at - 1) &&
             (code.text_between(at + 1, at + 4) == "(int)" || code.text_between(at + 1, at + 3) == "int("))
      return at_line(code, at, "whole-numbers",
                     fmt::format("line {} divides {} by an int, which drops the fraction: leave out the cast",
                                 code[at].line, code.text(at - 1)));
  return std::nullopt;
}

// Returns whether the result counts some elements, or all, more than once.
bool is_multiple(const CheckResult& result) {
  return result.pattern == "counted-twice" || result.pattern == "constant-factor" ||
         result.pattern == "doubled";
}

// Returns whether an instructor's exercise says how many blocks there are, so that a block may have a row.
bool has_chosen_grid(const Lesson& lesson) {
  return !lesson.kernels_text.empty() &&
         launch_of_solution(lesson, lesson.default_settings()).ownership == Ownership::unknown;
}

Cause cause_of_wrong_result(const Lesson& lesson, const Code& code, const Variables& variables,
                            const CheckResult& result) {
  const bool is_real = has_only_floats(lesson);
  const bool has_size = lesson.has_size();  // one size, and so blocks and grids of one dimension
  const bool is_unwritten = result.pattern.starts_with("unwritten") || result.pattern == "only-one-element";
  for (const Cause& cause :
       {unset_local(code, variables),
        symbol_of_other_type(lesson, code),
        size_of_pointer(code, variables),
        elements_for_bytes(code),
        narrow_index(code, variables, result.size),
        has_size ? guard_of_one_block(code, variables, result) : std::nullopt,
        private_array(code, variables),
        is_real ? sum_in_an_integer(code, variables) : std::nullopt,
        is_real ? quotient_of_0(code) : std::nullopt,
        break_in_first_iteration(code, result),
        result.pattern == "seam-own" ? uncompared_index(code, variables, any_line) : std::nullopt,
        is_multiple(result) ? sum_added_by_all_threads(code, variables, result) : std::nullopt,
        result.pattern == "unwritten-everywhere" ? inverted_guard(code, variables) : std::nullopt,
        has_chosen_grid(lesson) ? std::nullopt : index_in_grid(code, result.block_size),
        same_in_every_tile(code, variables),
        result.pattern.starts_with("unwritten") ? return_in_loop(code, result) : std::nullopt,
        result.pattern == "unwritten-tail" ? guard_before_last(code, result) : std::nullopt,
        result.pattern == "too-few" ? guarded_bins(code, variables) : std::nullopt,
        result.pattern == "zero-everywhere" ? unstored_output(code) : std::nullopt,
        is_unwritten ? unread_variable(code, variables) : std::nullopt,
        has_size ? y_without_x(code) : swapped_x_and_y(code, variables),
        step_of_one(code, variables),
        stored_twice(code),
        has_size && is_multiple(result) ? loop_over_whole_input(code, variables) : std::nullopt,
        has_size && is_unwritten ? repeated_loop(code, variables, any_line) : std::nullopt,
        shuffle_by_whole_warp(code, variables),
        private_sum(code, variables),
        wrong_tree_bounds(code, variables, result),
        single_step_of_tree(code, variables),
        counts_for_each_element(code, variables)})
    if (cause) return cause;
  if (result.pattern == "input-index")
    if (Cause exchanged = exchanged_in_read(code, variables)) return exchanged;
  if (Cause product = one_product_for_each_tile(code, variables)) return product;
  Cause stored_and_read = exchanged_in_tile(code, variables);
  if (stored_and_read) {
    stored_and_read->pattern = result.pattern;
    return stored_and_read;
  }
  if (Cause counted = counted_in_other_index(code, variables)) return counted;
  Cause overwritten = overwritten_sum(code, variables);
  if (overwritten && !solution_adds_up(lesson)) overwritten.reset();
  const bool is_unexplained =
      run::validate::specificity_of(result.pattern) == run::validate::Specificity::generic;
  if (overwritten || !is_unexplained) return overwritten;
  const Cause unused = unused_counter(code);
  return unused ? unused : unread_input(lesson, code);
}

// Returns whether the access missed its array by one element.
bool is_off_by_one(const Defect& defect) {
  const std::string& type = defect.detail;  // type of an indexed array: "float[256]"
  if (defect.kind == DefectKind::array_index)
    return type.substr(std::min(type.find('['), type.size())).starts_with(fmt::format("[{}]", defect.index));
  const std::uintptr_t begin = defect.memory.begin;
  const bool is_just_before = defect.address + defect.bytes == begin;
  const bool is_just_after = defect.address == begin + defect.memory.bytes;
  return begin > 0 && (is_just_before || is_just_after);
}

// Finds a function above that line that nothing calls.
Cause uncalled_function(const Code& code, int line) {
  for (std::size_t at = 0; at < code.size() && code[at].line < line; ++at) {
    const std::size_t open =
        code.text(at) == "__device__" ? source::start_of_parameters(code, at) : code.size();
    if (open >= code.size() || code.text(code.after_bracket(open)) != "{") continue;
    const std::string_view name = code.text(open - 1);
    if (uses_between(code, name, open, code.size()).empty())
      return CheckPlace{
          .line = line,
          .pattern = "out-of-bounds-read",
          .text = fmt::format("nothing calls '{}', which line {} defines", name, code[open].line)};
  }
  return std::nullopt;
}

// Finds the cause of an access out of bounds. `has_rows` is true for a kernel whose data has rows and
// columns.
Cause cause_of_index(const Code& code, const Variables& variables, const CheckResult& result, bool has_rows) {
  // The last block counts up to its end, whatever the size is.
  if (Cause narrow = narrow_index(code, variables, std::max<std::size_t>(result.size, result.block_size - 1)))
    return narrow;
  if (Cause own = private_array(code, variables)) return own;
  if (Cause inverted = inverted_guard(code, variables)) return inverted;
  if (Cause ampersand = single_ampersand(code, result.line)) return ampersand;
  Cause cause = weak_guard(code);
  if (!cause && result.defect && is_off_by_one(*result.defect))
    cause = off_by_one(code, variables, result.line);
  if (!cause && result.defect) cause = loop_beyond_array(code, *result.defect);
  if (!cause) cause = index_of_grid_in_shared(code, variables, result.line);
  if (!cause && has_rows) cause = missing_guard(code, variables, result.line);
  if (!cause && result.defect) cause = limit_of_guard(code, variables, *result.defect);
  const std::size_t after = code.first_from_line(result.line + 1);
  const bool has_guard =
      after > 0 && end_of_if_around(code, function_around(code, after - 1).first, after - 1) > 0;
  if (!cause) cause = uncalled_function(code, result.line);
  if (!cause && !has_rows && !has_guard) cause = uncompared_index(code, variables, result.line);
  if (cause) cause->pattern = result.pattern;
  return cause;
}

Cause cause_of_failure(const Lesson& lesson, const Code& code, const Variables& variables,
                       bool is_result_wrong, const CheckResult& result) {
  if (is_result_wrong) return cause_of_wrong_result(lesson, code, variables, result);
  const bool has_no_line = result.pattern == "out-of-bounds-write" && result.line == 0 && !result.defect;
  if (has_no_line) return store_to_input(lesson, code);
  if (result.pattern == "uninitialised-shared" || result.pattern.starts_with("out-of-bounds"))
    if (Cause tree = wrong_tree_bounds(code, variables, result)) return tree;
  const bool is_beyond_shared = result.pattern == name_of(DefectKind::not_enough_shared);
  if (is_beyond_shared || result.pattern.starts_with("out-of-bounds"))
    return cause_of_index(code, variables, result, !lesson.has_size());
  if (result.pattern == "uninitialised-shared") {
    Cause index = index_of_grid_in_shared(code, variables, any_line);
    if (index) index->pattern = "uninitialised-shared";
    return index || !result.defect ? index : conditional_store(code, variables, *result.defect);
  }
  if (result.pattern == "race-shared") return sum_added_by_all_threads(code, variables, result);
  if (result.pattern == "uninitialised-global") {
    const Cause changed = changed_before_set(code, result);
    const bool is_stored_to =  // and not the output of the launch before
        result.defect && has_word(code, result.defect->memory.variable, code.first_from_line(result.line),
                                  code.first_from_line(result.line + 1));
    return changed || is_stored_to ? changed : uncompared_index(code, variables, result.line);
  }
  if (result.pattern == "race-global-index" && lesson.has_size())
    return result.defect ? index_of_both(code, variables, *result.defect) : std::nullopt;
  if (result.pattern.starts_with("race-global") && !lesson.has_size()) {
    Cause missing = missing_guard(code, variables, result.line);
    const bool has_spare_threads = lesson.kernels_text.empty();  // another exercise may launch none
    return missing || !has_spare_threads ? missing : uncompared_index(code, variables, result.line);
  }
  if (result.pattern == name_of(DefectKind::division_by_zero))
    return wrong_divisor(code, variables, result.line);
  return result.pattern == name_of(DefectKind::other) ? renamed_variable(lesson, code) : std::nullopt;
}

// Returns the name of a kernel's last parameter, if nothing uses it; empty otherwise.
std::string unused_last_parameter(const Code& code) {
  const std::string_view name = last_parameter(code);
  return std::ranges::count(code.tokens(), name, &source::CodeToken::text) == 1 ? std::string(name) : "";
}

// Returns whether the result fits a kernel that uses the number in place of the size.
bool fits_number(const CheckResult& result, std::size_t number) {
  const std::string& pattern = result.pattern;
  if (result.line > 0) return pattern.starts_with("out-of-bounds") || pattern.starts_with("uninitialised");
  const bool is_unwritten = !result.first_differences.empty() && result.first_differences.front().is_poison;
  return number < result.size && (!is_unwritten || begins_unwritten_at(result, number));
}

}  // namespace

void blame(const CheckPlace& cause, const Code& code, CheckResult& result) {
  result.pattern = cause.pattern;
  const bool replaces_summary =
      result.summary.empty() || (result.verdict == Verdict::does_not_compile && cause.line == result.line);
  result.summary = replaces_summary ? cause.text : cause.text + "; " + result.summary;
  result.line = cause.line;
  result.source = line_of(code.whole(), cause.line);
  result.where.clear();
  const bool is_line_of_other = result.defect && result.defect->other && !result.related.empty() &&
                                result.related.front().line == cause.line;
  if (!is_line_of_other || result.defect->party.line == cause.line) return;
  Defect turned = *result.defect;
  std::swap(turned.party, *turned.other);
  result.related.front() = {.line = turned.other->line, .text = text_of_other_party(turned)};
}

bool blame_slip(const Code& code, CheckResult& result) {
  if (result.verdict == Verdict::right || result.verdict == Verdict::not_checked) return false;
  const std::optional<source::Slip> slip = source::first_slip(code);
  if (!slip) return false;
  if (result.defect && !result.fact.empty()) result.summary = result.fact;
  if (slip->pattern == std::string_view("missing-semicolon")) result.summary.clear();
  blame({.line = slip->line, .pattern = slip->pattern, .text = slip->text}, code, result);
  return true;
}

bool blame_cause(const Lesson& lesson, const Code& code, const Explanation* wrong, const Cause& misread,
                 CheckResult& result) {
  if (result.verdict == Verdict::right) return false;
  if (blame_slip(code, result)) return true;
  const Variables variables = source::local_variables(code);
  Cause cause = shadowing_variable(code, variables);
  if (!cause && result.pattern == name_of(DefectKind::time_limit)) {
    name_endless_loop(code, variables, result);
    return true;
  }
  if (Cause order = parameters_in_other_order(lesson, code)) cause = order;
  // Without an integer on the way, the right value without its fraction is one that another formula gives.
  if (wrong && result.pattern == "whole-numbers" && !may_lose_fractions(code, variables)) {
    result.pattern = "wrong-formula";
    if (!wrong->fact.empty()) result.summary = wrong->fact;
    if (!cause) cause = unread_input(lesson, code);
  }
  if (!cause && misread) cause = {.line = misread->line, .pattern = result.pattern, .text = misread->text};
  if (!cause) cause = cause_of_failure(lesson, code, variables, /*is_result_wrong=*/wrong != nullptr, result);
  if (!cause) return false;
  // The summary becomes the bare fact, since the cause is known. There are two exceptions: the fact of
  // too-few speaks of lost updates, though no access races, and the summary of repeated work says how often
  // elements were counted.
  const bool is_repeated = cause->pattern == "repeated-work" && is_multiple(result);
  if (wrong && !wrong->fact.empty() && result.pattern != "too-few" && !is_repeated)
    result.summary = wrong->fact;
  // The summary of still-zero asks for the cause, which is known here.
  if (wrong && wrong->pattern == "still-zero") result.summary.clear();
  blame(*cause, code, result);
  return true;
}

std::string unset_variable_in(const Code& code) {
  const Cause cause = unset_local(code, source::local_variables(code));
  return cause ? cause->text : "";
}

bool blame_constant_for_size(const Lesson& lesson, const Code& code, CheckResult& result) {
  // Numbers below min_number are seldom sizes.
  constexpr std::uint64_t min_number = 100, max_number = std::uint64_t{1} << 24;
  const std::uint64_t number = largest_number_in(code.whole(), max_number);
  const int line = number < min_number ? 0 : line_with_limit(lesson, code.whole(), number);
  const std::string size = unused_last_parameter(code);
  if (!lesson.has_size() || line == 0 || number == result.block_size || size.empty()) return false;
  const bool is_in_unknown_memory = result.defect && result.defect->memory.begin == 0;
  if (!fits_number(result, number) || is_in_unknown_memory) return false;
  blame({.line = line,
         .pattern = "constant-for-size",
         .text = fmt::format("line {} has the number {}, and nothing uses {}", line, grouped(number), size)},
        code, result);
  return true;
}

}  // namespace gpulab::check
