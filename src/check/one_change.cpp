#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/checked_kernel.hpp"
#include "run/validate/evidence.hpp"

namespace gpulab::check {

// Changes one place of a wrong kernel after another, in the lines that are not the starter's, and runs each
// kernel so made. If one is right, the mistake is at that place.

using source::Code, source::is_operation, source::use_at;

namespace {

constexpr std::size_t most_changes = 240;  // besides those to the solution's lines

// A number in an expression: a variable, or one of three tokens such as threadIdx.x.
struct Operand {
  std::size_t begin = 0, end = 0;
  std::string text;
};

class Changes {
 public:
  Changes(const Lesson& lesson, const Code& code) : code_(code) {
    const Code starter(lesson.is_checked_with_64_lanes ? ""
                                                       : starter_of(lesson));  // mistakes are in it there
    const Code solution = solution_beside(lesson, Code(starter_of(lesson)));
    of_course_ = lines_in(starter);
    of_course_.merge(lines_in(solution));
    of_course_.erase("}");
    to_course_ = changes_to_course(code, starter, solution);
    for (std::size_t at = 0; at < code.size(); ++at)
      if (code.text(at) == "__global__" || code.text(at) == "__device__")
        add_in_function(source::start_of_parameters(code, at));
  }

  // Returns the changes, each once: those first that mend the most frequent mistakes, then those that show
  // something, and those in the line of the defect, or just above it, before others.
  std::vector<Change> all(int line_of_defect) const {
    constexpr int most_above = 2;
    std::vector<Change> all;
    for (const std::vector<Change>* further : {&of_values_, &of_counters_, &of_operands_, &of_arithmetic_})
      all.insert(all.end(), further->begin(), further->end());
    std::ranges::stable_sort(all, std::greater(), [&](const Change& change) {
      const int lines_above = line_of_defect - code_[change.begin].line;
      return 2 * !change.says.empty() + (lines_above >= 0 && lines_above <= most_above);
    });
    all.insert(all.begin(), signs_.begin(), signs_.end());
    std::stable_partition(all.begin(), all.begin() + std::ssize(signs_),
                          [](const Change& change) { return !change.says.empty(); });
    const auto of_starter = [](const Change& change) { return !change.says.empty(); };
    std::ranges::copy_if(to_course_, std::inserter(all, all.begin()), of_starter);
    std::set<std::tuple<std::size_t, std::size_t, std::string>> known;
    std::erase_if(all, [&](const Change& change) {
      return !known.emplace(change.begin, change.end, change.text).second;
    });
    all.resize(std::min(all.size(), most_changes));
    std::ranges::remove_copy_if(to_course_, std::back_inserter(all), of_starter);
    return all;
  }

 private:
  void add_in_function(std::size_t parameters) {
    const std::size_t open = code_.after_bracket(parameters);
    if (code_.text(open) != "{" || code_.matching(open) >= code_.size()) return;
    parameters_.clear();
    for (std::size_t at = parameters; at < open; ++at)
      if (code_.text(at) == "int" && code_.is_word(at + 1))
        parameters_.push_back({at + 1, at + 2, std::string(code_.text(at + 1))});
    for (std::size_t at = open; at < code_.matching(open); ++at) {
      has_rows_ |= is_builtin(code_, at) && code_.text(at + 2) == "y";
      if (of_course_.contains(source::in_one_line(code_, code_.first_from_line(code_[at].line),
                                                  code_.first_from_line(code_[at].line + 1))))
        continue;
      add_signs(at);
      if (at > 0)
        std::ranges::move(changes_of_expressions(code_, variables_, at), std::back_inserter(signs_));
      std::ranges::move(changes_of_values(code_, variables_, at), std::back_inserter(of_values_));
      if (const Operand operand = operand_at(at); operand.end > at) add_operands(operand);
    }
  }

  Operand operand_at(std::size_t at) const {
    const std::size_t end = at + (is_builtin(code_, at) ? 3 : 1);
    const auto is_number = [&] {
      constexpr std::string_view types[] = {"int", "unsigned", "unsigned int", "size_t", "long"};
      const source::DeclaredType declared = source::declared_type(code_, code_.text(at), at);
      return !declared.is_pointer && std::ranges::find(types, declared.type) != std::end(types);
    };
    const source::VariableUse use = use_at(code_, at);  // unknown for an argument
    if (!code_.is_word(at) || code_.text(at - 1) == "." || code_.text(at - 1) == "&" ||
        use == source::VariableUse::set || use == source::VariableUse::changed ||
        (end == at + 1 && !is_number()))
      return {};
    return {at, end, code_.text_between(at, end)};
  }

