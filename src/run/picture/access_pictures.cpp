#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include "base/text.hpp"
#include "lesson/finding.hpp"
#include "run/documents.hpp"
#include "run/picture/picture.hpp"
#include "simulator/watch/access_recorder.hpp"

namespace gpulab::run::picture {
namespace {

using namespace simulator::watch;

constexpr std::size_t columns = 32;

// Returns "7", "0-31", or "0, 2, 4 …".
std::string lanes_text(LaneMask lanes) {
  const int first = std::countr_zero(lanes), last = std::bit_width(lanes) - 1;
  if (first == last) return std::to_string(first);
  if (std::popcount(lanes) == last - first + 1) return fmt::format("{}-{}", first, last);
  std::string text;
  for (int listed = 0; lanes && listed < 3; ++listed, lanes &= lanes - 1)
    text += fmt::format("{}, ", std::countr_zero(lanes));
  text.resize(text.size() - 2);
  return lanes ? text + " …" : text;
}

// Appends a column that serves these lanes. Joins it to the last piece if that serves the same lanes.
void add_column(Row& row, std::size_t column, LaneMask lanes, bool may_join) {
  const std::string label = lanes ? lanes_text(lanes) : "";
  if (may_join && !row.pieces.empty() && row.pieces.back().label == label)
    ++row.pieces.back().columns;
  else
    row.pieces.push_back({column, 1, lanes ? Shade::used : Shade::wasted, label});
}

// Draws the sectors in ascending order. A row has 32 columns: 128 bytes, if these are words.
std::vector<Row> rows_of_sectors(const RequestSample& sample, std::size_t bytes_of_column,
                                 std::size_t columns_of_sector) {
  std::map<std::uintptr_t, LaneMask> lanes_of_column, lanes_of_sector;
  for (LaneMask remaining = sample.addresses.lanes; remaining; remaining &= remaining - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(remaining));
    for (std::uintptr_t byte = 0; byte < sample.bytes; byte += bytes_of_column) {
      const std::uintptr_t column = (sample.addresses.of_lane[lane] + byte) / bytes_of_column;
      lanes_of_column[column] |= LaneMask{1} << lane;
      lanes_of_sector[column / columns_of_sector] |= LaneMask{1} << lane;
    }
  }
  std::vector<Row> rows;
  LaneMask lanes = 0;
  std::size_t column = columns;
  for (const auto& [sector, lanes_here] : lanes_of_sector) {
    if (column == columns) {
      rows.emplace_back();
      column = lanes = 0;
    }
    lanes |= lanes_here;
    rows.back().label = (std::has_single_bit(lanes) ? "lane " : "lanes ") + lanes_text(lanes);
    for (std::size_t i = 0; i < columns_of_sector; ++i, ++column) {
      const auto found = lanes_of_column.find(sector * columns_of_sector + i);
      add_column(rows.back(), column, found == lanes_of_column.end() ? 0 : found->second, i > 0);
    }
  }
  return rows;
}

std::vector<Row> rows_of_banks(const std::vector<BankPass>& passes) {
  constexpr std::size_t max_rows = 8;
  std::vector<Row> rows{{"bank"}};
  for (std::size_t bank = 0; bank < columns; bank += 8)
    rows.front().pieces.push_back({bank, 8, Shade::plain, std::to_string(bank)});
  for (std::size_t i = 0; i < std::min(passes.size(), max_rows); ++i) {
    Row& row = rows.emplace_back(Row{fmt::format("pass {}", i + 1)});
    for (std::size_t bank = 0; bank < columns; ++bank)
      add_column(row, bank, passes[i][bank], /*may_join=*/true);
  }
  if (passes.size() > max_rows)
    rows.push_back(
        {"", {{0, columns, Shade::plain, fmt::format("… and {} more passes", passes.size() - max_rows)}}});
  return rows;
}

// Names the request that is shown, and compares it with the others.
std::string request_text(const LineAccesses& accesses, std::uint64_t cost, std::uint64_t sum) {
  const RequestSample& sample = accesses.costliest;
  const std::string shown =
      fmt::format("Shown: {}, warp {}{}{}.", text_of_block({.block = sample.block}), sample.warp,
                  sample.visit > 0 ? ", request " + grouped(sample.visit + 1) : "",
                  accesses.element.empty() ? "" : ", from " + accesses.element + " on");
  const std::string requests = grouped(accesses.sums.requests);
  if (accesses.sums.requests == 1) return shown + " It is the only request.";
  if (sum == cost * accesses.sums.requests)
    return fmt::format("{} All {} requests take as many.", shown, requests);
  return fmt::format("{} It is the worst of {} requests, which take {} on average.", shown, requests,
                     mean_text(sum, accesses.sums.requests));
}

std::string title(const LineAccesses& accesses, std::string_view singular, std::string_view plural,
                  std::uint64_t count, std::uint64_t best) {
  return fmt::format("{} · {}: {} {}, {}", line_text(accesses.line, accesses.file), name_of(accesses.kind),
                     grouped(count), count == 1 ? singular : plural,
                     count > best ? fmt::format("where {} would do", grouped(best)) : "the fewest possible");
}

}  // namespace

std::vector<Picture> pictures_of(const LineAccesses& accesses) {
  const RequestSample& sample = accesses.costliest;
  if (sample.addresses.lanes == 0 || sample.bytes > 16 || !std::has_single_bit(sample.bytes)) return {};
  const AccessSums sums = sums_of_request(accesses.kind, sample.bytes, sample.addresses);
  const AccessPattern pattern = pattern_of_request(accesses.kind, sample.bytes, sample.addresses, sums);
  Picture picture;
  if (is_shared(accesses.kind)) {
    picture = {.title = title(accesses, "pass over the 32 banks", "passes over the 32 banks",
                              sums.bank_wavefronts, pattern.min_bank_wavefronts),
               .caption = request_text(accesses, sums.bank_wavefronts, accesses.sums.bank_wavefronts),
               .used = "a bank serves a lane",
               .wasted = "idle",
               .rows = rows_of_banks(bank_passes(accesses.kind, sample.bytes, sample.addresses))};
  } else {
    constexpr std::size_t word_bytes = 4;
    const std::size_t bytes = std::min<std::size_t>(sample.bytes, word_bytes),
                      columns_of_sector = sector_bytes / bytes;
    picture = {.title = title(accesses, "sector", "sectors", sums.sectors, pattern.min_sectors),
               .caption = "Each bar is a sector of 32 bytes. " +
                          request_text(accesses, sums.sectors, accesses.sums.sectors),
               .used = "wanted by a lane",
               .wasted = "moved, unused",
               .gap_every = columns_of_sector,
               .rows = rows_of_sectors(sample, bytes, columns_of_sector)};
  }
  if (sums.max_same_address > 1)
    picture.caption +=
        fmt::format(" {} lanes meet at one address, one after another.", sums.max_same_address);
  return {picture};
}

}  // namespace gpulab::run::picture
