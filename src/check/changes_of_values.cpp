#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/own_exercises.hpp"
#include "run/run_lesson.hpp"
#include "source/source_parts.hpp"

namespace gpulab::check {

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value, source::is_operation,
    source::use_at;

bool is_name_of_builtin(std::string_view word) {
  constexpr std::string_view names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  return std::ranges::find(names, word) != std::end(names);
}

namespace {

// Collects the changes that begin at one token.
class ChangesAt {
 public:
  ChangesAt(const Code& code, const Variables& variables, std::size_t at)
      : code_(code), variables_(variables), at_(at) {
    const std::size_t open = source::start_of_parameters(code, function_around(code, at).first);
    for (std::size_t name = open; name < code.matching(open) && open < code.size(); ++name)
      if (code.text(name) == "int" && code.is_word(name + 1))
        sizes_.emplace_back(code.text(name + 1));
      else if (code.text(name) == "*" && code.is_word(name + 1))
        arrays_.emplace_back(code.text(name + 1));
  }

  std::vector<Change> all() {
    if (code_[at_].kind == source::TokenKind::number) add_for_number();
    if (code_.is_word(at_)) {
      add_for_index();
      add_for_exchange();
      add_for_read();
      if (code_.text(at_) == "sqrt") replace(at_, at_ + 1, "", "", "no root is to be taken there");
      if (code_.text(at_) == "__shfl_up_sync")
        replace(at_, at_ + 1, "__shfl_down_sync", "wrong-summand",
                "lane 0 has the sum of its warp only if it adds what higher lanes have");
    }
    if (code_.text(at_) == "[") add_for_order_of_index();
    add_for_row_length();
    add_for_types_and_limits();
    add_loop_for_guard();
    if (begins_statement(code_, at_)) add_for_statement();
    if (is_operation(code_, at_, "==")) {
      replace(at_, at_ + 2, "<=");
      replace(at_, at_ + 2, ">=", component_of(code_, at_ - 3, "threadIdx") == "" ? "" : "skipped-elements");
    }
    return std::move(all_);
  }

 private:
  void replace(std::size_t begin, std::size_t end, std::string text, const char* pattern = "",
               std::string says = "") {
    all_.push_back({begin, end, std::move(text), pattern, std::move(says)});
  }

  std::vector<source::Loop> loops_around() const { return source::loops_around(code_, {code_[at_].line}); }

  bool is_in_head_of_for() const {
    return std::ranges::any_of(loops_around(), [&](const source::Loop& loop) {
      return loop.begin < at_ && at_ < code_.matching(loop.begin + 1);
    });
  }

  // Adds the other first value, a step of 1, a size for a limit, the lanes of a warp, and a loop's counter.
  void add_for_number() {
    const std::string_view number = code_.text(at_), before = code_.text(at_ - 1),
                           after = code_.text(at_ + 1);
    const bool is_value = is_plain_assignment(code_, at_ - 1) && (after == ";" || after == ",");
    if (is_value && !is_in_head_of_for() && (number == "0" || number == "1"))
      replace(at_, at_ + 1, number == "0" ? "1" : "0");
    if (is_operation(code_, at_ - 2, "+=") && after == ")" && number != "1") {
      replace(at_, at_ + 1, "1");
      const bool leaves_out =
          number.size() >= std::string_view("1024").size();  // a block has no more threads
      replace(at_, at_ + 1, "blockDim.x", leaves_out ? "skipped-elements" : "",
              "each of the block's threads takes one element in an iteration");
    }
    if (has_word(code_, "warpSize", 0, code_.size()))
      for (const auto& [of_32_lanes, of_all] :
           {std::pair{"32", "warpSize"}, {"16", "warpSize / 2"}, {"8", "blockDim.x / warpSize"}})
        if (number == of_32_lanes)
          replace(at_, at_ + 1, of_all, "",
                  fmt::format("{} is {} only where a warp has 32 lanes", of_all, number));
    if ((before == ">" || is_operation(code_, at_ - 2, ">=")) && after != "=" && halves_in_loop())
      replace(at_, at_ + 1, before == ">" ? "0" : "1", "skipped-elements",
              "the loop has to go on until 1 is left");
    if (before == "%" || before == "/")
      for (const source::Loop& loop : loops_around())
        if (loop.condition_end < at_ && code_.is_word(loop.condition))
          replace(at_, at_ + 1, std::string(code_.text(loop.condition)));
    add_index_in_grid();
    if (is_value && before == "=" && code_.text(at_ - 2) == "]")
      for (const LocalVariable& local : variables_)
        if (is_visible(local) && (local.type == "float" || local.type == "int"))
          replace(at_, at_ + 1, std::string(local.name), "zero-everywhere",
                  fmt::format("{} is what has to be stored", local.name));
    const bool is_limit = before == "<" || is_operation(code_, at_ - 2, "<=");
    if (!is_limit || number.size() < 2) return;
    const std::string_view compared = code_.text(at_ - (before == "<" ? 2 : 3));
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && local.type == "int" && local.name != compared) sizes_.emplace_back(local.name);
    for (const std::string& size : sizes_)
      replace(at_, at_ + 1, before == "<" ? size : size + " - 1", "constant-for-size");
  }

