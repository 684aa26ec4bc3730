#include <fmt/format.h>
#include <algorithm>

#include "check/causes.hpp"

namespace gpulab::check {

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value, source::is_operation,
    source::use_at;

namespace {

// Collects the changes of the expression, the condition or the statements that begin at one token.
class ExpressionsAt {
 public:
  ExpressionsAt(const Code& code, const Variables& variables, std::size_t at)
      : code_(code), variables_(variables), at_(at), function_(function_around(code, at)) {
    const std::size_t open = source::start_of_parameters(code, function_.first);
    for (std::size_t name = open; name < code.matching(open) && open < code.size(); ++name)
      if (code.text(name) == "int" && code.is_word(name + 1))
        sizes_.push_back(code.text(name + 1));
      else if (code.text(name) == "*" && code.is_word(name + 1))
        arrays_.push_back(code.text(name + 1));
  }

  std::vector<Change> all() {
    if (is_builtin(code_, at_)) add_names_of_builtin();
    if (source::is_pointer_parameter(code_, code_.text(at_))) {
      add_place_of_own();
      add_exchange_of_arrays();
      add_index_in_grid();
      if (code_.text(at_ + 1) == "[" && use_at(code_, at_) == VariableUse::read) add_for_read();
    }
    add_factors();
    add_for_numbers();
    add_for_operations();
    add_for_statement();
    add_for_limits();
    add_limits_of_two_loops();
    add_for_sizes();
    add_bin_of_element();
    if (source::has_word(code_, "fmaxf", 0, code_.size())) add_for_maximum();
    return std::move(all_);
  }

 private:
  void replace(std::size_t begin, std::size_t end, std::string text, const char* pattern = "",
               std::string says = "", std::string does = "") {
    all_.push_back({begin, end, std::move(text), pattern, std::move(says), std::move(does)});
  }

  std::string text(std::size_t begin, std::size_t end) const { return code_.text_between(begin, end); }

  bool is_in_head() const {
    return std::ranges::any_of(source::all_loops(code_), [&](const source::Loop& loop) {
      return loop.condition <= at_ && at_ < code_.matching(loop.begin + 1);
    });
  }

  bool is_number(std::size_t at) const { return code_[at].kind == source::TokenKind::number; }

  // Returns the variables there that hold one number.
  std::vector<const LocalVariable*> numbers() const {
    std::vector<const LocalVariable*> found;
    for (const LocalVariable& local : variables_)
      if (local.at < at_ && at_ < local.scope_end && !local.is_array && !local.is_pointer &&
          end_of_value(code_, local.at) < at_)
        found.push_back(&local);
    return found;
  }

  // Adds the names of indices in the grid that are computed from that variable.
  void add_names_of_builtin() {
    if (is_in_head() || !code_.text(at_).ends_with("Idx")) return;
    const bool is_first = code_.text(at_ + 3) == "*" && component_of(code_, at_ + 4, "blockDim") == "x" &&
                          code_.text(at_ + 7) != "+";  // of the block
    for (const LocalVariable* const local : numbers())
      if (begins_as_index_in_grid(code_, variables_, *local) &&
          depends_on(code_, variables_, code_.text(at_), local->at, end_of_value(code_, local->at)))
        replace(at_, at_ + (is_first ? 7 : 3), std::string(local->name), "",
                fmt::format("'{}' leaves out the {} there", text(at_, at_ + (is_first ? 7 : 3)),
                            code_.text(at_) == "blockIdx" ? "thread" : "block"));
  }

  // Adds an element of the thread, or of the block, for one element that several store in.
  void add_place_of_own() {
    const std::size_t sign = end_of_element(code_, at_);
    const bool is_first = code_.text(at_ - 1) == "*" && begins_statement(code_, at_ - 1) && sign == at_ + 1;
    const bool is_numbered = code_.text(at_ + 1) == "[" && is_number(at_ + 2) && sign == at_ + 4;
    const bool adds = is_operation(code_, sign, "+=");
    if ((!is_first && !is_numbered) || (!adds && !is_plain_assignment(code_, sign))) return;
    std::vector<std::string> indices;
    for (const LocalVariable* const local : numbers())
      if (begins_as_index_in_grid(code_, variables_, *local)) indices.emplace_back(local->name);
    indices.emplace_back("blockIdx.x");
    for (const std::string& index : indices)
      replace(is_first ? at_ - 1 : at_, sign + (adds ? 2 : 1),
              fmt::format("{}[{}] =", code_.text(at_), index), "race-global-index",
              fmt::format("each {} has an element of its own, {}[{}]",
                          index == "blockIdx.x" ? "block" : "thread", code_.text(at_), index));
  }

