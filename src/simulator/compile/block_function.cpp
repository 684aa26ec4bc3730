#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/compile/kernel_loops.hpp"
#include "source/statements.hpp"

// Writes a kernel as a function of its whole block, by loop fission at the barriers (MCUDA; pocl's work-group
// functions). Between two barriers no thread needs another, so the threads run one after another in a loop
// that the compiler sees, with the thread's index in a register. The loop's body is a lambda, called a
// region.
//
// Outside regions there are only uniform values, equal in all threads: parameters, variables of loops with a
// barrier, and what is computed from them. So the headers of such loops depend on no thread, and no thread
// changes them for another. A thread's variable lives in the region that declares it. If later regions need
// the variable, they repeat its declaration if its value is invariant; otherwise an array of the block keeps
// the values. The compiler refuses what the tokens do not show, and then the file is compiled without these
// functions.

namespace gpulab::simulator::compile {
namespace {

using source::Code, source::in_one_line;

constexpr std::string_view indices = " threadIdx blockIdx blockDim gridDim ";

// A declaration of numbers, pointers or arrays.
struct Declaration {
  struct Variable {
    std::string_view name;
    std::size_t at = 0, end = 0;           // tokens: its name, and the one after its dimensions
    std::size_t value = 0, value_end = 0;  // tokens of the initial value; equal if there is none
    bool is_array = false;
  };
  std::size_t begin = 0, type_end = 0, end = 0;
  bool is_const = false, is_pointer = false;
  std::vector<Variable> variables;
};

std::optional<Declaration> declaration_at(const Code& code, std::size_t at) {
  Declaration found{.begin = at};
  bool has_type = false;
  for (; is_in(number_types, code.text(at)) || is_in(" const constexpr ", code.text(at)); ++at) {
    const bool is_const = code.text(at).starts_with("const");
    found.is_const |= is_const;
    has_type |= !is_const;
  }
  found.type_end = at;
  while (has_type) {
    for (; is_in(" * const __restrict__ ", code.text(at)); ++at) found.is_pointer |= code.text(at) == "*";
    Declaration::Variable variable{.name = code.text(at), .at = at};
    if (!code.is_word(at++)) break;
    variable.is_array = code.text(at) == "[";
    while (code.text(at) == "[") at = code.after_bracket(at);
    variable.end = at;
    if (code.text(at) == "=" || code.text(at) == "{") {
      variable.value = at + (code.text(at) == "=");
      while (at < code.size() && code.text(at) != "," && code.text(at) != ";")
        at = is_in(" ( [ { ", code.text(at)) ? code.after_bracket(at) : at + 1;
      variable.value_end = at;
    }
    found.variables.push_back(variable);
    found.end = at + 1;
    if (code.text(at) == ";") return found;
    if (code.text(at++) != ",") break;
  }
  return std::nullopt;
}

// Returns whether the text sets the variable or takes its address. The compiler sees what references do.
bool is_changed(const Code& code, std::size_t begin, std::size_t end, std::string_view name) {
  return std::ranges::any_of(source::uses_between(code, name, begin, end), [&](std::size_t at) {
    const source::VariableUse use = source::use_at(code, at);
    const std::string_view before = code.text(at - 1);
    const bool is_address = use == source::VariableUse::unknown && before == "&";
    const bool is_set =
        use == source::VariableUse::changed || (use == source::VariableUse::set && before != "*");
    return code.text(at + 1) != "[" && (is_address || is_set);
  });
}

// Writes the function. Each line of the kernel keeps its number.
class BlockWriter {
 public:
  BlockWriter(const Code& code, const FileFunction& kernel, bool sets_index)
      : code_(code),
        body_(kernel.body),
        end_(code.matching(kernel.body)),
        parameters_(kernel.parameters),
        sets_index_(sets_index) {}

  // Returns an empty text if the kernel cannot be divided at its barriers.
  std::string text(const std::string& file, std::string_view name) {
    out_ = "#line " + std::to_string(code_[parameters_].line) + " \"" + file +
           "\"\nstatic unsigned gpulab_block_" + std::string(name);
    written_end_ = code_.begin_of(parameters_);
    write(parameters_, body_ + 1);
    if (!add_parameters()) return "";
    out_ += "unsigned gpulab_barriers = 0; ";
    const bool has_barriers = has_word(code_, "__syncthreads", body_, end_);
    add_constants_of_file();
    if (has_barriers && !add_list(body_ + 1, end_, /*is_in_loop=*/false)) return "";
    if (!has_barriers) {
      list_end_ = region_end_ = end_;
      region_ = body_ + 1;
      add_region("gpulab_each_thread");
    }
    return out_ + "return gpulab_barriers; " + std::string(scopes_ + 1, '}') + "\n";
  }