  // Returns whether the number is in the condition of a loop that halves a variable.
  bool halves_in_loop() const {
    return std::ranges::any_of(source::all_loops(code_), [&](const source::Loop& loop) {
      if (at_ < loop.condition || loop.condition_end <= at_) return false;
      for (std::size_t at = loop.condition_end; at < loop.end; ++at)
        if (code_.text(at) == code_.text(loop.condition) &&
            (is_operation(code_, at + 1, "/=") || is_operation(code_, at + 1, ">>")))
          return true;
      return false;
    });
  }

  // Adds the thread's index in the grid for the whole index of an element of an output.
  void add_index_in_grid() {
    if (code_.text(at_ - 1) != "[" || code_.text(at_ + 1) != "]" ||
        use_at(code_, at_ - 2) != VariableUse::set ||
        !source::is_pointer_parameter(code_, code_.text(at_ - 2)))
      return;
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && begins_as_index_in_grid(code_, variables_, local) &&
          local.name != code_.text(at_))
        replace(at_, at_ + 1, std::string(local.name));
  }

  bool is_visible(const LocalVariable& local) const {
    return local.at < at_ && at_ < local.scope_end && !local.is_array && !local.is_pointer;
  }

  // Returns whether the token is in the head of a loop around it, or a variable of the loop's condition:
  // another value may make the loop endless.
  bool is_in_condition_of_loop() const {
    return is_in_head_of_for() || std::ranges::any_of(loops_around(), [&](const source::Loop& loop) {
             return source::has_word(code_, code_.text(at_), loop.condition, loop.condition_end);
           });
  }