  void replace(std::vector<Change>& changes, std::size_t begin, std::size_t end, std::string text) {
    changes.push_back({begin, end, std::move(text)});
  }

  // Adds other signs for the one at that token, and the operands of a % or a - the other way round.
  void add_signs(std::size_t at) {
    static constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"<=", "<"},  {">=", ">"},  {"==", "!="}, {"!=", "=="},
        {"&&", "||"}, {"||", "&&"}, {"<", "<="},  {">", ">="}};
    const bool has_angle = code_.text(at) == "<" || code_.text(at) == ">";
    for (const auto& [sign, other] : others) {
      if (!is_operation(code_, at, sign) || (has_angle && !source::compares(code_, at))) continue;
      if (sign.starts_with('<') || !changes_condition(at))
        replace(signs_, at, at + sign.size(), std::string(other));
      break;
    }
    const Operand left =
                      at > 0 ? operand_at(at >= 3 && is_builtin(code_, at - 3) ? at - 3 : at - 1) : Operand(),
                  right = operand_at(at + 1);
    if ((code_.text(at) == "%" || code_.text(at) == "-") && left.end == at && right.end > 0)
      replace(signs_, left.begin, right.end, fmt::format("{} {} {}", right.text, code_.text(at), left.text));
    if (code_.text(at) == "if" && code_.text(at + 1) == "(" &&
        code_.text(source::end_of_statement(code_, at)) != "else")
      replace(of_arithmetic_, at + 2, code_.matching(at + 1), "true");
    add_head_of_for(at);
    add_exchanges(at);
    add_arithmetic(at);
    add_elements(at);
    add_initializer(at);
  }

  // Adds the exchange of an argument with the next one, and of the limits of two comparisons.
  void add_exchanges(std::size_t at) {
    const auto exchange = [&](std::size_t left, std::size_t left_end, std::size_t right,
                              std::size_t right_end) {
      replace(signs_, left, right_end,
              code_.text_between(right, right_end) + " " + code_.text_between(left_end, right) + " " +
                  code_.text_between(left, left_end));
    };
    const bool is_call = code_.text(at) == "(" && at > 0 && code_.is_word(at - 1);
    if (const std::string_view name = code_.text(at - is_call);
        is_call && name != "if" && name != "for" && name != "while" && !name.starts_with("atomic")) {
      const std::size_t close = code_.matching(at);
      std::vector<std::size_t> commas{at};
      for (std::size_t next = at + 1; next < close;
           next = code_.text(next) == "(" || code_.text(next) == "[" ? code_.after_bracket(next) : next + 1)
        if (code_.text(next) == ",") commas.push_back(next);
      commas.push_back(close);
      for (std::size_t i = 0; i + 2 < commas.size(); ++i)
        exchange(commas[i] + 1, commas[i + 1], commas[i + 1] + 1, commas[i + 2]);
    }
    if (code_.text(at) != "<") return;
    const Operand limit = operand_at(at + 1);
    for (std::size_t next = at + 1; limit.end > 0 && code_[next].line == code_[at].line; ++next)
      if (const Operand other = operand_at(next + 1);
          code_.text(next) == "<" && other.end > 0 && other.text != limit.text)
        return exchange(limit.begin, limit.end, other.begin, other.end);
  }