 private:
  // A variable of a thread.
  struct Variable {
    std::string_view name;
    std::string text;  // of a declaration to repeat, or of the type; empty if it cannot be kept
    bool is_repeated = false, is_array = false, is_new = true, is_kept = false;  // new until its region ends
  };

  // Opens a scope that shadows the name: by a const copy or, for a shared array, by a reference.
  std::string opened(std::string_view name, bool is_shared) {
    ++scopes_;
    const std::string text(name), of = "gpulab_of_" + text;
    if (is_shared) shared_.insert(name);
    if (!is_shared) depends_on_thread_[name] = false;
    // A thread-local array's address is the result of a call, so it is found once.
    if (is_shared)
      return "auto* const " + of + " = gpulab_found(&" + text + "); { auto& " + text + " = *" + of + "; ";
    return "const auto " + of + " = " + text + "; { const auto " + text + " = " + of + "; ";
  }

  bool add_parameters() {
    const std::size_t end = code_.matching(parameters_);
    for (std::size_t i = parameters_ + 1; i <= end; ++i) {
      if (is_in(" [ & = ( ", code_.text(i))) return false;
      if ((code_.text(i) != "," && i != end) || i == parameters_ + 1) continue;
      if (!code_.is_word(i - 1) || is_changed(code_, body_, end_, code_.text(i - 1))) return false;
      out_ += opened(code_.text(i - 1), /*is_shared=*/false);
    }
    return true;
  }