  // Adds a loop over the grid's threads for a guard.
  void add_loop_for_guard() {
    if (code_.text(at_) != "if" || code_.text(at_ + 3) != "<" || code_.matching(at_ + 1) != at_ + 5) return;
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && local.name == code_.text(at_ + 2) &&
          begins_as_index_in_grid(code_, variables_, local)) {
        const std::string rest =
            fmt::format("{0} < {1}; {0} += gridDim.x * blockDim.x)", local.name, code_.text(at_ + 4));
        replace(at_, at_ + 6,
                fmt::format("for (int {} = blockIdx.x * blockDim.x + threadIdx.x; {}", local.name, rest),
                "unwritten-tail",
                "there are fewer threads than elements, so each needs a loop: for (...; " + rest);
      }
  }

  // Adds a double for a float, a larger limit for a loop through a tile, and 0 for a quotient whose divisor
  // is 0.
  void add_for_types_and_limits() {
    if (code_.text(at_) == "float" && code_.is_word(at_ + 1) && has_word(code_, "double", 0, code_.size()))
      replace(at_, at_ + 1, "double", "type-limit", "the squares need a double");
    if (code_.text(at_) == "<" && component_of(code_, at_ + 1, "blockDim") != "" &&
        code_.text(at_ + 4) == ";")
      for (const std::string& size : sizes_) {
        const std::string limit = fmt::format("{} + {} - 1", code_.text_between(at_ + 1, at_ + 4), size);
        replace(at_ + 1, at_ + 4, limit, "uninitialised-shared",
                fmt::format("the loop has to fill the tile up to {}", limit));
      }
    const std::size_t end = code_.text(at_ + 2) == "(" ? code_.after_bracket(at_ + 2) : at_ + 2;
    if (code_.text(at_) == "/" && code_.is_word(at_ + 1) && code_.text(end) == ";") {
      const std::string divisor = code_.text_between(at_ + 1, end);
      std::size_t value = at_;
      while (value > 0 && !is_plain_assignment(code_, value)) --value;
      replace(value + 1, end, fmt::format("{} == 0 ? 0 : {}", divisor, code_.text_between(value + 1, end)),
              "not-a-number", fmt::format("{} is 0 there, and 0 / 0 is not a number", divisor));
    }
  }

  // Adds other indices: without an addend, with a size as one, one less, or half of a size.
  void add_for_index() {
    const std::string name(code_.text(at_));
    const std::string_view before = code_.text(at_ - 1), after = code_.text(at_ + 1);
    const bool is_size = std::ranges::find(sizes_, name) != sizes_.end();
    if (is_size && (before == "-" || before == "+") && after == ";") replace(at_, at_ + 1, name + " / 2");
    add_index_in_grid();
    if (!is_in_index()) return;
    const bool is_operand = before == "[" || before == "(" || before == "+";
    if (is_operand && after == "+") replace(at_, at_ + 2, "");
    if (before == "[" && after == "*")
      for (const std::string& size : sizes_)
        if (size != name) replace(at_, at_ + 1, fmt::format("({} + {})", size, name));
    if (is_size && is_operand && after == "-") replace(at_, at_ + 1, name + " - 1");
    for (const std::string& size : sizes_)
      if (is_size && before == "(" && after == "+") replace(at_, at_ + 1, size + " + " + name);
  }

  bool is_in_index() const { return bracket_around() > 0; }

  // Returns the "[" of the index that the token is in; 0 if it is in none.
  std::size_t bracket_around() const {
    for (std::size_t bracket = at_; bracket > 0 && code_[bracket].line == code_[at_].line; --bracket)
      if (code_.text(bracket) == "[" && code_.matching(bracket) > at_) return bracket;
    return 0;
  }

  // Adds other lengths of a row, for the length in name[row * length + column], and for the one that is
  // missing in name[row + column] or name[column].
  void add_for_row_length() {
    const std::size_t bracket = bracket_around(), end = at_ + (code_.text(at_ + 1) == "." ? 3 : 1);
    if (code_.text(at_ - 1) == "[" && sizes_.size() > 1 &&
        source::is_pointer_parameter(code_, code_.text(at_ - 2)))
      add_missing_row_length(end);
    const bool is_behind = code_.text(at_ - 1) == "*" && (code_.text(end) == "+" || code_.text(end) == "]");
    const bool is_before =
        (code_.text(at_ - 1) == "[" || code_.text(at_ - 1) == "+") && code_.text(end) == "*";
    if (bracket == 0 || (!is_behind && !is_before) ||
        !has_symbol(code_, "+", bracket, code_.matching(bracket)))
      return;
    for (const std::string& length : lengths())
      if (length != code_.text(at_))
        replace(at_, end, length, "",
                fmt::format("a row of {} has '{}' elements there", code_.text(bracket - 1), length));
  }

  // Returns the parameters and variables that may be the length of a row.
  std::vector<std::string> lengths() const {
    std::vector<std::string> lengths = sizes_;
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && local.has_initializer && local.type == "int" &&
          !depends_on(code_, variables_, "threadIdx", local.at, end_of_value(code_, local.at + 2)) &&
          !depends_on(code_, variables_, "blockIdx", local.at, end_of_value(code_, local.at + 2)) &&
          !is_counter(local.name))
        lengths.emplace_back(local.name);
    return lengths;
  }

  void add_missing_row_length(std::size_t end) {
    const bool has_block = depends_on(code_, variables_, "blockIdx", at_, end);
    const bool is_row = has_block && !depends_on(code_, variables_, "threadIdx", at_, end);
    if (is_row ? code_.text(end) != "+" : has_block || code_.text(end) != "]") return;
    const std::string name = code_.text_between(at_, end);
    for (const std::string& size : sizes_)
      replace(at_, end,
              fmt::format("{} * {}{}", is_row ? name : "blockIdx.x", size, is_row ? "" : " + " + name),
              use_at(code_, at_ - 2) == VariableUse::set ? "" : "input-index",
              fmt::format("a row of {} has '{}' elements{}", code_.text(at_ - 2), size,
                          is_row ? " there" : ", and the index lacks the row"));
  }

  bool is_counter(std::string_view name) const {
    return std::ranges::any_of(loops_around(),
                               [&](const source::Loop& loop) { return code_.text(loop.condition) == name; });
  }

  // Adds the exchange of row and column in name[row * length + column].
  void add_for_exchange() {
    const std::size_t other = at_ + 4;
    if (bracket_around() == 0 || code_.text(at_ + 1) != "*" || code_.text(at_ + 3) != "+" ||
        !code_.is_word(other) || code_.text(other + 1) != "]")
      return;
    for (const std::string& length : lengths())
      replace(at_, other + 1, fmt::format("{} * {} + {}", code_.text(other), length, code_.text(at_)), "",
              fmt::format("'{}' is the row there, and '{}' the column", code_.text(other), code_.text(at_)));
  }

  // Adds an index with the counter for each `size - counter`.
  void add_for_order_of_index() {
    const std::size_t close = code_.matching(at_), begin = code_.begin_of(at_ + 1);
    const std::string index = code_.text_between(at_ + 1, close);
    std::string counted = index;
    for (std::size_t at = close; at-- > at_ + 1;)
      if (code_.text(at + 1) == "-" && is_counter(code_.text(at + 2)) &&
          std::ranges::find(sizes_, code_.text(at)) != sizes_.end())
        counted.erase(code_.begin_of(at) - begin, code_.begin_of(at + 2) - code_.begin_of(at));
    if (counted != index)
      replace(at_ + 1, close, counted, "",
              fmt::format("the element there is {}[{}]", code_.text(at_ - 1), counted));
  }

  // Adds conditions under which an element of an input is read.
  void add_for_read() {
    const std::size_t end = code_.after_bracket(at_ + 1);
    if (code_.text(at_ + 1) != "[" || use_at(code_, at_) != VariableUse::read ||
        !source::is_pointer_parameter(code_, code_.text(at_)))
      return;
    for (const std::string& array : arrays_)
      if (array != code_.text(at_)) replace(at_, at_ + 1, array);
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && begins_as_index_in_grid(code_, variables_, local) &&
          code_.text_between(at_ + 2, end - 1) != local.name)
        replace(at_ + 2, end - 1, std::string(local.name));
    const std::string element = code_.text_between(at_, end), index = code_.text_between(at_ + 2, end - 1);
    const auto add = [&](const std::string& tried, const std::string& condition) {
      replace(at_, end, fmt::format("({} ? {} : 0)", tried, element), "out-of-bounds-read",
              fmt::format("it has to be read only where {}", condition));
    };
    std::string indices;
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && !is_counter(local.name) && has_word(code_, local.name, at_ + 2, end - 1))
        indices += fmt::format("{}{} >= 0", indices.empty() ? "" : " && ", local.name);
    if (!indices.empty()) add(indices, indices);
    for (const std::string& size : sizes_)
      add(fmt::format("int({0}) >= 0 && int({0}) < {1}", index, size),
          fmt::format("{} is at least 0 and less than {}", index, size));
  }

  // Adds that the statement is left out, adds where it replaces or replaces where it adds, has its index and
  // its value exchanged, or stores a sum of the block.
  void add_for_statement() {
    const std::size_t sign = end_of_element(code_, at_);
    const bool replaces = is_plain_assignment(code_, sign), adds = is_operation(code_, sign, "+=");
    const std::string target = code_.text_between(at_, sign);
    const std::size_t value = sign + (adds ? 2 : 1), end = end_of_value(code_, value);
    if (code_.is_word(at_) && (replaces || adds) && !is_in_condition_of_loop()) {
      if (replaces && !loops_around().empty())
        replace(at_, value, target + " +=",
                source::declared_type(code_, code_.text(at_), at_).type == "int" &&
                        !has_symbol(code_, "(", value, end)
                    ? ""
                    : "overwritten-sum");
      if (adds) replace(at_, value, target + " =");
      if (replaces && code_.text(at_ + 1) == "[" && sign == at_ + 4 && end == value + 1 &&
          source::declared_type(code_, code_.text(value), value).type == "int")
        replace(at_, end,
                fmt::format("{}[{}] = {}", code_.text(at_), code_.text(value), code_.text(at_ + 2)));
      if (replaces && end == value + 1 && code_.is_word(value))
        for (const LocalVariable& local : variables_)
          if (local.is_array && local.is_shared && code_.text(at_) != local.name)
            replace(value, end, fmt::format("{}[0]", local.name));
      leave_out(at_, end);
      if (code_.text(at_ - 1) == "else") leave_out(at_ - 1, end);
    }
    for (const std::size_t name : {at_ + 1, at_ + 2})  // const dim3 blockDim(256);
      if (is_name_of_builtin(code_.text(name)) && code_.is_word(name - 1) && code_.text(name + 1) != ".")
        replace(at_, source::end_of_statement(code_, at_), ";", "",
                fmt::format("{0} is declared by CUDA, and a second {0} hides it", code_.text(name)));
  }

  void leave_out(std::size_t begin, std::size_t end) {
    if (code_.text(end) == ";") replace(begin, end + 1, ";");
  }

  const Code& code_;
  const Variables& variables_;
  const std::size_t at_;
  std::vector<std::string> sizes_, arrays_;  // parameters that are an int, or a pointer
  std::vector<Change> all_;
};