  // Adds the elements of the thread for *C = *A, and the index in the grid for that in the block.
  void add_index_in_grid() {
    const bool is_first = at_ > 0 && code_.text(at_ - 1) == "*" && begins_statement(code_, at_ - 1);
    const std::string_view index = code_.text(at_ + 2);
    if (!is_first && (code_.text(at_ + 1) != "[" || code_.text(at_ + 3) != "]" || !code_.is_word(at_ + 2)))
      return;
    const std::size_t end = is_first ? end_of_value(code_, at_ + 2) : function_.second;
    for (const LocalVariable* const local : numbers()) {
      if (local->name == index || !begins_as_index_in_grid(code_, variables_, *local)) continue;
      std::string arrays, changed;
      std::size_t written = is_first ? at_ - 1 : at_, last = written;
      for (std::size_t at = at_; at < end; ++at) {
        const bool is_element =
            code_.text(at + 1) == "[" && code_.text(at + 2) == index && code_.text(at + 3) == "]";
        if (!source::is_pointer_parameter(code_, code_.text(at)) ||
            (is_first ? code_.text(at - 1) != "*" : !is_element))
          continue;
        changed += code_.whole().substr(code_.begin_of(written),
                                        code_.begin_of(is_first ? at - 1 : at) - code_.begin_of(written));
        changed += fmt::format("{}[{}]", code_.text(at), local->name);
        arrays += fmt::format("{}{}", arrays.empty() ? "" : ", ", code_.text(at));
        last = at + (is_first ? 1 : 4), written = last;
        if (code_.begin_of(written) > code_.end_of(last - 1)) changed += " ";
      }
      replace(is_first ? at_ - 1 : at_, last, changed, "",
              fmt::format("'{}' is the thread's index in the grid", local->name),
              is_first ? fmt::format("'*{}'", code_.text(at_))
                       : fmt::format("'{}' as the index of {}", index, arrays));
    }
  }

  // Adds the exchange of that array with another one, in the whole function.
  void add_exchange_of_arrays() {
    const std::size_t body = code_.after_bracket(source::start_of_parameters(code_, function_.first));
    for (const std::string_view other : arrays_) {
      std::vector<std::size_t> uses = uses_between(code_, code_.text(at_), body, function_.second);
      const std::vector<std::size_t> others = uses_between(code_, other, body, function_.second);
      if (other == code_.text(at_) || others.empty() || uses.front() != at_ || others.front() < at_) continue;
      std::string exchanged;
      const std::size_t end = std::max(uses.back(), others.back()) + 1;
      for (std::size_t at = at_; at < end; ++at) {
        if (at > at_)
          exchanged += code_.whole().substr(code_.end_of(at - 1), code_.begin_of(at) - code_.end_of(at - 1));
        exchanged += code_.text(at) == other             ? code_.text(at_)
                     : code_.text(at) == code_.text(at_) ? other
                                                         : code_.text(at);
      }
      replace(at_, end, exchanged, "",
              fmt::format("{} is meant there, and {} elsewhere", other, code_.text(at_)),
              fmt::format("'{}' and '{}'", code_.text(at_), other));
    }
  }

  // Adds a shared array for that one and, for name[row * length + column], the guard of row and column.
  void add_for_read() {
    for (const LocalVariable& local : variables_)
      if (local.is_array && local.is_shared && local.at < at_)
        replace(at_, at_ + 1, std::string(local.name), "", fmt::format("'{}' is meant there", local.name));
    const std::size_t row = at_ + 2, column = row + 4;
    add_element_of_tile(column);
    if (code_.text(row + 1) != "*" || code_.text(row + 3) != "+" || code_.text(column + 1) != "]") return;
    std::size_t sign = at_;
    while (sign > 0 && !is_plain_assignment(code_, sign) && code_.text(sign) != ";") --sign;
    for (const std::string_view size : sizes_) {
      const std::string guard =
          fmt::format("{} < {} && {} < {}", code_.text(row), size, code_.text(column), code_.text(row + 2));
      if (code_.text(at_ - 1) == "?" && is_plain_assignment(code_, sign))
        replace(sign + 1, at_ - 1, guard, "out-of-bounds-read",
                fmt::format("{} has to be read only where {}", code_.text(at_), guard));
    }
  }

