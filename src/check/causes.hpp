#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/judging.hpp"
#include "source/endless_loops.hpp"
#include "source/grid_index.hpp"
#include "source/slips.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Causes that the text of a wrong kernel shows: causes_in_text.cpp chooses between them. A number such as
// `at`, `begin` or `end` is the index of a token in the code. The value of an initialized variable begins two
// tokens after the variable's name, at `variable.at + 2`: the 3 of `int i = 3`.

using source::begins_statement, source::component_of, source::end_of_element, source::is_plain_assignment;
using Cause = std::optional<CheckPlace>;
using Variables = std::vector<source::LocalVariable>;

// An argument `line` with which a function looks for a cause in all lines.
constexpr int any_line = 0;

// Returns a cause in the line of that token. If the pattern is empty, the caller fills in the result's
// pattern.
CheckPlace at_line(const source::Code& code, std::size_t at, const char* pattern, std::string text);

// Returns the end of the outermost if, with its else, from `begin` on around the token; 0 without one.
std::size_t end_of_if_around(const source::Code& code, std::size_t begin, std::size_t token);

// Returns whether the symbol is between these tokens.
bool has_symbol(const source::Code& code, std::string_view symbol, std::size_t begin, std::size_t end);

// Returns whether the word is between these tokens, or in the initializer of a variable that they name.
bool depends_on(const source::Code& code, const Variables& variables, std::string_view word,
                std::size_t begin, std::size_t end);

// Returns whether the token is an element of a shared array, other than in its declaration.
bool is_shared_element(const source::Code& code, const Variables& variables, std::size_t name);

// Returns the variable with an initializer that the token names, in its scope; null for any other token.
const source::LocalVariable* initialized_variable(const source::Code& code, const Variables& variables,
                                                  std::size_t at);

// Returns the first token of the function around that token, which is its __global__ or __device__, or the
// file's first token if there is none, and the __global__ or __device__ of the next function.
std::pair<std::size_t, std::size_t> function_around(const source::Code& code, std::size_t at);

// Returns the number at that token, or the block size for blockDim.x; 0 for anything else.
std::size_t number_at(const source::Code& code, std::size_t at, unsigned block_size);

// Returns the starter of the lesson's exercise; empty if the lesson has no exercise with a kernel.
std::string starter_of(const Lesson& lesson);

// Returns whether the right kernel adds something up: if it takes a maximum, no mistake is a lost sum.
bool solution_adds_up(const Lesson& lesson);

// Finds the starter's parameters in another order.
Cause parameters_in_other_order(const Lesson& lesson, const source::Code& code);

// Finds a store to a parameter that is const in the starter.
Cause store_to_input(const Lesson& lesson, const source::Code& code);

// Finds a __constant__ variable with another name than that of the variable to which the host copies.
Cause renamed_variable(const Lesson& lesson, const source::Code& code);

// Finds a variable that the host fills with numbers of another type than that of its declaration.
Cause symbol_of_other_type(const Lesson& lesson, const source::Code& code);

// Finds an input, a parameter or a __constant__ array, that nothing reads; of an instructor's exercise also a
// number.
Cause unread_input(const Lesson& lesson, const source::Code& code);

// Finds an output of a kernel that its body does not use.
Cause unstored_output(const source::Code& code);

// Finds an index in the grid that is computed in a wrong way.
Cause index_in_grid(const source::Code& code, unsigned block_size);

// Finds a tile that each iteration fills with the same elements: their index lacks the loop's variable.
Cause same_in_every_tile(const source::Code& code, const Variables& variables);

// Finds an index of the grid in an access to a shared array in that line or, for any_line, in any store to a
// shared array.
Cause index_of_grid_in_shared(const source::Code& code, const Variables& variables, int line);

// Finds a variable that takes a value from arrays and that nothing reads.
Cause unread_variable(const source::Code& code, const Variables& variables);

// Finds a store to an element of an output that a later store in the same function replaces.
Cause stored_twice(const source::Code& code);

// Finds a return in a loop that ends a thread before it stores its result.
Cause return_in_loop(const source::Code& code, const CheckResult& result);

// Finds a *= or += that reads an element before anything has set it.
Cause changed_before_set(const source::Code& code, const CheckResult& result);

// Finds a loop whose counter is the index of a shared array and goes beyond the array's end.
Cause loop_beyond_array(const source::Code& code, const Defect& defect);

// Finds an index that is kept in a type that is too small for it.
Cause narrow_index(const source::Code& code, const Variables& variables, std::size_t size);

// Finds a divisor in that line that begins at 0, or whose type is so small that it overflows to 0.
Cause wrong_divisor(const source::Code& code, const Variables& variables, int line);

// Finds threadIdx.y without threadIdx.x, or blockDim.y without blockDim.x, where there is one dimension.
Cause y_without_x(const source::Code& code);

