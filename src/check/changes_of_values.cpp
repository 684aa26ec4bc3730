#include <fmt/format.h>
#include <algorithm>

#include "check/causes.hpp"

namespace gpulab::check {

using source::Code, source::LocalVariable, source::VariableUse, source::end_of_value, source::is_operation,
    source::use_at;

namespace {

// Collects the changes that begin at one token.
class ChangesAt {
 public:
  ChangesAt(const Code& code, const Variables& variables, std::size_t at)
      : code_(code), variables_(variables), at_(at) {
    const std::size_t open = source::start_of_parameters(code, function_around(code, at).first);
    for (std::size_t name = open; name < code.matching(open) && open < code.size(); ++name)
      if (code.text(name) == "int" && code.is_word(name + 1)) sizes_.emplace_back(code.text(name + 1));
  }

  std::vector<Change> all() {
    if (code_[at_].kind == source::TokenKind::number) add_for_number();
    if (code_.is_word(at_)) add_for_index();
    if (begins_statement(code_, at_)) add_for_statement();
    if (is_operation(code_, at_, "==")) {
      replace(at_, at_ + 2, "<=");
      replace(at_, at_ + 2, ">=");
    }
    return std::move(all_);
  }

 private:
  void replace(std::size_t begin, std::size_t end, std::string text, const char* pattern = "") {
    all_.push_back({begin, end, std::move(text), pattern});
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
    if (is_operation(code_, at_ - 2, "+=") && after == ")" && number != "1") replace(at_, at_ + 1, "1");
    if (number == "32" && has_word(code_, "warpSize", 0, code_.size())) replace(at_, at_ + 1, "warpSize");
    if (before == "%" || before == "/")
      for (const source::Loop& loop : loops_around())
        if (loop.condition_end < at_ && code_.is_word(loop.condition))
          replace(at_, at_ + 1, std::string(code_.text(loop.condition)));
    add_index_in_grid();
    const bool is_limit = before == "<" || is_operation(code_, at_ - 2, "<=");
    if (!is_limit || number.size() < 2) return;
    const std::string_view compared = code_.text(at_ - (before == "<" ? 2 : 3));
    for (const LocalVariable& local : variables_)
      if (is_visible(local) && local.type == "int" && local.name != compared) sizes_.emplace_back(local.name);
    for (const std::string& size : sizes_)
      replace(at_, at_ + 1, before == "<" ? size : size + " - 1", "constant-for-size");
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
  }

  bool is_in_index() const {
    for (std::size_t bracket = at_; bracket > 0 && code_[bracket].line == code_[at_].line; --bracket)
      if (code_.text(bracket) == "[" && code_.matching(bracket) > at_) return true;
    return false;
  }

  // Adds that the statement is left out, adds where it replaces or replaces where it adds, has its index and
  // its value exchanged, or stores a sum of the block.
  void add_for_statement() {
    const std::size_t sign = end_of_element(code_, at_);
    const bool replaces = is_plain_assignment(code_, sign), adds = is_operation(code_, sign, "+=");
    const std::string target = code_.text_between(at_, sign);
    const std::size_t value = sign + (adds ? 2 : 1), end = end_of_value(code_, value);
    if (code_.is_word(at_) && (replaces || adds) && !is_in_condition_of_loop()) {
      if (replaces && !loops_around().empty()) replace(at_, value, target + " +=", "overwritten-sum");
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
  }

  void leave_out(std::size_t begin, std::size_t end) {
    if (code_.text(end) == ";") replace(begin, end + 1, ";");
  }

  const Code& code_;
  const Variables& variables_;
  const std::size_t at_;
  std::vector<std::string> sizes_;  // parameters that are an int
  std::vector<Change> all_;
};

}  // namespace

bool begins_as_index_in_grid(const Code& code, const Variables& variables, const LocalVariable& local) {
  const std::size_t begin = local.at + 2, end = end_of_value(code, begin);
  return local.has_initializer && depends_on(code, variables, "blockIdx", begin, end) &&
         depends_on(code, variables, "threadIdx", begin, end);
}

std::vector<Change> changes_of_values(const Code& code, const Variables& variables, std::size_t at) {
  return at == 0 ? std::vector<Change>() : ChangesAt(code, variables, at).all();
}

}  // namespace gpulab::check