  // Adds the index for an element of an array, an element of each shared array for an index, and 1 for what
  // atomicAdd adds.
  void add_elements(std::size_t at) {
    const std::size_t end = code_.after_bracket(at + 1);
    const source::VariableUse use = use_at(code_, at);
    if (code_.is_word(at) && code_.text(at + 1) == "[" && use != source::VariableUse::set &&
        use != source::VariableUse::changed && !source::declared_type(code_, code_.text(at), at).type.empty())
      replace(of_operands_, at, end, code_.text_between(at + 2, end - 1));
    for (const std::size_t other : is_shared_element(code_, variables_, at)
                                       ? uses_between(code_, code_.text(at), 0, code_.size())
                                       : std::vector<std::size_t>())
      if (const std::string element = code_.text_between(other, end_of_element(code_, other));
          use != source::VariableUse::changed && element.size() > code_.text(at).size() + 1 &&
          element != code_.text_between(at, end) && code_.text(other - 1) != "float")
        replace(of_operands_, at, end, element);
    if (code_.text(at) == "[" && code_[at + 1].kind == source::TokenKind::number && code_.text(at + 2) == "]")
      for (const source::Loop& loop : source::loops_around(code_, {code_[at].line}))
        if (loop.condition_end < at)
          replace(of_counters_, at + 1, at + 2, std::string(code_.text(loop.condition)));
    if (code_.text(at) != "atomicAdd" || code_.text(at + 1) != "(") return;
    const std::size_t close = code_.matching(at + 1);
    std::size_t comma = close;
    while (comma > at && code_.text(comma) != ",") --comma;
    if (comma == at) return;
    replace(signs_, comma + 1, close, "1");
    const std::string index = code_.is_word(comma + 1) ? std::string(code_.text(comma + 1))
                                                       : code_.text_between(at + 5, code_.matching(at + 4));
    for (const source::LocalVariable& local : variables_)
      if (local.is_shared && local.is_array && comma + 2 == close && code_.text(at + 4) == "[" &&
          local.name != code_.text(at + 3))
        replace(signs_, comma + 1, close, fmt::format("{}[{}]", local.name, index));
  }

  // Adds other operations for the one at that token.
  void add_arithmetic(std::size_t at) {
    static constexpr std::pair<std::string_view, std::string_view> others[] = {
        {"*=", "+="}, {"-=", "+="}, {"/", "*"}, {"/", "%"}, {"*", "+"}, {"-", "+"}, {"+", "*"}, {"*", "/"}};
    const std::string_view before = at > 0 ? code_.text(at - 1) : "";
    const bool is_binary =
        before == ")" || before == "]" ||
        (at > 0 && (code_.is_word(at - 1) || code_[at - 1].kind == source::TokenKind::number));
    for (const auto& [sign, other] : others)
      if (is_binary && code_.text(at) == sign.substr(0, 1) &&
          (code_.text(at + 1) == "=") == (sign.size() == 2) && code_.text(at + 1) != code_.text(at))
        replace(of_arithmetic_, at, at + sign.size(), std::string(other));
  }

  // Adds the thread's index in its block for an index in the grid that a variable begins with, and the other
  // way round.
  void add_initializer(std::size_t at) {
    const auto variable = std::ranges::find(variables_, at, &source::LocalVariable::at);
    if (variable == variables_.end() || !variable->has_initializer) return;
    const std::size_t begin = at + 2, end = source::end_of_value(code_, begin);
    if (!depends_on(code_, variables_, "threadIdx", begin, end) ||
        code_.text_between(begin, end).find('[') != std::string::npos)
      return;
    const bool has_block = depends_on(code_, variables_, "blockIdx", begin, end);
    replace(signs_, begin, end, has_block ? "threadIdx.x" : "blockIdx.x * blockDim.x + threadIdx.x");
    if (has_block && parameters_.size() > 1) replace(signs_, begin, end, "blockIdx.x");
  }

  // Adds the step in the other direction, if a loop moves away from its limit, and other first values.
  void add_head_of_for(std::size_t at) {
    if (code_.text(at) != "for") return;
    for (const source::Loop& loop : source::all_loops(code_)) {
      if (loop.begin != at) continue;
      const std::size_t close = code_.matching(at + 1), value = loop.condition - 2;
      for (std::size_t step = loop.condition_end + 1; step < close; ++step)
        if (is_operation(code_, step, "--") && has_symbol(code_, "<", loop.condition, loop.condition_end))
          replace(signs_, step, step + 2, "++");
      for (std::size_t step = loop.condition_end + 1; step + 2 < close; ++step)
        for (const auto& [sign, by] : {std::pair{"/=", "2"}, {"*=", "2"}, {">>=", "1"}, {"<<=", "1"}})
          if (const std::size_t number = step + std::string_view(sign).size();
              is_operation(code_, step, sign) && code_[number].kind == source::TokenKind::number &&
              code_.text(number) != by)
            replace(signs_, number, number + 1, by);
      for (std::size_t step = loop.condition_end + 1; step + 4 < close; ++step)
        if (is_operation(code_, step, "+=") && is_builtin(code_, step + 2) && step + 5 == close) {
          if (code_.text(value) == "0")
            replace(signs_, value, value + 1, fmt::format("threadIdx.{}", code_.text(step + 4)));
          if (has_rows_) replace(signs_, step + 4, close, code_.text(step + 4) == "x" ? "y" : "x");
          replace(signs_, step + 2, close, "gridDim.x * blockDim.x");
        } else if (is_operation(code_, step, "+=") && step + 9 == close && is_builtin(code_, step + 2) &&
                   is_builtin(code_, step + 6))
          signs_.push_back({step + 2, close, "blockDim.x", "skipped-elements"});
      const bool multiplies = has_symbol(code_, "*", loop.condition_end, close) ||
                              has_symbol(code_, "<", loop.condition_end, close);
      const bool is_shifted = is_operation(code_, value - 2, ">>");
      if (code_[value].kind == source::TokenKind::number && (code_.text(value - 1) == "/" || is_shifted))
        replace(signs_, value, value + 1, is_shifted ? "1" : "2");
      if (multiplies && code_[value].kind == source::TokenKind::number && code_.text(value - 1) == "=")
        replace(signs_, value, value + 1, "1");
      if (!multiplies && code_[value].kind == source::TokenKind::number && code_.text(value - 1) == "=")
        for (const int more : {-1, 1})
          replace(signs_, value, value + 1, fmt::format("{} {:+}", code_.text(value), more));
    }
  }