// Returns, for a variable with a fraction, those of its type, and the first element of each array.
std::vector<Change> changes_of_names(const Code& code, const Variables& variables, std::size_t at) {
  const source::DeclaredType declared = source::declared_type(code, code.text(at), at);
  const VariableUse use = use_at(code, at);
  std::vector<Change> changes;
  if (code.text(at + 1) == "[" || use == VariableUse::set || use == VariableUse::changed ||
      declared.is_pointer || (declared.type != "float" && declared.type != "double"))
    return changes;
  for (const LocalVariable& local : variables) {
    if (local.type != declared.type || local.name == code.text(at) || local.at >= at ||
        at >= local.scope_end || (local.is_pointer && !local.is_array))
      continue;
    const std::string other = std::string(local.name) + (local.is_array ? "[0]" : "");
    changes.push_back({at, at + 1, other, "", other + " belongs there"});
  }
  return changes;
}

}  // namespace

bool is_builtin(const Code& code, std::size_t at) {
  return is_name_of_builtin(code.text(at)) && code.text(at + 1) == ".";
}

Change whole_comparison(const Code& code, Change sign) {
  const auto ends_at = [&](std::size_t at) {
    constexpr std::string_view ends = "({[;,&|?:)}]";
    return ends.find(code.text(at).front()) != ends.npos || code.text(at) == "return" ||
           is_plain_assignment(code, at);
  };
  const auto is_any = [&](std::size_t at, std::string_view brackets) {
    return brackets.find(code.text(at).front()) != brackets.npos;
  };
  while (is_any(sign.begin - 1, ")]") || !ends_at(sign.begin - 1))
    sign.begin = is_any(sign.begin - 1, ")]") ? code.matching(sign.begin - 1) : sign.begin - 1;
  while (is_any(sign.end, "([") || !ends_at(sign.end))
    sign.end = is_any(sign.end, "([") ? code.after_bracket(sign.end) : sign.end + 1;
  return sign;
}