  // Adds the element of each tile in the loop around, for one of the array with that column as its counter.
  void add_element_of_tile(std::size_t column) {
    for (const LocalVariable& tile : variables_)
      for (const std::size_t use : uses_between(code_, tile.name, 0, at_)) {
        const std::size_t second = code_.after_bracket(use + 1), end = code_.after_bracket(second);
        if (tile.is_shared && use_at(code_, use) == VariableUse::set && code_.text(second) == "[")
          replace(at_, end_of_element(code_, at_),
                  fmt::format("{}[{}]", text(use, second), code_.text(column)), "",
                  fmt::format("line {} has stored that element in {}", code_[end].line, tile.name));
      }
  }

  // Adds what counts rows for the length of a row, an offset that counts from the end of a filter, another
  // limit, and steps of 1.
  void add_for_sizes() {
    const auto is_size = [&](std::size_t at) {
      return std::ranges::find(sizes_, code_.text(at)) != sizes_.end();
    };
    const std::string_view name = code_.text(at_), before = code_.text(at_ - 1), after = code_.text(at_ + 1);
    for (const LocalVariable& row : variables_)
      if (is_size(at_) && row.at < at_ && at_ < end_of_value(code_, row.at))
        for (const std::size_t use : uses_between(code_, row.name, at_, row.scope_end))
          if (code_.text(use + 1) == "*" && code_.text(use + 2) == name && code_.text(use + 3) == "+")
            for (const std::string_view other : sizes_)
              if (other != name)
                replace(at_, at_ + 1, std::string(other), "",
                        fmt::format("'{}' is the length of a row, and '{}' counts rows", name, row.name));
    const std::vector<source::Loop> loops = source::loops_around(code_, {code_[at_].line});
    if (name == "+" && !is_in_head() && (code_.text(at_ + 2) == "]" || code_.text(at_ + 2) == ")") &&
        !loops.empty())
      for (const source::Loop& loop : loops)
        if (code_.text(loop.condition) == after && code_.text(loop.condition + 1) == "<")
          replace(at_, at_ + 2, fmt::format("+ {} - 1 - {}", code_.text(loop.condition + 2), after), "",
                  fmt::format("the filter is turned, so {} counts down there", after));
    if (is_size(at_) && after == "/" && code_.text(at_ + 3) == "-")
      replace(at_, at_ + 3, fmt::format("{} - 1", name), "",
              fmt::format("the last of them has the index {} - 1", name));
    if (is_size(at_) && before == "<" && is_in_head())
      for (const LocalVariable* const local : numbers())
        if (begins_as_index_in_grid(code_, variables_, *local))
          replace(at_, at_ + 1, std::string(local->name));
    for (const source::Loop& loop : source::all_loops(code_)) {
      const std::size_t step = loop.condition_end + 1;
      if (loop.condition == at_ && code_.text(loop.begin) == "for" && is_number(at_ - 2) &&
          is_operation(code_, step + 1, "+=") && is_number(step + 3))
        replace(at_ - 2, step + 4,
                fmt::format("{}; {}; ++{}", number_at(code_, at_ - 2, 0) - 1, text(at_, loop.condition_end),
                            name),
                "", fmt::format("{} leaves out some", text(step, step + 4)),
                fmt::format("'{}' and '{}'", text(at_ - 2, at_ - 1), text(step, step + 4)));
    }
  }

