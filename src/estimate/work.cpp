#include "estimate/ptx.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace gpulab::estimate {
namespace {

constexpr double word_bytes = 4;

double warp_count(const LaunchConfig& config) {
  const double per_block = std::ceil(static_cast<double>(config.block.volume()) / lanes_of_warp);
  return per_block * static_cast<double>(config.grid.volume());
}

// Adds the bytes of the launch, and the words that its resident blocks update at once. Blocks are taken to
// update the same words if neighbouring blocks of the sample share more than half of theirs, or if all blocks
// together would otherwise update more words than there are.
void add_footprints(const BlockSample& sample, double scale, double resident_blocks, KernelWork& work) {
  const auto blocks = static_cast<double>(std::max<std::uint64_t>(1, sample.blocks));
  const double pairs_per_block = static_cast<double>(sample.block_pairs) / blocks;
  for (const Footprint& footprint : sample.footprints) {
    const auto bytes = static_cast<double>(footprint.bytes);
    const double loaded = scale * sector_bytes * static_cast<double>(footprint.loaded_sectors);
    const double stored = scale * sector_bytes * static_cast<double>(footprint.stored_sectors);
    work.bytes_loaded_by_blocks += loaded;
    work.bytes_loaded += std::min(bytes, loaded);
    work.bytes_stored += std::min(bytes, stored);
    const auto words = static_cast<double>(footprint.updated_words);
    const bool same_words = static_cast<double>(footprint.rewritten_words) > words * pairs_per_block / 2 ||
                            scale * words > bytes / word_bytes;
    work.atomic_words += words / blocks * (same_words ? 1 : resident_blocks);
  }
}

using Requests = std::map<AccessPlace, double>;

struct BlockRuns {
  std::vector<double> of_block;     // by the basic block's index in PtxKernel::blocks
  bool has_uncounted_loop = false;  // the blocks of such a loop are assumed to run once for each warp
};

// Returns how often each basic block of the PTX runs, added up over the warps that made the requests. A block
// with memory accesses runs as often as its accesses were counted. If a line is in several blocks, because
// the compiler unrolled a loop, those with the most copies of the line do all the work. A block without
// accesses runs as often as the loop around it or, outside of loops, once for each warp.
BlockRuns runs_of_blocks(const PtxKernel& ptx, const Requests& requests, double warps) {
  constexpr double unknown = -1;
  // The most copies of a line in one block, and the number of blocks that have as many copies.
  std::map<AccessPlace, std::pair<unsigned, unsigned>> most_copies;
  for (const BasicBlock& block : ptx.blocks)
    for (const auto& [place, accesses] : block.accesses) {
      auto& [copies, blocks] = most_copies[place];
      if (accesses > copies) blocks = 0;
      copies = std::max(copies, accesses);
      blocks += accesses == copies;
    }
  BlockRuns result{.of_block = std::vector<double>(ptx.blocks.size(), unknown)};
  std::vector<double>& runs = result.of_block;
  for (std::size_t b = 0; b < ptx.blocks.size(); ++b)
    for (const auto& [place, accesses] : ptx.blocks[b].accesses) {
      const auto counted = requests.find(place);
      const auto [copies, blocks] = most_copies[place];
      const bool does_the_work = counted != requests.end() && accesses == copies;
      const double runs_of_line = does_the_work ? counted->second / (copies * blocks) : 0;
      runs[b] = std::max(runs[b], runs_of_line);
    }
  std::vector<double> runs_of_loop(ptx.loops.size(), unknown);
  for (std::size_t b = 0; b < ptx.blocks.size(); ++b)
    if (const std::optional<std::size_t> loop = ptx.blocks[b].loop)
      runs_of_loop[*loop] = std::max(runs_of_loop[*loop], runs[b]);
  for (std::size_t b = 0; b < ptx.blocks.size(); ++b) {
    if (runs[b] != unknown) continue;
    const std::optional<std::size_t> loop = ptx.blocks[b].loop;
    const bool is_loop_counted = loop && runs_of_loop[*loop] != unknown;
    runs[b] = is_loop_counted ? runs_of_loop[*loop] : warps;
    if (loop && !is_loop_counted) result.has_uncounted_loop = true;
  }
  return result;
}

AccessPlace place_of(const LineAccesses& line) {
  return {line.file, line.line, line.kind};
}

// The number of machine instructions for each counted access of a line.
using InstructionsPerAccess = std::function<double(const LineAccesses& line)>;

// Returns a function that gives 0.25 where one load replaces loads of four neighbouring words. These lie in
// different banks, so the wide load has as many wavefronts as one of the loads that it replaces. The compiler
// may have removed repeated loads of shared memory together with their line number. Then the loads that have
// no line in the PTX are assumed to be what is left of them.
InstructionsPerAccess machine_instructions(const PtxKernel& ptx, const AccessCounts& counts, double warps) {
  struct Copies {
    unsigned all = 0;
    unsigned merged = 0;
  };
  std::map<AccessPlace, Copies> copies;  // in the basic block that has the most of them
  for (const BasicBlock& block : ptx.blocks)
    for (const auto& [place, accesses] : block.accesses) {
      const auto merged = block.merged.find(place);
      if (Copies& most_copies = copies[place]; accesses > most_copies.all)
        most_copies = {accesses, merged == block.merged.end() ? 0 : merged->second};
    }
  Requests requests;
  double removed = 0;       // requests to shared memory in lines that the PTX lacks
  double without_line = 0;  // requests to shared memory by loads that have no line in the PTX
  for (const LineAccesses& line : counts.lines) {
    requests[place_of(line)] += static_cast<double>(line.sums.requests);
    if (line.kind == AccessKind::shared_load && !copies.contains(place_of(line)))
      removed += static_cast<double>(line.sums.requests);
  }
  const BlockRuns runs = removed > 0 ? runs_of_blocks(ptx, requests, warps) : BlockRuns();
  for (std::size_t b = 0; b < runs.of_block.size(); ++b)
    for (const auto& [place, accesses] : ptx.blocks[b].accesses)
      if (place.line == 0 && place.kind == AccessKind::shared_load)
        without_line += runs.of_block[b] * accesses;
  const double fraction_left = without_line > 0 ? std::min(1.0, without_line / removed) : 1;
  return [copies = std::move(copies), fraction_left](const LineAccesses& line) {
    const auto found = copies.find(place_of(line));
    if (found != copies.end()) return 1 - static_cast<double>(found->second.merged) / found->second.all;
    return line.kind == AccessKind::shared_load ? fraction_left : 1;
  };
}

void add_requests(const AccessCounts& counts, double scale_of_sample,
                  const InstructionsPerAccess& instructions_per_access, KernelWork& work) {
  for (const LineAccesses& line : counts.lines) {
    const double scale = scale_of_sample * instructions_per_access(line);
    const auto requests = scale * static_cast<double>(line.sums.requests);
    const auto sectors = scale * static_cast<double>(line.sums.sectors);
    if (is_shared(line.kind)) {
      work.shared_requests += requests;
      work.shared_wavefronts += scale * static_cast<double>(line.sums.bank_wavefronts);
    } else if (line.kind == AccessKind::global_load) {
      work.load_requests += requests;
      work.load_sectors += sectors;
      work.load_bytes += scale * static_cast<double>(line.sums.bytes);
      work.load_lines += scale * static_cast<double>(line.sums.lines);
    } else if (line.kind == AccessKind::global_store) {
      work.store_requests += requests;
      work.store_sectors += sectors;
      work.store_lines += scale * static_cast<double>(line.sums.lines);
    } else {
      work.atomic_requests += requests;
      work.atomic_sectors += sectors;
      work.atomic_turns += scale * static_cast<double>(line.sums.max_same_address);
    }
  }
}

void add_instructions(const PtxKernel& ptx, const AccessCounts& counts, double scale, double warps,
                      KernelWork& work) {
  Requests requests;
  Requests requests_of_busiest_warp;
  for (const LineAccesses& line : counts.lines) {
    const AccessPlace place = place_of(line);
    requests[place] += scale * static_cast<double>(line.sums.requests);
    requests_of_busiest_warp[place] += static_cast<double>(line.most_of_a_warp);
  }
  const BlockRuns runs = runs_of_blocks(ptx, requests, warps);
  const BlockRuns runs_of_busiest_warp = runs_of_blocks(ptx, requests_of_busiest_warp, /*warps=*/1);
  work.has_uncounted_loop = runs.has_uncounted_loop || runs_of_busiest_warp.has_uncounted_loop;
  InstructionMix mix;
  double batches = 0;
  for (std::size_t b = 0; b < ptx.blocks.size(); ++b) {
    const BasicBlock& block = ptx.blocks[b];
    mix += runs.of_block[b] * block.mix;
    batches += runs.of_block[b] * block.load_batches;
    work.most_load_batches += runs_of_busiest_warp.of_block[b] * block.load_batches;
    work.local_requests += runs.of_block[b] * block.local_accesses;
    work.calls += runs.of_block[b] * block.calls;
  }
  work.is_uncounted = ptx.has_uncounted_iterations();
  work.has_instructions = true;
  work.instructions = mix.issued;
  work.multiply_adds = mix.multiply_add;
  work.float64s = mix.float64;
  work.specials = mix.special;
  work.load_batches = batches / warps;
}

// Returns whether the PTX has at least one of the lines whose accesses were counted, or none were counted.
// The PTX lacks all of them if its lines are those of a macro or of a header that is not the program's.
bool has_counted_lines(const PtxKernel& ptx, const AccessCounts& counts) {
  return counts.lines.empty() || std::ranges::any_of(counts.lines, [&](const LineAccesses& line) {
           return std::ranges::any_of(
               ptx.blocks, [&](const BasicBlock& block) { return block.accesses.contains(place_of(line)); });
         });
}

// Guesses for a kernel without PTX: instructions that each warp has besides its accesses, and instructions
// for each access (itself, its address, its use, the loop around it).
constexpr double guessed_per_warp = 10, guessed_per_access = 4;
constexpr double guessed_loads_per_batch = 2;

void guess_instructions(const AccessCounts& counts, double warps, KernelWork& work) {
  const double accesses =
      work.load_requests + work.store_requests + work.atomic_requests + work.shared_requests;
  work.instructions = guessed_per_warp * warps + guessed_per_access * accesses;
  work.load_batches = std::max(1.0, work.load_requests / warps / guessed_loads_per_batch);
  for (const LineAccesses& line : counts.lines)
    if (line.kind == AccessKind::global_load)
      work.most_load_batches += static_cast<double>(line.most_of_a_warp) / guessed_loads_per_batch;
}

// Returns the work of the launch divided by that of the sample. The first block counts once, and the other
// blocks of the sample represent the rest. If a block was cut off because it takes work from a queue until
// none is left, the launch is assumed to read each array once.
double scale_of(const BlockSample& sample) {
  if (!sample.is_cut_off) {
    if (sample.blocks <= 1 || sample.accesses == 0) return 1;
    const auto accesses_of_first = static_cast<double>(sample.of_first_block);
    const auto accesses = static_cast<double>(sample.accesses);
    const double blocks_represented_by_each =
        static_cast<double>(sample.of_blocks - 1) / static_cast<double>(sample.blocks - 1);
    return (accesses_of_first + (accesses - accesses_of_first) * blocks_represented_by_each) / accesses;
  }
  double scale = 1;
  for (const Footprint& footprint : sample.footprints)
    if (footprint.loaded_sectors > 0)
      scale = std::max(scale, static_cast<double>(footprint.bytes) / sector_bytes /
                                  static_cast<double>(footprint.loaded_sectors));
  return scale;
}

}  // namespace

