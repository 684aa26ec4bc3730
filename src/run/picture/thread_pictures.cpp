#include <fmt/format.h>
#include <algorithm>
#include <span>

#include "base/lists.hpp"
#include "base/text.hpp"
#include "lesson/finding.hpp"
#include "run/documents.hpp"
#include "run/picture/picture.hpp"
#include "source/shared_arrays.hpp"
#include "source/source_parts.hpp"

namespace gpulab::run::picture {
namespace {

// Returns the extents of the written array, one of `arrays` with elements of 4, 8 or 16 bytes. Empty if they
// are unknown, or another array has that name and size.
std::vector<std::size_t> extents_of(const std::vector<source::SharedArray>& arrays,
                                    const SharedWriters& writers) {
  std::vector<std::size_t> found;
  for (const source::SharedArray& array : arrays) {
    if (array.name != writers.array || array.dimensions.empty()) continue;
    const auto fits = [&](std::size_t words) { return array.elements() * words == writers.threads.size(); };
    if (!fits(1) && !fits(2) && !fits(4)) continue;
    if (!found.empty() && found != array.dimensions) return {};
    found = array.dimensions;
  }
  return found;
}

// Divides a row of writers into runs: "0…31", or "0, 32 … 992" for another step.
std::vector<Piece> runs_of(std::span<const std::uint16_t> threads) {
  std::vector<Piece> pieces;
  for (std::size_t begin = 0, end = 0; begin < threads.size(); begin = end) {
    const auto is_nobody = [&](std::size_t i) { return threads[i] == SharedWriters::no_thread; };
    const auto step = [&](std::size_t i) { return threads[i] - threads[i - 1]; };
    for (end = begin + 1; end < threads.size() && is_nobody(end) == is_nobody(begin); ++end)
      if (end > begin + 1 && step(end) != step(end - 1)) break;
    if (end == begin + 2 && step(end - 1) != 0 && step(end - 1) != 1) --end;  // two elements make no stride
    const unsigned first = threads[begin], last = threads[end - 1];
    const std::size_t count = end - begin;
    const auto label = [&]() -> std::string {
      if (is_nobody(begin)) return "";
      if (first == last) return std::to_string(first);
      if (step(begin + 1) == 1) return fmt::format("{}…{}", first, last);
      return fmt::format("{}, {} … {}", first, threads[begin + 1], last);
    };
    pieces.push_back({begin, count, is_nobody(begin) ? Shade::wasted : Shade::used, label()});
  }
  return pieces;
}

// Draws an array of two dimensions row by row, and dynamic shared memory, whose shape is unknown, in rows of
// one word for each bank. Draws nothing for any other array.
std::vector<Picture> pictures_of(const SharedWriters& writers,
                                 const std::vector<source::SharedArray>& arrays) {
  constexpr std::size_t max_rows = 18, max_columns = 256, banks = 32;
  const std::vector<std::size_t> extents = extents_of(arrays, writers);
  const std::size_t words = writers.threads.size();
  std::size_t rows = 1;
  std::string shape;
  for (const std::size_t extent : extents) shape += fmt::format("[{}]", extent);
  for (std::size_t i = 0; i + 1 < extents.size(); ++i) rows *= extents[i];
  const bool is_tile = extents.size() > 1;
  if (!is_tile && writers.array != SharedWriters::dynamic_memory) return {};
  const std::size_t pitch = is_tile ? words / rows : banks;
  Picture picture{.title = fmt::format("{}{}: the thread that stored each element", writers.array, shape),
                  .caption = fmt::format("Threads of block 0, by their numbers in it, at their last store.{}",
                                         is_tile ? "" : " Each row has 32 words, one for each bank."),
                  .used = "stored by this thread",
                  .wasted = "by none",
                  .columns = std::min({pitch, max_columns, words}),
                  .has_solid_cells = false};
  for (std::size_t first = 0; first < words; first += pitch) {
    if (picture.rows.size() == max_rows) {
      const std::size_t rows_left = (words - first + pitch - 1) / pitch;
      const std::string more = fmt::format("… and {} more row{}", rows_left, rows_left == 1 ? "" : "s");
      picture.rows.push_back({"", {{0, picture.columns, Shade::plain, more}}});
      break;
    }
    picture.rows.push_back(
        {fmt::format("[{}]", is_tile ? first / pitch : first),
         runs_of(std::span(writers.threads).subspan(first, std::min(picture.columns, words - first)))});
  }
  return {picture};
}

void add_access(Picture& picture, const char* label, const Defect::Party& party, std::size_t column,
                const std::vector<std::string>& lines) {
  const char* const changes = party.access == DefectAccess::store ? "writes" : "updates";
  const char* const verb = party.access == DefectAccess::load ? "reads" : changes;
  picture.rows.push_back({label, {{column, 1, Shade::used, fmt::format("{} in line {}", verb, party.line)}}});
  const std::string source =
      party.file.empty() ? trimmed(source::source_line(lines, party.line)) : party.file;
  // A line that is longer than a column begins at the left.
  constexpr std::size_t letters_of_column = 32;
  const bool is_long = display_width(source) > letters_of_column;
  picture.rows.push_back({"", {{is_long ? 0 : column, is_long ? picture.columns : 1, Shade::plain, source}}});
}

}  // namespace

std::vector<Picture> pictures_of_arrays(const VariantInspection& variant) {
  if (variant.counts.writers.empty()) return {};
  std::vector<source::SharedArray> arrays = source::shared_arrays(variant.source);
  const std::vector<InspectedLine> lines = inspected_functions(variant);
  std::erase_if(arrays, [&](const source::SharedArray& array) {
    return !contains(lines, array.line, &InspectedLine::number);
  });
  std::vector<Picture> pictures;
  constexpr std::size_t max_arrays = 8;
  for (const SharedWriters& writers : variant.counts.writers)
    if (pictures.size() < max_arrays) append(pictures, pictures_of(writers, arrays));
  return pictures;
}

std::vector<Picture> pictures_of(const Defect& defect, const std::string& source) {
  const bool is_race = defect.kind == DefectKind::shared_race || defect.kind == DefectKind::global_race;
  if (!is_race || !defect.other || !defect.other->place || !defect.party.place) return {};
  const DefectThread &first = *defect.other->place, &second = *defect.party.place;
  const bool is_one_block = first.block == second.block;
  const auto name = [&](const DefectThread& thread) {
    return (is_one_block ? "" : text_of_block(thread) + " ") + text_of_thread(thread);
  };
  Picture picture{.title = is_one_block ? "two threads of " + text_of_block(first) + " at one address"
                                        : "threads of two blocks at one address",
                  .caption = "Time runs downwards, as it ran here. On a GPU either may come first.",
                  .columns = 2,
                  .has_solid_cells = false};
  picture.rows.push_back({"", {{0, 1, Shade::plain, name(first)}, {1, 1, Shade::plain, name(second)}}});
  if (is_one_block && defect.barrier_line > 0)
    picture.rows.push_back(
        {"", {{0, 2, Shade::barrier, fmt::format("barrier in line {}", defect.barrier_line)}}});
  const std::vector<std::string> lines = source::source_lines(source);
  add_access(picture, "first", *defect.other, 0, lines);
  picture.rows.push_back(
      {"", {{0, 2, Shade::missing, is_one_block ? "no barrier between them" : "nothing orders two blocks"}}});
  add_access(picture, "then", defect.party, 1, lines);
  return {picture};
}

}  // namespace gpulab::run::picture
