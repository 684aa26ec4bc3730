#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/judging.hpp"
#include "source/statements.hpp"

namespace gpulab::check {

// Causes that the text of a kernel shows, once it is known to be wrong: causes_in_text.cpp chooses between
// them.

using Cause = std::optional<CheckPlace>;
using Variables = std::vector<source::LocalVariable>;

// Returns a cause in the line of that token.
CheckPlace at_line(const source::Code& code, std::size_t at, const char* pattern, std::string text);

// Returns whether that token is a lone =, an assignment.
bool is_plain_assignment(const source::Code& code, std::size_t at);

bool begins_statement(const source::Code& code, std::size_t at);

// Returns whether the symbol is between these tokens.
bool has_symbol(const source::Code& code, std::string_view symbol, std::size_t begin, std::size_t end);

// Returns whether the word is between these tokens, or in the first value of a variable that is.
bool depends_on(const source::Code& code, const Variables& variables, std::string_view word,
                std::size_t begin, std::size_t end);

// Returns whether the token is an element of a shared array, other than in its declaration.
bool is_shared_element(const source::Code& code, const Variables& variables, std::size_t name);

// Returns the variable with an initial value that the token names, in its scope; null for any other token.
const source::LocalVariable* initialized_variable(const source::Code& code, const Variables& variables,
                                                  std::size_t at);

// Returns the tokens from the last __global__ or __device__ before that token, or the first one, up to the
// next.
std::pair<std::size_t, std::size_t> function_around(const source::Code& code, std::size_t at);

// Returns the x of "threadIdx.x" at that token; empty for any other.
std::string_view component_of(const source::Code& code, std::size_t at, std::string_view variable);

// Finds parameters in another order than those of the starter, which have the same names.
Cause parameters_in_other_order(const Lesson& lesson, const source::Code& code);

// Finds a store to a parameter that is const in the starter.
Cause store_to_input(const Lesson& lesson, const source::Code& code);

// Finds a variable in constant memory in place of one that the host fills and does not find.
Cause renamed_variable(const Lesson& lesson, const source::Code& code);

// Finds an index in the grid that is put together in a wrong way.
Cause index_in_grid(const source::Code& code, unsigned block_size);

// Finds a tile that each iteration fills with the same elements, as the tile's first one is not in their
// index.
Cause same_in_every_tile(const source::Code& code, const Variables& variables);

// Finds an index of the grid in a store to a shared array, in that line, or in any if it is 0.
Cause index_of_grid_in_shared(const source::Code& code, const Variables& variables, int line);

// Finds the return of a loop that leaves a kernel before it stores.
Cause return_in_loop(const source::Code& code, const CheckResult& result);

// Finds a *= or += for an element of which the first value was read, and that is in no loop.
Cause changed_before_set(const source::Code& code, const CheckResult& result);

// Finds a loop that counts beyond the places of a shared array that it indexes.
Cause loop_beyond_array(const source::Code& code, const Defect& defect);

// Finds an index that is kept in a type that is too small for it.
Cause narrow_index(const source::Code& code, const Variables& variables, std::size_t size);

// Finds a divisor in that line whose type is so small that its next number is 0.
Cause narrow_divisor(const source::Code& code, const Variables& variables, int line);

// Finds threads that are counted in y alone, where blocks have one dimension.
Cause second_dimension(const source::Code& code);

// Finds x and y exchanged: a row that threads count in x, and a column that they count in y, or both counted
// in one of them.
Cause swapped_x_and_y(const source::Code& code, const Variables& variables);

// Finds the one read of an input with a row in x and a column in y, where others have them the other way
// round.
Cause exchanged_in_read(const source::Code& code, const Variables& variables);

// Finds a product of two elements of shared arrays whose indices have only one of x and y, where threads have
// both.
Cause product_of_one_component(const source::Code& code, const Variables& variables);

// Finds a shared array in which one index is counted by x where it is stored and by y where it is read, or
// the other way round.
Cause exchanged_in_tile(const source::Code& code, const Variables& variables);

// Finds a product of elements of two tiles that is added once for each tile, with no loop through the tile.
Cause one_product_for_each_tile(const source::Code& code, const Variables& variables);

// Finds a tile in which a sum counts along the other index than the one along which the tiles go on.
Cause counted_in_other_index(const source::Code& code, const Variables& variables);

// Finds a shared array that is stored with one length of its rows, and read with another: tile[y * width +
// x].
Cause rows_of_two_lengths(const source::Code& code, const Variables& variables);

// Returns the name of a kernel's last parameter, such as its size.
std::string_view last_parameter(const source::Code& code);

// Finds a "< size - 1", or a loop up to a number, where the elements from there on were not written.
Cause guard_before_last(const source::Code& code, const CheckResult& result);

// Finds an element of a shared array by threadIdx.x that only threads with an element of the input take.
Cause guarded_bins(const source::Code& code, const Variables& variables);

// Finds the only store to a shared array in a condition, if a place there was read that nobody has written.
Cause conditional_store(const source::Code& code, const Variables& variables, const Defect& defect);

// Finds an & between two conditions, of which the second has an index that the first should guard.
Cause single_ampersand(const source::Code& code, int line);

// Finds a store in a row and a column in that line, to which all threads come.
Cause missing_guard(const source::Code& code, const Variables& variables, int line);

// Finds a loop over the whole input in which every thread, or every block, begins at the same element.
Cause whole_input_again(const source::Code& code, const Variables& variables);

// Finds an element of a row and a column, in that line or in any if it is 0, whose column is compared with
// another number than the length of the row. That is why the result has its pattern.
Cause other_row_length(const source::Code& code, const Variables& variables, const CheckResult& result,
                       int line);

// Finds the variable that is the index of two stores in different lines.
Cause index_of_both(const source::Code& code, const Variables& variables, const Defect& race);

// Finds the loop over tiles that ends at a number, whatever the kernel's last parameter is.
Cause fixed_number_of_tiles(const source::Code& code, const Variables& variables);

// Finds a quotient of integers that is compared with 0, as the remainder should be.
Cause quotient_for_remainder(const source::Code& code, const Variables& variables);

// Finds a result of a loop that each iteration sets anew, so that what earlier iterations have added is lost.
Cause overwritten_sum(const source::Code& code, const Variables& variables);

// Finds a loop over elements in which threads, or iterations, come to the same ones again.
Cause step_of_one(const source::Code& code, const Variables& variables);

// Finds sums that go up the lanes of a warp, where lane 0 is asked for the sum.
Cause shuffle_up(const source::Code& code);

// Finds the <= of a loop or of a guard that lets an index through that is one too large, in that line.
Cause off_by_one(const source::Code& code, const Variables& variables, int line);

// Finds a loop that ends one step before it should, where a part of the input is left out.
Cause ends_early(const source::Code& code);

// Finds a tree in shared memory whose iterations add to a variable of each thread, and not to the array.
Cause private_sum(const source::Code& code, const Variables& variables);

// Finds the loop around that line in which every block, or every thread, stores the elements of all, as
// nothing before it tells blocks from each other.
Cause repeated_loop(const source::Code& code, const Variables& variables, int line);

// Returns the ( of the if before a store to an array; code.size() if there is none, or if it says no more
// than that the index is below a size.
std::size_t unusual_guard(const source::Code& code, std::size_t store);

// Adds which line computes the index that is stored at, or reads the only input, where nothing else is known
// of a wrong result. Returns whether there is one.
bool name_index(const Lesson& lesson, const source::Code& code, CheckResult& result);

// Puts in front which loop does not end, or does too much, and why if its text shows that.
void name_endless_loop(const source::Code& code, const Variables& variables, CheckResult& result);

}  // namespace gpulab::check