std::string named_place(const Code& code, Change change) {
  constexpr std::string_view signs = "<>=!+-*/%";
  const std::string_view first = code.text(change.begin);
  const auto is_simple = [&](std::size_t at) {
    return code.is_word(at) || code[at].kind == source::TokenKind::number;
  };
  const bool is_sign = signs.find(first.front()) != signs.npos;
  if (code[change.begin].kind == source::TokenKind::number) {  // with the operand and the sign before it
    std::size_t left = change.begin;
    while (left > 0 && signs.find(code.text(left - 1)) != signs.npos) --left;
    if (left < change.begin && code.is_word(left - 1))
      change.begin = left - (code.text(left - 2) == "." ? 3 : 1);
  } else if (change.leaves_out())
    --change.end;  // without the semicolon
  else if (first == "<" || first == ">" || first == "=" || first == "!")
    change = whole_comparison(code, change);
  else if (is_sign && is_simple(change.begin - 1) && is_simple(change.end)) {
    change.begin -= is_builtin(code, change.begin - 3) ? 3 : 1;
    change.end += is_builtin(code, change.end) ? 3 : 1;
  } else if (first == "-" && is_simple(change.end)) {
    ++change.end;  // --step
  }
  const std::string text = source::in_one_line(code, change.begin, change.end);
  std::size_t before = 0, all = 0;
  for (std::size_t at = code.first_from_line(code[change.begin].line);
       at < code.size() && code[at].line == code[change.begin].line; ++at) {
    if (code.text_between(at, at + change.end - change.begin) != text) continue;
    ++all;
    before += at < change.begin;
  }
  constexpr const char* ordinals[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
  if (all < 2 || before >= std::size(ordinals)) return fmt::format("'{}'", text);
  return fmt::format("the {} '{}'", ordinals[before], text);
}

bool begins_as_index_in_grid(const Code& code, const Variables& variables, const LocalVariable& local) {
  const std::size_t begin = local.at + 2, end = end_of_value(code, begin);
  return local.has_initializer && depends_on(code, variables, "blockIdx", begin, end) &&
         depends_on(code, variables, "threadIdx", begin, end);
}

bool has_thread_for_each(const Lesson& lesson, const Settings& settings) {
  const Variant& solution = run::find_variant(lesson, lesson.solution);
  return solution.launch && !solution.steps &&
         launch_of_solution(lesson, settings).ownership == Ownership::one_item;
}

bool is_race_of_lines(const Code& code, const CheckResult& result) {
  return result.pattern == "race-shared" && result.defect && result.defect->other &&
         result.defect->other->line != result.defect->party.line &&
         source::loops_around(code, {result.defect->other->line}).empty() &&
         source::loops_around(code, {result.defect->party.line}).empty();
}

Change barrier_between(const Code& code, const Defect& race) {
  const std::size_t at = code.first_from_line(std::max(race.party.line, race.other->line));
  return {at, at + 1, fmt::format("__syncthreads(); {}", code.text(at))};
}

std::vector<Change> changes_of_values(const Code& code, const Variables& variables, std::size_t at) {
  if (at == 0) return {};
  std::vector<Change> changes = ChangesAt(code, variables, at).all();
  std::ranges::move(changes_of_names(code, variables, at), std::back_inserter(changes));
  return changes;
}

}  // namespace gpulab::check