  // Adds other operands for that one: without a number, another component, a loop's counter, those beside it,
  // and variables that nothing uses.
  void add_operands(const Operand& operand) {
    const auto& [begin, end, text] = operand;
    const bool is_before_number = code_[end + 1].kind == source::TokenKind::number;
    const bool is_number_added =
        (code_.text(end) == "+" || code_.text(end) == "-") && is_before_number && code_.text(end + 2) != "*";
    if (is_before_number && (code_.text(end) == "*" || code_.text(end) == "/"))
      replace(signs_, begin, end + 2, text);
    if (is_number_added) {
      replace(signs_, begin, end + 2, text);
      for (const char* more : {" + 1", " - 1"}) replace(of_arithmetic_, begin, end, text + more);
    }
    if ((code_.text(begin - 1) == "-" || code_.text(begin - 1) == "+" || code_.text(begin - 1) == "*") &&
        code_[begin - 2].kind == source::TokenKind::number)
      replace(signs_, begin - 2, end, text);
    for (const source::Loop& loop : source::loops_around(code_, {code_[begin].line}))
      if (loop.condition + 2 == begin && loop.condition_end == end && code_.text(begin - 1) == "<")
        for (const Operand& parameter : parameters_)
          if (parameter.text != text) replace(signs_, begin, end, parameter.text);
    if (changes_condition(begin)) return;
    if (is_builtin(code_, begin) && code_.text(begin - 1) == "+") replace(signs_, begin - 1, end, "");
    if (is_builtin(code_, begin)) add_components(operand);
    const bool is_index = is_index_at(operand);
    std::set<std::string> known{text};
    const auto add = [&](std::vector<Change>& changes, const Operand& other) {
      if (other.end == 0 || is_index != is_index_at(other) || !known.insert(other.text).second) return;
      if (is_index) replace(changes, begin, end, fmt::format("({} + {})", other.text, text));
      replace(changes, begin, end, other.text);
    };
    for (const source::Loop& loop : source::loops_around(code_, {code_[begin].line}))
      if (loop.condition_end < begin) add(of_counters_, operand_at(loop.condition));
    for (const source::LocalVariable& local : variables_) {
      if (local.at >= begin || begin >= local.scope_end || local.is_array || local.is_pointer ||
          !uses_between(code_, local.name, local.at + 1, local.scope_end).empty())
        continue;
      add(of_counters_, {local.at, local.at + 1, std::string(local.name)});
      if (code_.text_between(begin, end + 1) == "blockIdx.x *" && is_builtin(code_, end + 1))
        replace(of_counters_, begin, end + 4, std::string(local.name));
    }
    std::size_t first = begin, last = end;
    const auto separates = [&](std::size_t at) {
      return code_.text(at) == ";" || code_.text(at) == "{" || code_.text(at) == "}";
    };
    while (first > 0 && !separates(first - 1)) --first;
    while (last < code_.size() && !separates(last)) ++last;
    for (; first < last; ++first) add(of_operands_, operand_at(first));
    for (const Operand& parameter : parameters_) add(of_operands_, parameter);
  }

  // Adds other built-in variables for that one, and its other component.
  void add_components(const Operand& operand) {
    static constexpr std::pair<std::string_view, std::string_view> partners[] = {
        {"threadIdx", "blockIdx"}, {"blockIdx", "threadIdx"}, {"blockDim", "gridDim"},
        {"blockDim", "blockIdx"},  {"gridDim", "blockDim"},   {"gridDim", "blockIdx"}};
    const auto& [begin, end, text] = operand;
    for (const auto& [name, partner] : partners)
      if (code_.text(begin) == name) replace(of_operands_, begin, begin + 1, std::string(partner));
    if (has_rows_) replace(signs_, end - 1, end, code_.text(end - 1) == "x" ? "y" : "x");
  }