KernelWork work_of(const AccessCounts& counts, const LaunchConfig& config, double resident_blocks,
                   const std::optional<PtxKernel>& ptx) {
  KernelWork work{.config = config};
  const BlockSample& sample = counts.sample;
  const double scale = scale_of(sample);
  const double warps = warp_count(config);
  add_footprints(sample, scale, resident_blocks, work);
  if (sample.of_blocks > 0)
    work.barriers = scale * static_cast<double>(sample.barriers) / static_cast<double>(sample.of_blocks);
  if (ptx && has_counted_lines(*ptx, counts)) {
    add_requests(counts, scale, machine_instructions(*ptx, counts, warps), work);
    add_instructions(*ptx, counts, scale, warps, work);
  } else {
    add_requests(
        counts, scale, [](const LineAccesses&) { return 1.0; }, work);
    guess_instructions(counts, warps, work);
  }
  // The model's averages cover a warp with up to six times the mean. With atomics, the busiest warp may be an
  // artefact: blocks that take work from a counter share it on a GPU, but here the first takes all.
  constexpr double max_covered_factor = 6;
  if (work.atomic_requests > 0 || work.most_load_batches < max_covered_factor * work.load_batches)
    work.most_load_batches = work.load_batches;
  return work;
}

}  // namespace gpulab::estimate