// Finds a store with its row from threadIdx.x and its column from threadIdx.y, or an element whose row and
// column come from the same component of threadIdx.
Cause swapped_x_and_y(const source::Code& code, const Variables& variables);

// Finds the only read with its row from threadIdx.x and its column from threadIdx.y, where other reads have
// them the other way round.
Cause exchanged_in_read(const source::Code& code, const Variables& variables);

// Finds a shared array with an index that comes from threadIdx.x in a store and from threadIdx.y in a read,
// or the other way round.
Cause exchanged_in_tile(const source::Code& code, const Variables& variables);

// Finds a product of elements of two tiles that is added once for each tile, with no loop through the tile.
Cause one_product_for_each_tile(const source::Code& code, const Variables& variables);

// Finds a sum along the wrong index of a tile, tile[first][second]: a loop fills one tile after another, and
// the matrix index that grows from tile to tile belongs to the tile's other index.
Cause counted_in_other_index(const source::Code& code, const Variables& variables);

// Returns the name of a kernel's last parameter, such as its size.
std::string_view last_parameter(const source::Code& code);

// Finds a guard "i < size - 1" of which the last element was not written.
Cause guard_before_last(const source::Code& code, const CheckResult& result);

// Finds a guard that lets only indices through that are larger than the kernel's last parameter, or that
// returns where they are smaller.
Cause inverted_guard(const source::Code& code, const Variables& variables);

// Finds a guard that lets too many threads through.
Cause weak_guard(const source::Code& code);

// Finds a use of array[threadIdx.x], an element of a shared array, behind a guard "item < size". The array's
// elements are not those of the input, so each thread of the block should use its own.
Cause guarded_bins(const source::Code& code, const Variables& variables);

// Finds the only store to the shared array of which an uninitialised element was read, if a condition decides
// on that store.
Cause conditional_store(const source::Code& code, const Variables& variables, const Defect& defect);

// Finds the limit, or the bool, of a guard whose store went beyond the array's end, if the guard compares the
// very index of that store: then the limit is too large, or the bool is set in threads without an element.
Cause limit_of_guard(const source::Code& code, const Variables& variables, const Defect& defect);

// Finds a store in that line, or in any_line, with an index of the grid that no condition compares.
Cause uncompared_index(const source::Code& code, const Variables& variables, int line);

// Finds an atomicAdd() of an element such as sums[0], outside of any if, which every thread of a block calls.
Cause sum_added_by_all_threads(const source::Code& code, const Variables& variables,
                               const CheckResult& result);

// Finds an & in place of && between a guard and a condition with the index that the guard should protect.
Cause single_ampersand(const source::Code& code, int line);

// Finds a store to name[row * length + column] in that line that no condition guards.
Cause missing_guard(const source::Code& code, const Variables& variables, int line);

// Finds a loop over all elements, or bins, in which every thread, or every block, begins at the same one.
Cause loop_over_whole_input(const source::Code& code, const Variables& variables);

// Finds the variable that is the index of both racing stores.
Cause index_of_both(const source::Code& code, const Variables& variables, const Defect& race);

// Returns whether an if that compares elements of the array, as for a maximum, is around the token, which
// names the array, and begins after that other token.
bool is_compared_before(const source::Code& code, std::size_t use, std::size_t begin);

// Finds a sum that each iteration of a loop sets anew, so that the terms of earlier iterations are lost.
Cause overwritten_sum(const source::Code& code, const Variables& variables);

// Returns a small size for a kernel with a shadowing_variable(), whose threads may each do the work of all.
std::optional<Settings> few_if_repeated(const Lesson& lesson, const std::string& text);

// Finds a variable that an inner block declares again, so that the value set in that block is lost, or that
// hides a pointer among the kernel's parameters.
Cause shadowing_variable(const source::Code& code, const Variables& variables);

// Finds a tree reduction in shared memory, s[t] += s[t + half], whose `half` has wrong values. If the result
// has a defect, `half` begins with more than half of the threads, so elements are read that nobody has
// written, or that do not exist. If only the sum is wrong, `half` begins with fewer, or the loop subtracts
// from it, and does not halve it.
Cause wrong_tree_bounds(const source::Code& code, const Variables& variables, const CheckResult& result);

// Finds a loop of shuffles whose first offset is a whole warp, and not half of one.
Cause shuffle_by_whole_warp(const source::Code& code, const Variables& variables);

// Finds the only step of a tree reduction, s[t] += s[t + half], if no loop repeats it.
Cause single_step_of_tree(const source::Code& code, const Variables& variables);

// Finds counts of a block in shared memory that are added once for each element, and not once for each bin.
Cause counts_for_each_element(const source::Code& code, const Variables& variables);

// Finds a loop that advances by 1, so that threads, or iterations, come to the same elements again.
Cause step_of_one(const source::Code& code, const Variables& variables);