  // Returns whether the operand counts something, as an index of a thread or a loop's counter do, and a size
  // does not.
  bool is_index_at(const Operand& operand) const {
    for (const source::Loop& loop : source::loops_around(code_, {code_[operand.begin].line}))
      if (code_.text(loop.condition) == operand.text) return true;
    return depends_on(code_, variables_, "threadIdx", operand.begin, operand.end) ||
           depends_on(code_, variables_, "blockIdx", operand.begin, operand.end);
  }

  // Returns whether the token is in a loop's head, or in a statement that sets what ends a loop around it:
  // with another value there, the loop may never end.
  bool changes_condition(std::size_t at) const {
    std::size_t first = at;
    while (first > 0 && !begins_statement(code_, first)) --first;
    for (const source::Loop& loop : source::loops_around(code_, {code_[at].line})) {
      if (loop.condition <= at && at < code_.matching(loop.begin + 1)) return true;
      for (std::size_t name = first; name < at; ++name)
        if (code_.is_word(name) && use_at(code_, name) != source::VariableUse::read &&
            (use_at(code_, name) != source::VariableUse::unknown || code_.text(name - 1) == "&") &&
            source::has_word(code_, code_.text(name), loop.condition, loop.condition_end))
          return true;
    }
    return false;
  }

  const Code& code_;
  const Variables variables_ = source::local_variables(code_);
  std::set<std::string> of_course_;  // lines of the starter and the solution
  bool has_rows_ = false;
  std::vector<Operand> parameters_;  // of the function, those that are an int
  std::vector<Change> to_course_, signs_, of_counters_, of_operands_, of_values_, of_arithmetic_;
};

// Returns whether the pattern of the mistake is one of a wrong result, whatever else the result looks like.
bool is_of_result(const Change& change) {
  return run::validate::specificity_of(change.pattern) == run::validate::Specificity::exact;
}

// Blames the last of the changes, each of which makes the result right, and names all.
void blame_changes(const Code& code, const std::vector<Change>& right, const Explanation* wrong,
                   CheckResult& result) {
  const Change& last = right.back();
  std::string places;
  for (const Change& change : right)
    places += (places.empty() ? "" : ", or ") +
              std::string(change.leaves_out() ? "leaving out "
                          : places.empty()    ? "changing "
                                              : "") +
              fmt::format("{} in line {}", change.place.empty() ? named_place(code, change) : change.place,
                          code[change.begin].line);
  const bool is_unwritten = !result.first_differences.empty() && result.first_differences.front().is_poison;
  if (*last.pattern != '\0' && (!is_of_result(last) || (wrong && !is_unwritten)))
    result.pattern = last.pattern;
  // A guess, or a typical cause, only fits the result, and the change shows the cause.
  const bool is_typical =
      wrong && run::validate::specificity_of(wrong->pattern) == run::validate::Specificity::kind;
  if (is_typical && !wrong->fact.empty()) result.summary = wrong->fact;
  if (!result.fact.empty()) result.summary = result.fact;
  const bool is_of_guard =
      result.pattern.starts_with("race-global") && std::string_view("&|<>").find(code.text(last.begin)) < 4;
  blame({.line = code[last.begin].line,
         .pattern = is_of_guard ? "no-guard" : result.pattern,
         .text = places + " makes the kernel right" + (last.says.empty() ? "" : ": ") + last.says},
        code, result);
}

// The files of kernels with one change each.
class ChangedFiles {
 public:
  ChangedFiles(const device::KernelSource& source, const Code& code, device::Device& device)
      : source_(source), code_(code), device_(device) {}

  // Returns the file of each change. Kernels that compile together are in one file, each in a namespace:
  // most of a compiler's time goes into its start.
  std::vector<device::KernelSource> of(std::span<const Change> changes) const {
    if (changes.size() == 1) return {{source_.name, with(changes.front())}};
    std::vector<device::KernelSource> files(changes.size(), {source_.name, ""});
    for (device::KernelSource& file : files) file.scope = fmt::format("change_{}_", &file - files.data());
    std::string together;
    for (std::size_t i = 0; i < changes.size(); ++i)
      together += fmt::format("namespace {} {{\n{}\n}}\n", files[i].scope, with(changes[i]));
    for (device::KernelSource& file : files) file.text = together;
    if (compiles(files.front())) return files;
    files = of(changes.first(changes.size() / 2));
    std::ranges::move(of(changes.subspan(changes.size() / 2)), std::back_inserter(files));
    return files;
  }

