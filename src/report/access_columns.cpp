#include "report/access_columns.hpp"

#include <cmath>

#include "core/number_text.hpp"
#include "report/access_words.hpp"
#include "report/quantity_text.hpp"

namespace gpulab {
namespace {

// Red for twice what would do, yellow for a fifth more.
Ink ink_of(std::uint64_t actual, std::uint64_t least) {
  if (actual >= 2 * least) return Ink::red;
  return 5 * actual >= 6 * least ? Ink::yellow : Ink::plain;
}

Cell mean_cell(std::uint64_t sum, std::uint64_t least, const AccessSums& sums) {
  return {mean_text(sum, sums.requests), ink_of(sum, least)};
}

// In three digits where it is no whole number: an eighth should be seen for what it is.
std::string efficiency_text(double part) {
  const double percent = 100 * part;
  return (percent == std::round(percent) ? with_decimals(percent, 0) : three_digits(percent)) + " %";
}

Cell efficiency_cell(const LineAccesses& accesses) {
  return {efficiency_text(wanted_part_of_sectors(accesses.sums)),
          ink_of(accesses.sums.sectors, accesses.pattern.least_sectors)};
}

std::uint64_t least_of(const LineAccesses& accesses) {
  return is_shared(accesses.kind) ? accesses.pattern.least_bank_wavefronts : accesses.pattern.least_sectors;
}

}  // namespace

AccessColumns::AccessColumns(const AccessCounts& counts) {
  for (const LineAccesses& accesses : counts.lines) {
    (is_shared(accesses.kind) ? has_shared_ : has_global_) = true;
    has_atomics_ = has_atomics_ || is_atomic(accesses.kind);
  }
}

std::vector<Column> AccessColumns::columns() const {
  std::vector<Column> columns{
      {"access"}, {"requests", Align::right, 5, "requests: of warps, one for each time that a line is run"}};
  if (has_global_)
    columns.push_back({"sectors", Align::right, 0, "sectors: 32-byte pieces of global memory for a request"});
  if (has_shared_)
    columns.push_back({"ways", Align::right, 0, "ways: turns of shared memory's banks for a request"});
  columns.push_back({"best", Align::right, 3, "best: how few would do"});
  if (has_global_)
    columns.push_back({"used", Align::right, 1, "used: bytes wanted of those that sectors move"});
  if (has_atomics_)
    columns.push_back(
        {"same", Align::right, 2, "same: lanes of an atomic that meet at one address, 1 at best"});
  columns.push_back({"lanes", Align::right, 4, "lanes: of 32 that take part"});
  return columns;
}

std::vector<Cell> AccessColumns::cells(const LineAccesses& accesses) const {
  const AccessSums& sums = accesses.sums;
  const bool shared = is_shared(accesses.kind), atomic = is_atomic(accesses.kind);
  const std::uint64_t least = least_of(accesses);
  std::vector<Cell> cells{{std::string(name_of(accesses.kind))}, {grouped(sums.requests)}};
  if (has_global_) cells.push_back(shared ? Cell{} : mean_cell(sums.sectors, least, sums));
  if (has_shared_) cells.push_back(shared ? mean_cell(sums.bank_wavefronts, least, sums) : Cell{});
  cells.push_back({mean_text(least, sums.requests)});
  if (has_global_) cells.push_back(shared ? Cell{} : efficiency_cell(accesses));
  if (has_atomics_) cells.push_back(atomic ? mean_cell(sums.most_same_address, sums.requests, sums) : Cell{});
  cells.push_back(
      {mean_text(sums.active_lanes, sums.requests), ink_of(32 * sums.requests, sums.active_lanes)});
  return cells;
}

std::vector<Cell> AccessColumns::empty_cells() const {
  return std::vector<Cell>(columns().size());
}

}  // namespace gpulab
