#include "program/runtime/barrier_advice.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "source/branches.hpp"
#include "source/quoted_statement.hpp"
#include "source/statements.hpp"

namespace gpulab::program::runtime {

bool is_race(const Defect& defect) {
  return (defect.kind == DefectKind::shared_race || defect.kind == DefectKind::global_race) &&
         !defect.is_note && defect.other && defect.other_work.empty();
}

bool is_in_one_block(const Defect& defect) {
  return defect.party.place && defect.other->place && defect.party.place->block == defect.other->place->block;
}

bool is_load_against_store(const Defect& defect) {
  const DefectAccess mine = defect.party.access, others = defect.other->access;
  return std::min(mine, others) == DefectAccess::load && std::max(mine, others) == DefectAccess::store;
}

// Returns both lines of a race in one function, in ascending order. An access in an inlined function has the
// line of that function's call. Both lines are 0 if they are unknown.
std::pair<int, int> lines_in_kernel(const Defect& defect) {
  const auto outermost = [](const Defect::Party& party) {
    return party.callers.empty() ? SourcePlace{party.file, party.line}
                                 : SourcePlace{party.callers.back().file, party.callers.back().line};
  };
  const SourcePlace mine = outermost(defect.party), others = outermost(*defect.other);
  if (mine.file.empty() && others.file.empty() && mine.line != others.line)
    return std::minmax(mine.line, others.line);
  if (!defect.party.file.empty() || !defect.other->file.empty() || mine != others) return {};
  return std::minmax(defect.party.line, defect.other->line);
}

// Adds a barrier that stands between both lines of a race. If it has a condition, the threads skip it at
// times, and the correction is to do without. Else it orders them within an iteration of a loop, or
// within a call of the function, but not from one to the next.
void add_existing_barrier(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [begin, end] = lines_in_kernel(defect);
  const std::vector<int> skipped = begin < end && defect.kind == DefectKind::shared_race && is_race(defect)
                                       ? source::conditional_barriers(code, begin, end)
                                       : std::vector<int>();
  for (const int line : skipped) {
    finding.others.push_back({{"", line}, "this barrier is skipped where its condition is false"});
    finding.correction +=
        finding.correction.empty() ? "__syncthreads(); without its condition, in line " : " and in line ";
    finding.correction += std::to_string(line);
  }
  const auto [first, last] = std::minmax(defect.party.line, defect.other->line);
  if (!skipped.empty() || defect.party.file != defect.other->file || defect.barrier_line <= first ||
      defect.barrier_line >= last)
    return;
  const bool is_in_loop = !defect.party.file.empty() || !source::loops_around(code, {first, last}).empty();
  finding.others.push_back(
      {{defect.party.file, defect.barrier_line},
       fmt::format("this barrier is passed; there is none between line {} and line {} of the next {}", last,
                   first, is_in_loop ? "iteration of the loop" : "call")});
}

// Notes the barrier between both lines in a loop. The barrier that was noted before may not be between them,
// but in a function that is called later.
void find_barrier_between(const source::Code& code, Defect& defect) {
  if (!is_race(defect) || (defect.kind != DefectKind::shared_race && !is_in_one_block(defect))) return;
  const auto [first, last] = lines_in_kernel(defect);
  if (first == 0 || (first < defect.barrier_line && defect.barrier_line < last) ||
      source::loops_around(code, {first, last}).empty())
    return;
  for (const source::CodeToken& token : code.tokens())
    if (token.text == "__syncthreads" && first < token.line && token.line < last)
      defect.barrier_line = token.line;
}

namespace {

std::string at_end_of(const source::Loop& loop) {
  return " at the end of the loop, which ends in line " + std::to_string(loop.lines.last);
}

// Returns the barrier that a race lacks. Lanes of one warp do not run in step since Volta. If threads were
// seen to race within their warps only, they need not wait for other warps, unless all threads of the block
// use the same variable.
std::string barrier_for(const Defect& defect, const source::Branch& branch) {
  const bool is_one_variable = defect.memory.dimensions.empty() && defect.memory.bytes == defect.bytes,
             is_for_all = is_one_variable && branch.arrivals == source::Arrivals::all;
  const bool is_within_warps = defect.is_within_warp && defect.count > 1 && !is_for_all;
  return is_within_warps || branch.arrivals == source::Arrivals::one_warp ? "__syncwarp" : "__syncthreads";
}

// Returns the correction of a statement that loads and stores: a barrier between its load and its store.
std::string load_barrier_store(const std::string& barrier, const std::string& lines) {
  if (barrier == "__syncthreads")
    return "the value to a variable, then __syncthreads(); outside of any if, then the store, in " + lines;
  return "the value to a variable, then __syncwarp();, the store and __syncwarp(); again, for each step of " +
         lines;
}

// Returns whether the variable is shared memory for functions of CUB.
bool is_temporary_storage(const source::Code& code, std::string_view variable) {
  for (std::size_t i = 1; i < code.size(); ++i)
    if (code.text(i - 1) == "TempStorage" && code.text(i) == variable) return true;
  return false;
}

// Adds the barrier that is missing between the iterations of a loop, or in a statement that reads elements
// which other threads write in the same statement.
void add_barrier_for_one_line(const Defect& defect, const source::Code& code, int line,
                              ProgramFinding& finding) {
  const source::Branch branch = source::branch_around(code, line, line);
  if (branch.arrivals == source::Arrivals::some) return;
  const std::string barrier = barrier_for(defect, branch);
  const std::vector<source::Loop> loops = source::loops_around(code, {line});
  const int column = source::column_of_access(code, line, defect.memory.variable, defect.party.access),
            other_column = source::column_of_access(code, line, defect.memory.variable, defect.other->access);
  if (column != 0 && other_column != 0 && column != other_column)
    finding.correction = barrier + "(); between the two statements in line " + std::to_string(line);
  else if (!loops.empty() && !source::has_word(code, barrier, loops.back().begin, loops.back().end) &&
           branch.arrivals == source::Arrivals::all)
    finding.correction = barrier + "();" + at_end_of(loops.back());
  else if (is_load_against_store(defect) && source::has_two_elements(code, line))
    finding.correction = load_barrier_store(barrier, "line " + std::to_string(line));
  else if (is_temporary_storage(code, defect.memory.variable))
    finding.correction =
        fmt::format("__syncthreads(); between the two calls that use {}, or a TempStorage for each",
                    defect.memory.variable);
}

// Adds the barriers of tiles that stand between both lines.
void add_tile_barriers(const source::Code& code, int first, int last, ProgramFinding& finding) {
  for (std::size_t i = code.first_from_line(first + 1); i + 3 < code.size() && code[i].line < last; ++i) {
    if (!code.is_word(i) || code.text(i + 1) != "." || code.text(i + 2) != "sync" || code.text(i + 3) != "(")
      continue;
    for (std::size_t k = i; k-- > 1;) {
      if (code.text(k) != "tiled_partition" || code.text(k + 1) != "<") continue;
      // In `tile = cg::tiled_partition<N>`, the two colons are two tokens.
      const std::size_t tile = code.text(k - 1) == ":" ? k - 5 : k - 2;
      if (tile < i && code.text(tile) == code.text(i) && code.text(k + 3) == ">")
        finding.others.push_back(
            {{"", code[i].line},
             fmt::format("{}.sync() orders the {} threads of a tile only", code.text(i), code.text(k + 2))});
    }
  }
}

// Returns where a barrier between two lines belongs: after the last access before the second line.
std::string between_lines(const Defect& defect, const source::Code& code, int first, int last) {
  const int nearest = source::last_access_between(code, defect.memory.variable, first, last);
  return fmt::format(" between line {} and line {}", nearest > 0 ? nearest : first, last);
}

// Returns the line of the block's barrier that stands in the branch, before that line; 0 without one.
int barrier_in_branch(const source::Code& code, const source::Branch& branch, int last) {
  for (std::size_t i = code.first_from_line(branch.line); i < code.size() && code[i].line < last; ++i)
    if (code.text(i) == "__syncthreads" &&
        source::branch_around(code, code[i].line, last).line == branch.line)
      return code[i].line;
  return 0;
}

}  // namespace

int last_step(const source::Code& code, int line) {
  while (source::are_in_place_steps(code, line, line + 1)) ++line;
  return line;
}

// Adds the barrier that is missing in a loop, unless the element depends on data: then it may not help.
void add_barrier_in_loop(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [first, last] = lines_in_kernel(defect);
  if (!finding.is_note && is_load_against_store(defect) && !source::stores_at_element(code, first) &&
      !source::stores_at_element(code, last) && !source::loops_around(code, {first}).empty())
    add_missing_barrier(defect, code, finding);
}

// Adds the barrier that is missing between two lines.
void add_missing_barrier(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [first, last] = lines_in_kernel(defect);
  if (first == 0) return;
  if (const auto loop = source::loop_of_exchanges(code, first, last)) {
    finding.correction = "__syncthreads();" + at_end_of(*loop);
    return;
  }
  if (first == last) return add_barrier_for_one_line(defect, code, first, finding);
  const int line_of_load = defect.party.access == DefectAccess::load ? defect.party.line : defect.other->line;
  if (line_of_load == first && source::may_mean_other_buffer(code, first, last)) return;
  const source::Branch branch = source::branch_around(code, first, last);
  const std::string barrier = barrier_for(defect, branch);
  const bool is_warp_barrier = barrier == "__syncwarp";
  const std::vector<source::Loop> loops = source::loops_around(code, {first, last});
  if (!is_warp_barrier) add_tile_barriers(code, first, last, finding);
  const bool is_in_condition =  // of a do-while loop: a barrier at its end would come before the condition
      !loops.empty() && last == loops.back().lines.last && is_load_against_store(defect);
  const bool is_passed = (first < defect.barrier_line && defect.barrier_line < last) ||
                         (is_warp_barrier && source::has_word(code, barrier, code.first_from_line(first),
                                                              code.first_from_line(last)));
  const bool is_with_next_iteration = !loops.empty() && source::stores_what_it_reads(code, first, last);
  finding.correction = barrier + "();";
  if (is_warp_barrier && !is_passed && !is_with_next_iteration &&
      source::are_in_place_steps(code, first, last))
    finding.correction =
        load_barrier_store(barrier, fmt::format("lines {} to {}", first, last_step(code, last)));
  else if (is_passed && is_in_condition)
    finding.correction =
        fmt::format("the value to a variable, then {} and that variable in the condition in line {}",
                    finding.correction, last);
  else if ((is_passed || is_with_next_iteration) && !loops.empty())
    finding.correction += at_end_of(loops.back());
  else if (is_passed)
    finding.correction += " after line " + std::to_string(last);
  else
    finding.correction += between_lines(defect, code, first, last);
  // Without any barrier, the next iteration's stores come too early as well.
  const bool is_repeated = !loops.empty() || !defect.party.callers.empty();
  const std::size_t begin = loops.empty() ? 0 : loops.back().begin,
                    end = loops.empty() ? code.size() : loops.back().end;
  if (is_repeated && !is_passed && !is_with_next_iteration && is_load_against_store(defect) &&
      !source::has_word(code, barrier, begin, end)) {
    if (is_warp_barrier)
      finding.correction += ", and after line " + std::to_string(last_step(code, last));
    else if (!loops.empty() && line_of_load == first)
      finding.correction += ", and" + at_end_of(loops.back());
  }
  if (const int passed = barrier_in_branch(code, branch, last);
      passed > 0 && branch.arrivals == source::Arrivals::some)
    finding.correction = fmt::format(
        "__syncthreads(); before line {}, not in line {}: not all threads enter "
        "the branch in line {}",
        branch.line, passed, branch.line);
  else if (branch.arrivals == source::Arrivals::some)
    finding.correction +=
        ", outside of the branch in line " + std::to_string(branch.line) + ": not all threads enter it";
}

// Returns the barrier of the grid that has to replace the last barrier of a block between the tokens; empty
// without one.
std::string in_place_of_barrier(const source::Code& code, const std::string& grid, std::size_t begin,
                                std::size_t end) {
  while (end > begin && code.text(end - 1) != "__syncthreads") --end;
  return end == begin
             ? ""
             : fmt::format("{}.sync(); in place of __syncthreads() in line {}, which orders one block", grid,
                           code[end - 1].line);
}

// Adds what orders the grid between the iterations of a loop that swaps the buffers of its line.
void add_barrier_for_swap(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [first, last] = lines_in_kernel(defect);
  const std::optional<source::Loop> loop = source::loop_that_swaps(code, first);
  if (first == 0 || first != last || !loop || is_in_one_block(defect)) return;
  const std::string grid = source::grid_group(code, first);
  if (grid.empty())
    finding.correction = fmt::format(
        "one launch for each iteration of the loop in line {}: in a launch, "
        "blocks do not wait for each other",
        loop->lines.first);
  else
    finding.correction = in_place_of_barrier(code, grid, loop->begin, loop->end);
}

// Adds the barrier of the grid that is missing in a loop of all threads: between both lines or, if those are
// in one statement or use other pointers, between the loop's iterations.
void add_grid_barrier(const Defect& defect, const source::Code& code, ProgramFinding& finding) {
  const auto [first, last] = lines_in_kernel(defect);
  const std::vector<source::Loop> loops = source::loops_around(code, {first, last});
  const std::vector<source::GridBarrier> barriers = source::grid_barriers(code);
  const std::string grid = source::grid_group(code, first);
  if (first == 0 || (barriers.empty() && grid.empty())) return;
  const auto has_barrier = [&](int begin, int end) {
    return std::ranges::any_of(
        barriers, [&](const auto& barrier) { return begin <= barrier.line && barrier.line < end; });
  };
  if (loops.empty()) {
    if (grid.empty() || first == last || is_in_one_block(defect) || has_barrier(first, last) ||
        source::pointer_in_both(code, first, last).empty())
      return;
    finding.correction =
        in_place_of_barrier(code, grid, code.first_from_line(first), code.first_from_line(last));
    if (finding.correction.empty())
      finding.correction = fmt::format("{}.sync(); between line {} and line {}", grid, first, last);
    return;
  }
  const source::Loop& loop = loops.front();
  const bool is_ordered_to_next =
                 has_barrier(last, loop.lines.last + 1) || has_barrier(loop.lines.first, first),
             is_between = first != last && has_barrier(first, last),
             is_straight = source::loops_around(code, {last}).size() == 1 &&
                           source::branch_around(code, first, last).arrivals == source::Arrivals::all;
  const std::string call = barriers.empty() ? grid + ".sync();" : barriers.front().call;
  if (!is_between && is_straight && first != last &&
      (is_ordered_to_next || !source::pointer_in_both(code, first, last).empty()))
    finding.correction = fmt::format("{} between line {} and line {}", call, first, last);
  if (is_ordered_to_next) return;
  finding.correction += (finding.correction.empty() ? call : ", and") + at_end_of(loop);
  if (finding.correction.find("between") == std::string::npos)
    finding.correction +=
        fmt::format(": there is none between line {} and line {} of the next iteration", last, first);
}

}  // namespace gpulab::program::runtime
