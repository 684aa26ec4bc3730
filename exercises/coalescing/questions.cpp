#include "coalescing/questions.hpp"

namespace gpulab::lessons::coalescing {
namespace {

const Input<float> A{"A"}, in{"in"}, points{"points"};
const Input<double> doubles_in{"A"};
const Output<float> C{"C"}, out{"out"};
const Output<double> doubles_out{"C"};
const Scalar<int> stride{"stride"}, width{"width"}, height{"height"};

constexpr double lanes = 32, sector_bytes = 32, line_bytes = 128;

double sectors_per_load(const Facts& facts) {
  return facts.of(counted_sectors_per_load);
}

// Returns the sectors of a coalesced, aligned load of 4-byte elements.
double sectors_if_coalesced(const Facts&) {
  return lanes * sizeof(float) / sector_bytes;
}

const TypicalError one_sector_for_each = {
    "sector-for-each", "that is a sector for every thread, and several find theirs in the same one",
    [](const Facts&) { return lanes; }};
const TypicalError one_thread = {
    "one-thread", "that is what one thread needs: an access of a warp is that of all its threads",
    [](const Facts&) { return 1.0; }};

std::size_t threads_of(const Facts& facts) {
  return static_cast<std::size_t>(facts.of("blocks") * facts.of("threads of a block"));
}

LaunchConfig launch_of(const Facts& facts) {
  return {.grid = {static_cast<unsigned>(facts.of("blocks"))},
          .block = {static_cast<unsigned>(facts.of("threads of a block"))}};
}

Question doubles() {
  return {
      .name = "Doubles",
      .answer = sectors_per_load,
      .errors = {{"size-of-element", "that is so for elements of 4 bytes, not for these",
                  sectors_if_coalesced},
                 one_sector_for_each,
                 one_thread,
                 {"bytes-for-sectors", "those are the bytes that the warp wants, and a sector has several",
                  [](const Facts&) { return lanes * sizeof(double); }},
                 {"lines-for-sectors", "those are lines of 128 bytes, which have four sectors each",
                  [](const Facts&) { return lanes * sizeof(double) / line_bytes; }}},
      .counted = [](const Facts& facts) -> CountedKernel {
        const std::size_t n = threads_of(facts);
        return {"twice", launch_of(facts), {doubles_in(n), doubles_out(n)}, {doubles_in, doubles_out}};
      }};
}

Question one_further() {
  return {
      .name = "One element further",
      .answer = sectors_per_load,
      .errors =
          {{"assumed-aligned", "that is so where a warp begins at a sector, and this one does not",
            sectors_if_coalesced},
           {"lines-for-sectors",
            "those are all sectors of two lines of 128 bytes, and only sectors that are touched are fetched",
            [](const Facts&) { return 2 * line_bytes / sector_bytes; }},
           {"lines-for-sectors", "those are lines of 128 bytes, which have four sectors each",
            [](const Facts&) { return 2.0; }},
           one_sector_for_each,
           one_thread},
      .counted = [](const Facts& facts) -> CountedKernel {
        const std::size_t n = threads_of(facts);
        return {"further", launch_of(facts), {A(n + 1), C(n)}, {A, C}};
      }};
}

double stride_of(const Facts& facts) {
  return facts.of("stride");
}

Question far_apart() {
  return {
      .name = "Far apart",
      .answer = sectors_per_load,
      .errors =
          {{"no-upper-limit",
            "that is four times the stride, but a sector between the elements of two threads is not fetched",
            [](const Facts& facts) { return stride_of(facts) * sectors_if_coalesced(facts); }},
           {"assumed-adjacent", "that is so where neighbouring threads take neighbouring elements",
            sectors_if_coalesced},
           one_thread,
           {"distance-for-number", "that is the distance between two threads, not what the warp touches",
            stride_of},
           {"distance-for-number",
            "that is the distance between two threads in sectors, not what the warp touches",
            [](const Facts& facts) { return stride_of(facts) * sizeof(float) / sector_bytes; }}},
      .counted = [](const Facts& facts) -> CountedKernel {
        const std::size_t n = threads_of(facts), apart = static_cast<std::size_t>(stride_of(facts));
        return {"spaced", launch_of(facts), {A(apart * n), C(n)}, {A, C, stride(apart)}};
      }};
}

Extent extent_of(const Facts& facts, const std::string& what) {
  return {static_cast<unsigned>(facts.of(what + " in x")), static_cast<unsigned>(facts.of(what + " in y"))};
}

Question rows_and_columns() {
  return {
      .name = "Rows and columns",
      .answer = [](const Facts& facts) { return facts.of(counted_sectors_per_store); },
      .errors = {{"shape-of-block",
                  "that is so if a warp were 32 threads side by side in x, more than this block has",
                  [](const Facts&) { return lanes; }},
                 {"load-for-store", "that is so for the load, which goes along the rows", sectors_per_load},
                 one_thread},
      .counted = [](const Facts& facts) -> CountedKernel {
        const Extent grid = extent_of(facts, "blocks"), block = extent_of(facts, "threads");
        const std::size_t columns = std::size_t{grid.x} * block.x, rows = std::size_t{grid.y} * block.y;
        return {"transpose",
                {.grid = grid, .block = block},
                {in(columns, rows), out(rows, columns)},
                {in, out, width(columns), height(rows)}};
      }};
}

double used_part(const Facts& facts) {
  return facts.of(counted_used_part_of_loads);
}

Question structures() {
  return {
      .name = "An array of structures",
      .answer = used_part,
      .errors = {{"sectors-forgotten", "that is so if single floats could be fetched",
                  [](const Facts&) { return 1.0; }},
                 {"sector-for-each", "that is 4 bytes of a sector for every thread, as if no two shared one",
                  [](const Facts&) { return sizeof(float) / sector_bytes; }},
                 {"used-for-wasted", "that is the part that is fetched for nothing",
                  [](const Facts& facts) { return 1 - used_part(facts); }}},
      .counted = [](const Facts& facts) -> CountedKernel {
        const std::size_t n = threads_of(facts);
        return {"twice_x", launch_of(facts), {points(4 * n), C(n)}, {as_vectors<4>(points), C}};
      }};
}

}  // namespace

QuestionSheet questions() {
  return {
      .questions = {doubles(), one_further(), far_apart(), rows_and_columns(), structures()},
      .shown_by =
          "gpulab coalescing counts sectors for other strides, without a GPU too; on a GPU it measures what they cost"};
}

}  // namespace gpulab::lessons::coalescing
