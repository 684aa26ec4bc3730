#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/code.hpp"

namespace gpulab::source {

// Statements of a function and the variables that it declares, as far as tokens show them.

// Lines of a text, counted from 1: from `first` to `last`, both included.
struct LineRange {
  int first = 0, last = 0;

  bool has(int line) const { return first <= line && line <= last; }
};

// Returns the index of the token after the statement that begins there.
std::size_t end_of_statement(const Code& code, std::size_t at);

LineRange lines_of_statement(const Code& code, std::size_t at);

// A for, while or do. Its parts are ranges of tokens.
struct Loop {
  std::size_t begin = 0, end = 0;
  std::size_t condition = 0, condition_end = 0;
  LineRange lines = {};
};

// Returns the loops around all of these lines, from the outermost to the innermost.
std::vector<Loop> loops_around(const Code& code, const std::vector<int>& lines);
std::vector<Loop> all_loops(const Code& code);

// Returns whether these symbols stand there, with nothing between them.
bool is_operation(const Code& code, std::size_t at, std::string_view symbols);

// Returns whether ++ or -- stands there.
bool is_step(const Code& code, std::size_t at);

// Returns whether that < or > compares: it is no part of a shift, an arrow, or a template's list.
bool compares(const Code& code, std::size_t at);

// A variable or an array of a built-in type that is declared in a function's body.
struct LocalVariable {
  std::string_view name, type;  // the type without words such as const
  std::size_t at = 0;           // token of its name
  std::size_t scope_end = 0;
  bool is_array = false, is_pointer = false;
  bool has_initializer = false, is_const = false;
  bool is_shared = false;  // or static: every thread sees the same variable

  // Returns whether the token is its name, and in its scope.
  bool is_meant_at(const Code& code, std::size_t token) const {
    return code.text(token) == name && at < token && token < scope_end;
  }
  // int i, but not int i = 0 or int i[4].
  bool is_uninitialized_number() const { return !has_initializer && !is_array && !is_pointer && !is_shared; }
};

// A variable's built-in type as its declaration has it, "unsigned int"; empty if it has none.
struct DeclaredType {
  std::string type;
  bool is_pointer = false;  // or an array
  bool is_shared = false;   // by threads: in the memory of a block or the device
};

// Reads the name's last declaration before the token.
DeclaredType declared_type(const Code& code, std::string_view name, std::size_t token);

// Returns whether a kernel has a parameter of this name that is a pointer.
bool is_pointer_parameter(const Code& code, std::string_view name);

// Returns the local variables of all functions, in order, at most 300.
std::vector<LocalVariable> local_variables(const Code& code);

enum class VariableUse {
  set,      // sum = 0
  changed,  // sum += 1, ++sum
  read,
  unknown,  // &sum, or an argument that may be a reference
};

// Returns what is done there with the variable or the element: sum, counts[bin].
VariableUse use_at(const Code& code, std::size_t name);

// Returns the opening parenthesis of the parameters of the function whose declaration has that token, such as
// its __global__; code.size() if it has none.
std::size_t start_of_parameters(const Code& code, std::size_t at);

// Returns at most 300 of the variable's uses between two tokens.
std::vector<std::size_t> uses_between(const Code& code, std::string_view name, std::size_t begin,
                                      std::size_t end);

// Returns those of them that may change the variable.
std::vector<std::size_t> changes_between(const Code& code, std::string_view name, std::size_t begin,
                                         std::size_t end);

// Return whether the word is between these tokens. Members of that name, as in a.word, do not count.
bool has_word(const Code& code, std::string_view word, std::size_t begin, std::size_t end);
inline bool has_word(const Code& code, std::string_view word, const TokenRange& range) {
  return has_word(code, word, range.begin, range.end);
}

// Returns the token after the variable, or the element of an array, whose name is at that token.
std::size_t end_of_element(const Code& code, std::size_t name);

// Returns whether the line has two elements of one array, a[i] and a[i + 1], or the two lines together.
bool has_two_elements(const Code& code, int line, int other_line = 0);

// Returns the token after the value that begins there: after = or +=, or after return.
std::size_t end_of_value(const Code& code, std::size_t at);

// Returns the >>> that ends a launch's configuration, from a token in it; code.size() if no arguments follow
// the >>>. Accepts ">> >", as nvcc does.
std::size_t end_of_configuration(const Code& code, std::size_t at);

// Returns the argument of that number, from 0, of the call at i; no tokens if there is none.
TokenRange argument_tokens(const Code& code, std::size_t i, std::size_t number);

// Returns the tokens as one line, without comments and backslashes that join lines.
std::string in_one_line(const Code& code, std::size_t begin, std::size_t end);

// Returns the first use of a variable if this use reads the variable before anything has set it; code.size()
// for another use, or if that is not certain.
std::size_t uninitialized_use(const Code& code, const LocalVariable& variable);

// Returns the macro that has the name in its arguments and declares a variable of the same name, to which the
// name then refers: CHECK in CHECK(f(&error)). Returns an empty text if there is none.
std::string_view macro_that_hides(const Code& code, std::size_t name);

// Returns whether the line is in the body of a destructor.
bool is_in_destructor(const Code& code, int line);

// Returns whether a thread of the host can learn from another that something has happened: the code names a
// lock, an atomic, a volatile variable, a thread, a function that sleeps, or the like.
bool has_signals(const Code& code);

// Returns whether the declaration of a __constant__ variable has an initializer.
bool has_initializer(const Code& code, std::string_view name);

// A sum of products that was computed from tokens.
struct ComputedValue {
  std::optional<double> value;  // none if the tokens are no expression, or a name has no value
  std::size_t end = 0;          // token after the expression, or the one that makes no sense
};

using ValueOfName = std::function<std::optional<double>(std::string_view name)>;

// Computes the expression that begins at a token as C++ does: the quotient of whole numbers is whole. The
// value may be infinite or NaN.
ComputedValue computed_value(const Code& code, std::size_t begin, const ValueOfName& value_of);

// Returns the atomic that does what a statement of these lines does in several steps: "atomicAdd(&bins[x],
// 1)" for bins[x]++, "atomicMax(best, e)" for if (e > *best) *best = e. `line` has the store, in the
// statement that begins at `column`, or in any if that is 0. Empty if there is no atomic for the type of the
// variable, or the value comes from the same array.
std::string atomic_for(const Code& code, int line, int other_line, int column = 0);

}  // namespace gpulab::source