// Finds the <= of a guard in the line, where an index that is too large gets through.
Cause off_by_one(const source::Code& code, const Variables& variables, int line);

// Finds a break outside of any if, which ends its loop in the first iteration.
Cause break_in_first_iteration(const source::Code& code, const CheckResult& result);

// Finds a loop that adds the same in each iteration, as nothing in it uses its counter.
Cause unused_counter(const source::Code& code);

// Finds a tree reduction in shared memory that adds to a variable of each thread, and not to the array.
Cause private_sum(const source::Code& code, const Variables& variables);

// Finds the loop around that line, or any for any_line, in which every block, or every thread, stores all
// elements, because nothing up to its end uses blockIdx.
Cause repeated_loop(const source::Code& code, const Variables& variables, int line);

// Returns the token after the `if` that guards a store to an array, or that returns before it, a "(". Returns
// code.size() if there is none, if it only compares the index with a size, or if several return.
std::size_t unusual_guard(const source::Code& code, std::size_t store);

// Names, in the summary of a wrong result whose cause is not known, the line that probably has the mistake:
// a line of the starter with its TODO, the line that decides which elements the threads store, or the line
// that reads the only input, or too little of a row. Returns whether it has found such a line.
bool name_index(const Lesson& lesson, const source::Code& code, const std::vector<TriedSettings>& tried,
                CheckResult& result);

// A change of the tokens from `begin` up to `end`, which have another text then.
struct Change {
  std::size_t begin = 0, end = 0;
  std::string text;
  const char* pattern = "";   // of the mistake that it mends; empty for the pattern of the result
  std::string says = {};      // what the change shows, if it is more than a try
  std::string place = {};     // names what changes; empty for the tokens themselves
  bool is_of_course = false;  // the starter, or the course's solution, has that text there

  bool leaves_out() const { return text == ";"; }
};

// Returns whether the word is threadIdx, blockIdx, blockDim or gridDim.
bool is_name_of_builtin(std::string_view word);

// Returns whether that is one of CUDA's built-in variables, with a component.
bool is_builtin(const source::Code& code, std::size_t at);

// Returns the tokens of a comparison, or of several in a row, around its sign.
Change whole_comparison(const source::Code& code, Change sign);

// Returns "'item'", or "the second 'item'" if the line has several. A sign is named with its operands, if
// these are a word or a number.
std::string named_place(const source::Code& code, Change change);

// Returns whether the report leaves open which line has the mistake, and one change may mend the kernel.
bool may_be_one_change(const Lesson& lesson, const source::Code& code, const CheckResult& result,
                       bool is_result_wrong);

// Returns the parts of the course's solution that these kernels use.
source::Code solution_beside(const Lesson& lesson, const source::Code& starter);

// Returns the lines of a text as tokens.
std::set<std::string> lines_in(const source::Code& code);

// Returns, for each line that begins as one of the starter's lines does, or is like one of the solution's,
// that line's text for what differs. Leaves out lines of the starter that the solution lacks: the exercise
// asks for others.
std::vector<Change> changes_to_course(const source::Code& code, const source::Code& starter,
                                      const source::Code& solution);

// Returns whether the solution's launch has a thread for each element; false if that is not known.
bool has_thread_for_each(const Lesson& lesson, const Settings& settings);

// Returns whether two lines outside of loops race in shared memory, and a barrier may be missing between
// them.
bool is_race_of_lines(const source::Code& code, const CheckResult& result);

// Returns a barrier before the later of two racing lines.
Change barrier_between(const source::Code& code, const Defect& race);

// Returns changes of the number, the statement, the index or the name that begins at that token.
std::vector<Change> changes_of_values(const source::Code& code, const Variables& variables, std::size_t at);

// Returns changes of the expression, the condition or the statements that begin at that token.
std::vector<Change> changes_of_expressions(const source::Code& code, const Variables& variables,
                                           std::size_t at);

// Returns whether the variable begins with an index of a thread in the grid.
bool begins_as_index_in_grid(const source::Code& code, const Variables& variables,
                             const source::LocalVariable& local);

// Returns the outermost braces around a token, those of its function; two equal tokens outside of functions.
// The braces of namespaces do not count.
std::pair<std::size_t, std::size_t> braces_around(const source::Code& code, std::size_t token);

// Says what to do about a name that the compiler does not know in that line. `names` has the name, and one
// that the compiler proposes.
std::string advice_for_unknown_name(const source::Code& code, int line,
                                    const std::vector<std::string>& names);

// Begins the summary of a time limit, or of too many accesses, with the loop that does not end, or that
// repeats work. Adds the reason if the text shows it.
void name_endless_loop(const source::Code& code, const Variables& variables, CheckResult& result);

}  // namespace gpulab::check