 private:
  std::string with(const Change& change) const {
    std::string text = source_.text;
    const std::size_t begin = code_.begin_of(change.begin);
    return text.replace(begin, code_.end_of(change.end - 1) - begin, change.text);
  }

  bool compiles(const device::KernelSource& file) const {
    const bool has_one_name_in_all = source::has_word(code_, "extern", 0, code_.size());
    if (has_one_name_in_all) return false;
    try {
      device_.compile(file, {.instrumentation = device::Instrumentation::checked});
      return true;
    } catch (const CompileError&) {
      return false;
    }
  }

  const device::KernelSource& source_;
  const Code& code_;
  device::Device& device_;
};

}  // namespace

bool blame_one_change(const Lesson& lesson, const Trial& trial, device::Device& device,
                      const device::KernelSource& source, const Settings& wrong_at, const Explanation* wrong,
                      double seconds_so_far, const CheckResult& unjudged, CheckResult& result) {
  constexpr std::size_t most_together = 16;         // in one file
  constexpr std::size_t most_further_changes = 32;  // once one is right, in other lines
  constexpr double least_s = 5, most_s_for_one = 2;
  double seconds_left = std::max(least_s, seconds_so_far);
  const std::string starter = starter_of(lesson);
  const Code code(source.text);
  if (!may_be_one_change(lesson, code, result, wrong != nullptr) || starter.empty() ||
      lines_of(starter) == lines_of(source.text))
    return false;
  const auto is_right = [&](const device::KernelSource& changed, CheckResult& judged) {
    CheckedKernel kernel(lesson, changed, device, trial);
    const auto is_right_at = [&](const Settings& settings) {
      return kernel.spent().seconds() > most_s_for_one ||
             !kernel.spent().leaves_room_for(kernel.work_at(settings)) ||
             kernel.passes_at(settings, thread_orders()[0], judged);
    };
    const bool is_right = is_right_at(wrong_at) &&
                          std::ranges::all_of(check_settings(lesson, kernel.block_size()), is_right_at);
    seconds_left -= kernel.spent().seconds();
    return is_right;
  };
  std::vector<Change> changes = Changes(lesson, code).all(result.line), right;
  const auto line_of_change = [&](const Change& change) { return code[change.begin].line; };
  const bool is_update = result.pattern == "race-global-update";
  std::erase_if(changes, [&](const Change& change) {
    const std::string_view pattern = change.pattern;
    return (is_update ? pattern != "race-global-index"
                      : !change.says.empty() && !pattern.empty() && pattern != result.pattern &&
                            pattern != "int-overflow" && !is_of_result(change)) ||
           (change.text.starts_with("for (") && has_thread_for_each(lesson, wrong_at));
  });
  const ChangedFiles files(source, code, device);
  if (is_race_of_lines(code, result)) {
    CheckResult judged = unjudged;
    const Change barrier[] = {barrier_between(code, *result.defect)};
    if (is_right(files.of(barrier).front(), judged)) return false;  // the report asks for it
  }
  std::vector<device::KernelSource> together;
  for (std::size_t i = 0, further = 0, compiled = 0; i < changes.size(); ++i) {
    if (right.size() == 2 || (right.size() == 1 && (right[0].is_of_course || seconds_left < 0 ||
                                                    ++further > most_further_changes)))
      break;
    if (changes[i].is_of_course ? !right.empty() : seconds_left < 0) continue;
    if (together.empty() || i / most_together != compiled / most_together) {
      compiled = i / most_together * most_together;
      together =
          files.of(std::span(changes).subspan(compiled, std::min(most_together, changes.size() - compiled)));
    }
    if (!right.empty() && line_of_change(right.front()) == line_of_change(changes[i])) continue;
    CheckResult judged = unjudged;
    if (is_right(together[i % most_together], judged)) right.push_back(changes[i]);
    if (judged.pattern == name_of(DefectKind::time_limit)) break;  // others may take as long
  }
  if (right.empty()) return false;
  std::ranges::sort(right, {}, line_of_change);
  blame_changes(code, right, wrong, result);
  return true;
}

}  // namespace gpulab::check