  // Adds the value of the element for its index, where a shared array is counted in.
  void add_bin_of_element() {
    if (code_.text(at_) != "atomicAdd") return;
    const auto [second, last] = source::argument_tokens(code_, at_, 1);
    const bool is_address = code_.text(at_ + 2) == "&";
    const std::size_t index = is_address ? at_ + 5 : at_ + 4;
    if (!code_.is_word(index) || (!is_address && code_.text(at_ + 3) != "+")) return;
    for (const std::string_view array : arrays_)
      replace(index, last, fmt::format("{}[{}]{}, 1", array, code_.text(index), is_address ? "]" : ""), "",
              fmt::format("the bin is the value {}[{}]", array, code_.text(index)),
              fmt::format("'{}' as an index", code_.text(index)));
  }

  // Adds other factors to the terms of an index that a variable begins with.
  void add_factors() {
    const auto index = std::ranges::find_if(variables_, [&](const LocalVariable& local) {
      return local.has_initializer && local.type == "int" && local.at < at_ &&
             at_ < end_of_value(code_, local.at);
    });
    const auto is_of_element = [&](std::size_t use) { return code_.text(use - 1) == "["; };
    if (index == variables_.end() ||
        std::ranges::none_of(uses_between(code_, index->name, at_, index->scope_end), is_of_element))
      return;
    const std::string_view after = code_.text(at_ + 1);
    if (is_number(at_)) {
      const int number = number_at(code_, at_, 0);
      for (const int other : {2 * number, number - 1}) replace(at_, at_ + 1, std::to_string(other));
      if (number % 2 == 0 && number > 2) replace(at_, at_ + 1, std::to_string(number / 2));
    } else if (code_.is_word(at_) && after == "*" && is_number(at_ + 2)) {
      replace(at_, at_ + 1, fmt::format("{} / 2", code_.text(at_)));
      replace(at_, at_ + 3, fmt::format("{} / 2 * {}", code_.text(at_), 2 * number_at(code_, at_ + 2, 0)));
    } else if (code_.is_word(at_) && code_.text(at_ - 1) == "+" && after == "+") {
      replace(at_, at_ + 1, fmt::format("2 * {}", code_.text(at_)));
    }
  }

  // Adds 0 for 1 behind a colon, and limits that are one more.
  void add_for_numbers() {
    if (!is_number(at_)) return;
    const std::string_view before = code_.text(at_ - 1);
    const std::string more = std::to_string(number_at(code_, at_, 0) + 1);
    if ((before == ":" || before == "?") && (code_.text(at_) == "0" || code_.text(at_) == "1"))
      replace(at_, at_ + 1, code_.text(at_) == "0" ? "1" : "0");
    if (before == ">" && code_.text(at_ + 1) == ";") replace(at_, at_ + 1, more);
    if (is_operation(code_, at_ - 2, "==")) replace(at_ - 2, at_ + 1, "<= " + more);
  }