  // Finds constants outside functions, and shared arrays.
  void add_constants_of_file() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_.text(i) == "{" || code_.text(i) == "(") i = code_.matching(i);
      const bool is_shared = code_.text(i) == "__shared__";
      const auto declaration =
          is_shared || code_.text(i) == "constexpr" ? declaration_at(code_, i + is_shared) : std::nullopt;
      if (!declaration) continue;
      for (const Declaration::Variable& variable : declaration->variables)
        if (!is_shared)
          depends_on_thread_[variable.name] = false;
        else if (has_word(code_, variable.name, body_, end_))
          out_ += opened(variable.name, /*is_shared=*/true);
    }
  }

  // Adds the statements of the kernel or of a loop. Returns false if they cannot be divided at barriers.
  bool add_list(std::size_t at, std::size_t end, bool is_in_loop) {
    const auto outer_names = depends_on_thread_;
    const std::size_t outer_variables = variables_.size(), outer_end = std::exchange(list_end_, end);
    const std::size_t outer_scopes = is_in_loop ? std::exchange(scopes_, 0) : 0;
    while (at < end) {
      const std::size_t next = source::end_of_statement(code_, at);
      if (next <= at || next > end || !add_statement(at, next, is_in_loop)) return false;
      at = next;
    }
    if (!add_region("gpulab_each_thread_between_barriers")) return false;
    list_end_ = outer_end;
    variables_.resize(outer_variables);
    if (is_in_loop) {
      out_ += std::string(std::exchange(scopes_, outer_scopes), '}');
      depends_on_thread_ = outer_names;
    }
    return true;
  }

  // Adds a statement: a barrier, a loop with barriers, a declaration, or a part of the current region.
  bool add_statement(std::size_t at, std::size_t next, bool is_in_loop) {
    const std::string_view word = code_.text(at), second = code_.text(at + 1);
    if (has_word(code_, "__syncthreads", at, next)) {
      if (may_have_returned_ || !add_region("gpulab_each_thread_between_barriers")) return false;
      if (!is_barrier(code_, at)) return add_loop(at, next);
      out_ += "++gpulab_barriers; ";
      return true;
    }
    if (is_in(" __shared__ extern alignas ", word) && has_word(code_, "__shared__", at, next)) {
      remove(at, next);
      out_ += in_one_line(code_, at, next) + " ";
      if (const auto declaration =
              declaration_at(code_, source::uses_between(code_, "__shared__", at, next).front() + 1))
        for (const Declaration::Variable& variable : declaration->variables)
          out_ += opened(variable.name, /*is_shared=*/true);
      return true;
    }
    // After a return, a declaration stays in its region: not all threads may compute its value.
    const auto declaration = may_have_returned_ ? std::nullopt : declaration_at(code_, at);
    if (declaration && declaration->end == next) return add_declaration(*declaration);
    const bool may_declare = code_.is_word(at + 1) || is_in(" < : ", second) ||
                             (is_in(" * & ", second) && code_.text(at + 2) != "=");
    if (code_.is_word(at) && !is_in(control_words, word) && may_declare && !may_have_returned_) return false;
    const bool leaves = has_word(code_, "return", at, next);
    const bool leaves_loop = has_word(code_, "break", at, next) || has_word(code_, "continue", at, next);
    if (is_in_loop && (leaves || (leaves_loop && !is_in(" for while do switch ", word)))) return false;
    may_have_returned_ |= leaves;
    add_to_region(at, next);
    return true;
  }

  // Adds a loop with a barrier, of which all threads take the same iterations.
  bool add_loop(std::size_t at, std::size_t next) {
    while (code_[at].kind == source::TokenKind::directive) ++at;
    const std::size_t header_end = code_.matching(at + 1), body = header_end + 1;
    if (code_.text(at) != "for" || code_.text(body) != "{" || code_.matching(body) + 1 != next) return false;
    const auto declaration = declaration_at(code_, at + 2);
    if (!declaration || declaration->variables.size() != 1 || declaration->is_pointer) return false;
    const Declaration::Variable& variable = declaration->variables.front();
    if (variable.is_array || is_changed(code_, body, next, variable.name)) return false;
    if (depends_on_thread_.contains(variable.name) ||
        std::ranges::find(variables_, variable.name, &Variable::name) != variables_.end())
      return false;
    depends_on_thread_[variable.name] = false;
    if (!is_invariant(variable.value, header_end, /*may_depend_on_thread=*/false)) return false;
    out_ += in_one_line(code_, at, body) + " { " + opened(variable.name, /*is_shared=*/false);
    --scopes_;
    if (!add_list(body + 1, next - 1, /*is_in_loop=*/true)) return false;
    depends_on_thread_.erase(variable.name);
    out_ += "}} ";
    return true;
  }

  // Adds a declaration: outside regions if its values are uniform, in each region if they are invariant, and
  // otherwise only in the current region.
  bool add_declaration(const Declaration& declaration) {
    bool are_invariant = !declaration.is_pointer || declaration.variables.size() == 1, are_uniform = true;
    for (const Declaration::Variable& variable : declaration.variables) {
      if (depends_on_thread_.contains(variable.name) || has_word(code_, variable.name, body_, variable.at))
        return false;
      const bool has_value = variable.value_end > variable.value &&
                             is_invariant(variable.value, variable.value_end, /*may_depend_on_thread=*/true,
                                          declaration.is_pointer);
      are_invariant &= has_value && ((declaration.is_const && !declaration.is_pointer) ||
                                     !is_changed(code_, declaration.end, end_, variable.name));
      are_uniform &= are_invariant && is_invariant(variable.value, variable.value_end,
                                                   /*may_depend_on_thread=*/false, declaration.is_pointer);
      are_invariant &= !variable.is_array || (are_uniform && declaration.is_const);
    }
    if (!are_invariant) add_to_region(declaration.begin, declaration.end);
    if (are_invariant) remove(declaration.begin, declaration.end);
    if (are_invariant && are_uniform) out_ += constant_text(declaration) + " ";
    for (const Declaration::Variable& variable : declaration.variables) {
      if (are_invariant) depends_on_thread_[variable.name] = !are_uniform;
      if (!are_invariant)
        variables_.push_back(
            {.name = variable.name, .text = kept_type(declaration, variable), .is_array = variable.is_array});
    }
    if (are_invariant && !are_uniform)
      variables_.push_back({.name = declaration.variables.front().name,
                            .text = constant_text(declaration),
                            .is_repeated = true});
    return true;
  }

  std::string constant_text(const Declaration& declaration) const {
    const std::size_t name = declaration.variables.front().at;
    if (!declaration.is_pointer)
      return (declaration.is_const ? "" : "const ") + in_one_line(code_, declaration.begin, declaration.end);
    return in_one_line(code_, declaration.begin, name) + (code_.text(name - 1) == "const" ? " " : " const ") +
           in_one_line(code_, name, declaration.end);
  }

  // Returns a typedef of the variable's type without const; empty for a pointer, which cannot be kept.
  std::string kept_type(const Declaration& declaration, const Declaration::Variable& variable) const {
    if (declaration.is_pointer) return "";
    std::string type = "typedef";
    for (std::size_t i = declaration.begin; i < declaration.type_end; ++i)
      if (!code_.text(i).starts_with("const")) type += " " + std::string(code_.text(i));
    return type + " gpulab_type_" + std::string(variable.name) +
           in_one_line(code_, variable.at + 1, variable.end) + ";";
  }

  // Returns whether the expression is invariant, with the same value at any time: it reads no memory, and
  // only invariant names. Names that depend on the thread count only if `may_depend_on_thread`.
  bool is_invariant(std::size_t begin, std::size_t end, bool may_depend_on_thread,
                    bool is_address = false) const {
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view text = code_.text(i), before = code_.text(i - 1);
      if (code_.is_word(i) && !is_invariant_word(i, may_depend_on_thread, is_address)) return false;
      const bool is_cast = before == ")" && is_in(number_types, code_.text(code_.matching(i - 1) + 1));
      const bool has_left_side =
          i > begin && !is_cast && before != "sizeof" &&
          (code_.is_word(i - 1) || before == ")" || code_[i - 1].kind == source::TokenKind::number);
      const bool is_element_address =
          is_address && code_.text(begin) == "&" && code_.matching(begin + 2) + 1 == end;
      if ((text == "*" || (text == "&" && !(is_element_address && i == begin))) && !has_left_side)
        return false;
      if (text == "[" && !(is_element_address && i == begin + 2)) return false;
      if (source::is_operation(code_, i, "->") || code_[i].kind == source::TokenKind::string) return false;
    }
    return true;
  }

  bool is_invariant_word(std::size_t i, bool may_depend_on_thread, bool is_address) const {
    const std::string_view word = code_.text(i);
    if (code_.text(i - 1) == ".") return is_in(indices, code_.text(i - 2));
    if (word == "threadIdx") return may_depend_on_thread;
    if (const auto name = depends_on_thread_.find(word); name != depends_on_thread_.end())
      return may_depend_on_thread || !name->second;
    return is_in(indices, word) || is_in(number_types, word) || (is_address && shared_.contains(word)) ||
           is_in(" min max static_cast sizeof true false warpSize const ", word);
  }

  void add_to_region(std::size_t begin, std::size_t end) {
    if (region_ == 0) region_ = begin;
    region_end_ = end;
  }
  void remove(std::size_t begin, std::size_t end) {
    if (region_ != 0) removed_.emplace_back(begin, end);
  }

  // Writes the statements since the last barrier, if there are any, as a region, with the variables that it
  // shares with other regions. Returns false if one of these variables cannot be kept.
  bool add_region(const std::string& loop) {
    const std::size_t begin = std::exchange(region_, 0);
    if (begin == 0) return true;
    std::string arrays;  // before the region; in it come the prologue, the statements and the epilogue
    std::string prologue = sets_index_ ? "gpulab_thread_index = threadIdx; " : "", epilogue;
    for (Variable& variable : variables_) {
      const std::string name(variable.name), kept = "gpulab_of_" + name + "[gpulab_number]";
      if (variable.is_repeated) {
        prologue += variable.text + " ";
      } else if (std::exchange(variable.is_new, false)) {
        variable.is_kept = has_word(code_, name, region_end_, list_end_);
        if (!variable.is_kept) continue;
        if (variable.text.empty()) return false;
        arrays += variable.text + " GPULAB_KEEP(" + name + ") ";
        epilogue += " gpulab_copy_out(" + kept + ", " + name + ");";
      } else if (variable.is_kept && has_word(code_, name, begin, region_end_)) {
        prologue += "gpulab_type_" + name + (variable.is_array ? "& " : " ") + name + " = " + kept + "; ";
        if (!variable.is_array) epilogue += " " + kept + " = " + name + ";";
      }
    }
    out_ += arrays + loop + "([&](const uint3 threadIdx, const unsigned gpulab_number) GPULAB_REGION { " +
            prologue;
    std::size_t at = begin;
    for (const auto& [from, to] : std::exchange(removed_, {})) {
      write(at, std::min(from, region_end_));
      at = std::max(at, to);
    }
    write(at, region_end_);
    out_ += epilogue + " }); ";
    return true;
  }

  // Writes the tokens unchanged. Before them it writes as many line ends as the file has there, so that lines
  // keep their numbers.
  void write(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const std::string_view whole = code_.whole(),
                           before = whole.substr(written_end_, code_.begin_of(begin) - written_end_);
    out_.append(static_cast<std::size_t>(std::ranges::count(before, '\n')), '\n');
    written_end_ = code_.end_of(end - 1);
    out_ += whole.substr(code_.begin_of(begin), written_end_ - code_.begin_of(begin));
    out_ += ' ';
  }

  const Code& code_;
  std::size_t body_, end_, parameters_;  // tokens
  bool sets_index_;
  std::string out_;
  std::size_t written_end_ = 0;                         // in the text, after what is written
  std::map<std::string_view, bool> depends_on_thread_;  // of each invariant name
  std::set<std::string_view> shared_;
  std::vector<Variable> variables_;
  std::size_t list_end_ = 0, region_ = 0, region_end_ = 0;  // tokens; region_ is 0 while no region is open
  std::vector<std::pair<std::size_t, std::size_t>> removed_ = {};  // from the region
  std::size_t scopes_ = 0;
  bool may_have_returned_ = false;
};

}  // namespace

std::string block_function(const Code& code, const std::string& file, std::string_view name,
                           const FileFunction& kernel, bool sets_index) {
  return BlockWriter(code, kernel, sets_index).text(file, name);
}

}  // namespace gpulab::simulator::compile
