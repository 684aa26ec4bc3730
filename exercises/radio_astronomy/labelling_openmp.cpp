#include <algorithm>
#include <numeric>
#include <vector>

#include "radio_astronomy/labelling.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace {

// Longest stretch [begin, end) of neighbouring pixels in a row that are all in the mask.
struct Run {
  std::size_t begin, end;
};

std::vector<Run> runs_of_row(std::span<const std::uint8_t> row) {
  std::vector<Run> runs;
  for (auto begin = std::find(row.begin(), row.end(), 1); begin != row.end();) {
    const auto end = std::find(begin, row.end(), 0);
    runs.push_back(
        {static_cast<std::size_t>(begin - row.begin()), static_cast<std::size_t>(end - row.begin())});
    begin = std::find(end, row.end(), 1);
  }
  return runs;
}

// Union-find forest of runs: every run points to an earlier one, a root to itself.
class Forest {
 public:
  explicit Forest(std::size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), 0); }

  void join(std::size_t a, std::size_t b) {
    a = root_of(a), b = root_of(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

  // Returns the label of every run. Parents come first, so theirs are known.
  std::vector<std::int32_t> labels(int& count) const {
    std::vector<std::int32_t> labels(parents_.size());
    count = 0;
    for (std::size_t run = 0; run < labels.size(); ++run)
      labels[run] = parents_[run] == run ? ++count : labels[parents_[run]];
    return labels;
  }

 private:
  // Returns the root, and halves the path to it.
  std::size_t root_of(std::size_t run) {
    while (parents_[run] != run) run = parents_[run] = parents_[parents_[run]];
    return run;
  }

  std::vector<std::size_t> parents_;
};

// Joins the runs of neighbouring rows that share a column; first_* are the indices of their first runs.
void join_rows(const std::vector<Run>& above, std::size_t first_above, const std::vector<Run>& below,
               std::size_t first_below, Forest& forest) {
  for (std::size_t a = 0, b = 0; a < above.size() && b < below.size();) {
    if (above[a].begin < below[b].end && below[b].begin < above[a].end)
      forest.join(first_above + a, first_below + b);
    above[a].end < below[b].end ? ++a : ++b;
  }
}

}  // namespace

int label_openmp(std::span<const std::uint8_t> mask, std::size_t width, std::span<std::int32_t> labels) {
  const std::size_t height = mask.size() / width;
  std::vector<std::vector<Run>> rows(height);
#pragma omp parallel for
  for (std::size_t y = 0; y < height; ++y) rows[y] = runs_of_row(mask.subspan(y * width, width));

  std::vector<std::size_t> first(height + 1);
  for (std::size_t y = 0; y < height; ++y) first[y + 1] = first[y] + rows[y].size();
  Forest forest(first[height]);
  for (std::size_t y = 1; y < height; ++y) join_rows(rows[y - 1], first[y - 1], rows[y], first[y], forest);
  int count = 0;
  const std::vector<std::int32_t> label_of_run = forest.labels(count);

#pragma omp parallel for
  for (std::size_t y = 0; y < height; ++y) {
    const auto row = labels.subspan(y * width, width);
    std::ranges::fill(row, 0);
    for (std::size_t i = 0; i < rows[y].size(); ++i)
      std::ranges::fill(row.subspan(rows[y][i].begin, rows[y][i].end - rows[y][i].begin),
                        label_of_run[first[y] + i]);
  }
  return count;
}

}  // namespace gpulab::lessons::radio_astronomy