  // Adds brackets around a remainder, !=  for >, a value without its cast, its square, or half of it.
  void add_for_operations() {
    if (code_.text(at_) == "!" && code_.is_word(at_ + 1) && code_.text(at_ + 2) == "%")
      replace(at_, at_ + 4, fmt::format("!({})", text(at_ + 1, at_ + 4)), "",
              fmt::format("! binds tighter than %: !({})", text(at_ + 1, at_ + 4)));
    if (code_.text(at_) == "%" && code_.text(at_ - 3) == "if" && code_.text(at_ + 2) == ")")
      replace(
          at_ - 1, at_ + 2, text(at_ - 1, at_ + 2) + " == 0", "",
          fmt::format("{} divides {} where the remainder is 0", code_.text(at_ + 1), code_.text(at_ - 1)));
    if (code_.text(at_) == "]" && code_.text(at_ + 1) == "+" && code_.text(at_ + 5) == ";")
      replace(at_, at_ + 5, text(at_ + 1, at_ + 5) + "]", "", "the ] stands too early there");
    if (code_.text(at_) == ">" && code_.is_word(at_ - 1) && is_number(at_ + 1)) replace(at_, at_ + 1, "!=");
    if (code_.is_word(at_) && code_.text(at_ + 1) == "+" && code_.text(at_ + 3) == "/")
      replace(at_, at_ + 3, fmt::format("({})", text(at_, at_ + 3)), "", "/ binds tighter than +");
    if (text(at_, at_ + 5) == "(long long)(" && code_.text(at_ + 6) == "*")
      replace(at_, at_ + 6, fmt::format("((long long){}", code_.text(at_ + 5)), "int-overflow",
              "the product is an int, and becomes a long long too late",
              "'" + text(at_, code_.after_bracket(at_ + 4)) + "'");
    if (code_.text(at_) == "float" || text(at_, at_ + 3) == "(double)") add_types();
    for (const std::size_t length : {1, 3, 4})
      if (const std::string cast = text(at_, at_ + length);
          cast == "(int)" || cast == "static_cast<int>" || (cast == "int" && code_.text(at_ + 1) == "("))
        replace(at_, at_ + length, "", "whole-numbers", "the cast drops the fraction");
    const std::size_t sign = end_of_element(code_, at_), second = sign + 1,
                      end = end_of_element(code_, second);
    if (code_.is_word(at_) && code_.text(sign) == "*" && text(at_, sign) == text(second, end) &&
        !is_in_head())
      replace(at_, end, text(at_, sign), "", fmt::format("{} is not to be squared there", text(at_, sign)));
    const std::size_t last = end_of_value(code_, at_ + 1);
    if (is_shared_element(code_, variables_, at_) && use_at(code_, at_) == VariableUse::read)
      replace(at_ + 2, sign - 1, "0", "", fmt::format("the threads share {}[0]", code_.text(at_)));
    if (is_plain_assignment(code_, at_) && code_.text(at_ + 1) == "*" && last == at_ + 3)
      replace(at_ + 1, last, fmt::format("sqrt({})", text(at_ + 1, last)), "",
              fmt::format("a length is the root of {}", text(at_ + 1, last)));
    if (is_plain_assignment(code_, at_) && code_.text(last - 2) == "/" && code_.text(last - 1) == "2")
      replace(at_ + 1, last, fmt::format("sqrt({})", text(at_ + 1, last - 2)), "",
              "a root is not half of the square");
  }

  // Adds a double for a float up to the end of its value, and whole numbers for the first of several doubles.
  void add_types() {
    const bool is_float = code_.text(at_) == "float";
    std::string exact;
    std::size_t at = at_;
    for (const std::size_t end = end_of_value(code_, at_ + 1); at < end; ++at) {
      const std::string_view word = code_.text(at);
      exact.append(word == "sqrtf"                       ? "sqrt"
                   : word != "double" && word != "float" ? word
                   : is_float                            ? "double"
                                                         : "long long");
      exact += ' ';
    }
    replace(
        at_, at, exact, "",
        is_float ? "a float does not hold that" : "both parts have to be whole numbers before the difference",
        is_float ? "" : "the first cast to double");
  }

  // Adds a smaller limit for two comparisons at once, all threads' own variables for the block's, and the
  // length of an array in an index that counts down from its end.
  void add_for_limits() {
    if (at_ > 3 && is_operation(code_, at_, "||") && is_operation(code_, at_ - 2, ">") &&
        is_operation(code_, at_ + 3, ">"))
      replace(at_ - 3, at_ + 5,
              fmt::format("{} >= {} || {} >= {}", code_.text(at_ - 3), code_.text(at_ - 1),
                          code_.text(at_ + 2), code_.text(at_ + 4)),
              "", fmt::format("it lets {} == {} through", code_.text(at_ - 3), code_.text(at_ - 1)));
    for (const LocalVariable& local : variables_)
      if (code_.text(at_) == "__shared__" && !local.is_array && at_ < local.at && local.at <= at_ + 3)
        replace(at_, at_ + 1, " ", "race-shared",
                fmt::format("each thread needs its own '{}', so leave out __shared__", local.name));
    const std::vector<source::Loop> loops = source::loops_around(code_, {code_[at_].line});
    if (code_.text(at_) != "-" || code_.text(at_ + 2) != "]" || loops.empty() ||
        code_.text(loops.back().condition) != code_.text(at_ + 1))
      return;
    for (const std::string_view size : sizes_)
      replace(at_, at_ + 2, fmt::format("+ {} - 1 - {}", size, code_.text(at_ + 1)), "",
              fmt::format("the offset {} - 1 is missing there", size));
  }

  // Adds the exchange of both elements of an addition, and of the arguments of an atomicAdd().
  void add_for_statement() {
    if (code_.text(at_) == "atomicAdd" && code_.text(at_ + 2) == "&") {
      const auto [second, last] = source::argument_tokens(code_, at_, 1);
      const std::string added = text(second, last), place = text(at_ + 3, second - 1);
      if (end_of_element(code_, second) == last)
        replace(at_ + 2, last, fmt::format("&{}, {}", added, place), "", "the first argument is the sum");
      if (code_.text(at_ + 4) == "[" && code_.text(second + 1) == "[" &&
          end_of_element(code_, second) == last)
        replace(at_ + 5, code_.matching(at_ + 4), text(second + 2, last - 1), "",
                fmt::format("{}[{}] is what {} belongs to", code_.text(at_ + 3), text(second + 2, last - 1),
                            added));
    }
    const std::size_t sign = end_of_element(code_, at_), value = sign + 2, end = end_of_value(code_, value);
    if (!code_.is_word(at_) || !begins_statement(code_, at_) || !is_operation(code_, sign, "+=")) return;
    const std::string target = text(at_, sign), added = text(value, end);
    if (code_.text(value) == code_.text(at_) && end_of_element(code_, value) == end)
      replace(at_, end, fmt::format("{} += {}", added, target), "", target + " is what has to be added");
  }

  // Adds the largest number for the smallest, for a sum and for a first value of 0.
  void add_for_maximum() {
    if (code_.text(at_) == "fminf") replace(at_, at_ + 1, "fmaxf", "", "the largest is asked for");
    if (is_number(at_) && is_plain_assignment(code_, at_ - 1) && code_.text(at_ + 1) == ";")
      replace(at_, at_ + 1, "-INFINITY", "", "a largest number may be negative, and so begins at -INFINITY");
    if (!code_.is_word(at_) || !begins_statement(code_, at_) || is_in_head()) return;
    const std::size_t sign = end_of_element(code_, at_), end = end_of_value(code_, sign + 2);
    if (is_operation(code_, sign, "+="))
      replace(sign, end, fmt::format("= fmaxf({}, {})", text(at_, sign), text(sign + 2, end)), "",
              "the largest is asked for, and not the sum");
    if (is_plain_assignment(code_, sign) && !source::loops_around(code_, {code_[at_].line}).empty() &&
        text(sign + 1, sign + 2) != "fmaxf")
      replace(sign + 1, end, fmt::format("fmaxf({}, {})", text(at_, sign), text(sign + 1, end)), "",
              "it replaces what was the largest so far");
  }

  // Adds limits of the whole tile for two nested loops up to the threads of the block.
  void add_limits_of_two_loops() {
    if (code_.text(at_) != "<" || component_of(code_, at_ + 1, "blockDim").empty()) return;
    std::size_t second = at_ + 1;
    while (code_[second].line <= code_[at_].line + 2 && second < function_.second &&
           (code_.text(second) != "<" || component_of(code_, second + 1, "blockDim").empty()))
      ++second;
    if (code_.text(second) != "<") return;
    const auto limits = [&](std::size_t begin) {
      std::vector<std::string> found;
      for (const LocalVariable* const local : numbers())
        if (source::has_word(code_, "blockDim", local->at, end_of_value(code_, local->at)) &&
            text(local->at, end_of_value(code_, local->at)).find(text(begin, begin + 3)) != std::string::npos)
          found.emplace_back(local->name);
      return found;
    };
    for (const std::string& first : limits(at_ + 1))
      for (const std::string& other : limits(second + 1))
        replace(
            at_ + 1, second + 4, first + text(at_ + 4, second + 1) + other, "uninitialised-shared",
            fmt::format("these loops have to fill the tile up to {} and {}", first, other),
            fmt::format("the limits '{}' and '{}'", text(at_ + 1, at_ + 4), text(second + 1, second + 4)));
  }

  const Code& code_;
  const Variables& variables_;
  const std::size_t at_;
  const std::pair<std::size_t, std::size_t> function_;
  std::vector<std::string_view> sizes_, arrays_;  // parameters that are an int, or a pointer
  std::vector<Change> all_;
};

}  // namespace

std::vector<Change> changes_of_expressions(const Code& code, const Variables& variables, std::size_t at) {
  return ExpressionsAt(code, variables, at).all();
}

}  // namespace gpulab::check
