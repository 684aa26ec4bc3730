#include <algorithm>
#include <cmath>

#include "estimate/gpu.hpp"
#include "estimate/ptx.hpp"

namespace gpulab::estimate {
namespace {

// Constants fitted to times of an H200 (docs/estimates.md). Rates are fractions of the hardware's peak.
constexpr double issue_rate = 0.89, l1_rate = 0.75, arithmetic_rate = 0.8;
// Bounds that are nearly equal slow each other down, so the time is a p-norm of all bounds, with this p.
constexpr double norm_exponent = 3.7;
// A block is replaced when its last warp has ended, and memory is partly idle until then. With one block at a
// time on a multiprocessor, this fraction of the block's time is lost; with n blocks, an n-th of that.
constexpr double replacement_gap = 0.95;
constexpr double block_start_s = 0.05e-6, barrier_s = 0.1e-6;
// Loads are scattered if a request has at least this many sectors, uses at most half of their bytes, and more
// than this fraction of them misses L1.
constexpr double min_scattered_sectors = 8, min_scattered_misses = 0.7;
// Scattered sectors that L2 has evicted are fetched again, at the fraction refetch_rate of DRAM's rate. That
// happens if the launch's distinct bytes exceed the fraction usable_l2 of L2, and its blocks together load
// more than min_refetches times these distinct bytes.
constexpr double refetch_rate = 0.41, usable_l2 = 0.8, min_refetches = 1.5;
// Each cache line costs as much as two more sectors, so lines that are fetched in part are expensive.
constexpr double sectors_per_line = 4, line_overhead_sectors = 2;
// If an atomic's request has few sectors, the words of a sector are updated together, faster by this factor.
constexpr double joint_update_speedup = 1.33, max_sectors_of_joint_update = 8;

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// Fractions of the loaded bytes that miss in a cache.
struct Misses {
  double l1 = 0;
  double l2 = 0;  // that miss in both
};

Misses misses_of(const KernelWork& work) {
  const double loaded = work.load_sectors * sector_bytes;
  return {std::min(1.0, ratio(work.bytes_loaded_by_blocks, loaded)),
          std::min(1.0, ratio(work.bytes_loaded, loaded))};
}

bool is_scattered(const KernelWork& work) {
  return ratio(work.load_sectors, work.load_requests) >= min_scattered_sectors &&
         work.load_bytes <= sector_bytes * work.load_sectors / 2 && misses_of(work).l1 > min_scattered_misses;
}

// Returns the time of a scattered sector, relative to that of a sector in a whole line.
double cost_of_lines(const KernelWork& work) {
  const double lines = work.load_lines + work.store_lines, sectors = work.load_sectors + work.store_sectors;
  const double lines_per_sector = std::max(1 / sectors_per_line, ratio(lines, sectors));
  return (1 + line_overhead_sectors * lines_per_sector) / (1 + line_overhead_sectors / sectors_per_line);
}

double dram_s(const Gpu& gpu, const KernelWork& work) {
  const bool exceeds_l2 = work.bytes_loaded > usable_l2 * gpu.l2_bytes;
  const bool fetches_again = work.bytes_loaded_by_blocks > min_refetches * work.bytes_loaded;
  if (is_scattered(work) && exceeds_l2 && fetches_again)
    return (work.bytes_loaded_by_blocks * cost_of_lines(work) + work.bytes_stored) /
           (refetch_rate * gpu.dram_bytes_per_s);
  return (work.bytes_loaded + work.bytes_stored) / gpu.dram_bytes_per_s;
}

double l2_s(const Gpu& gpu, const KernelWork& work) {
  const double bytes =
      work.bytes_loaded_by_blocks + sector_bytes * (work.store_sectors + work.atomic_sectors);
  return bytes * (is_scattered(work) ? cost_of_lines(work) : 1) / gpu.l2_bytes_per_s;
}

// Returns the clocks that L1 is busy. A request takes a clock for each l1_bytes_per_clock, and at least one;
// a wavefront takes one clock. The two clocks of a request to local memory are a guess, which nobody sees:
// why_not() refuses an estimate for kernels that use local memory.
double l1_clocks(const Gpu& gpu, const KernelWork& work) {
  const double sectors_per_clock = gpu.l1_bytes_per_clock / sector_bytes;
  const double global = std::max(work.load_requests, work.load_sectors / sectors_per_clock) +
                        std::max(work.store_requests, work.store_sectors / sectors_per_clock);
  return global + 2 * work.local_requests + work.shared_wavefronts;
}

double atomics_s(const Gpu& gpu, const KernelWork& work) {
  const bool are_joint = ratio(work.atomic_sectors, work.atomic_requests) <= max_sectors_of_joint_update;
  const double sectors = work.atomic_sectors / (are_joint ? joint_update_speedup : 1);
  // Updates of one word take turns. Different words are updated at the same time.
  const double turns = work.atomic_turns * gpu.atomic_turn_clocks / std::max(1.0, work.atomic_words);
  return std::max(sectors / gpu.atomic_sectors_per_clock, turns) / gpu.clock_hz;
}

// Returns the time that a launch waits. A warp waits for one batch of loads after another, and one wave of
// blocks follows another. The launch ends when its busiest warp has ended.
double latency_s(const Gpu& gpu, const KernelWork& work, double waves, double blocks_at_once) {
  const Misses misses = misses_of(work);
  const double round_trip = gpu.l1_latency_s + misses.l1 * gpu.l2_latency_s + misses.l2 * gpu.dram_latency_s;
  const auto block_s = [&](double batches) {
    return block_start_s + batches * round_trip + work.barriers * barrier_s;
  };
  const double gap = waves > 1 ? 1 + replacement_gap / blocks_at_once : 1;
  return std::max(std::max(1.0, waves) * block_s(work.load_batches) * gap, block_s(work.most_load_batches));
}

LaunchEstimate launch_estimate(const Gpu& gpu, const KernelWork& work) {
  const Occupancy occupancy =
      occupancy_of(gpu, work.registers, work.shared_bytes, work.config.block.volume());
  const auto blocks = static_cast<double>(work.config.grid.volume());
  const double at_once = std::max(1u, occupancy.blocks);
  const double waves = blocks / (at_once * gpu.multiprocessors);
  // Clocks per second of the multiprocessors that have a block, added up.
  const double busy_hz = std::min(blocks, gpu.multiprocessors) * gpu.clock_hz;
  const auto arithmetic_s = [&](double instructions, double results_per_clock) {
    return lanes_of_warp * instructions / (arithmetic_rate * results_per_clock * busy_hz);
  };
  LaunchEstimate launch{.work = work,
                        .blocks_per_multiprocessor = occupancy.blocks,
                        .occupancy = occupancy.warps,
                        .occupancy_limit = occupancy.limit,
                        .waves = waves};
  launch.bounds = {
      {Limiter::dram, dram_s(gpu, work)},
      {Limiter::l2, l2_s(gpu, work)},
      {Limiter::l1, l1_clocks(gpu, work) / (l1_rate * busy_hz)},
      {Limiter::issue, work.instructions / (issue_rate * gpu.warp_instructions_per_clock * busy_hz)},
      {Limiter::multiply_add, arithmetic_s(work.multiply_adds, gpu.float32_per_clock)},
      {Limiter::float64, arithmetic_s(work.float64s, gpu.float64_per_clock)},
      {Limiter::special, arithmetic_s(work.specials, gpu.special_per_clock)},
      {Limiter::atomics, atomics_s(gpu, work)},
      {Limiter::latency, latency_s(gpu, work, waves, at_once)}};
  std::ranges::stable_sort(launch.bounds, std::greater(), &Bound::seconds);
  double sum = 0;
  for (const Bound& bound : launch.bounds) sum += std::pow(bound.seconds, norm_exponent);
  launch.seconds = std::pow(sum, 1 / norm_exponent);
  return launch;
}

void add(const Bound& bound, std::vector<Bound>& bounds) {
  const auto known = std::ranges::find(bounds, bound.limiter, &Bound::limiter);
  if (known != bounds.end())
    known->seconds += bound.seconds;
  else
    bounds.push_back(bound);
}

// Factors between the ends of the predicted range and its middle. The largest that applies counts.
constexpr double usual_width = 1.38;
constexpr double width_with_uncounted_loop = 1.6;  // a loop whose iterations were not counted
constexpr double width_of_scattered_loads = 1.8;
constexpr double width_without_compiler = 1.8;  // instructions are guessed

double width_of(const KernelWork& work) {
  double width = usual_width;
  if (work.has_uncounted_loop) width = std::max(width, width_with_uncounted_loop);
  if (is_scattered(work)) width = std::max(width, width_of_scattered_loads);
  if (!work.has_instructions) width = std::max(width, width_without_compiler);
  return width;
}

// Returns why the time of a launch cannot be predicted; "" if it can.
std::string why_not(const KernelWork& work) {
  if (work.is_uncounted) return about_uncounted_loop(work.kernel);
  if (work.local_requests > 0) return work.kernel + " uses local memory, whose traffic nobody counts";
  if (work.calls > 0) return work.kernel + " calls functions, whose instructions nobody counts";
  return "";
}

}  // namespace

std::string about_uncounted_loop(const std::string& kernel) {
  return kernel + " has a loop without memory accesses, whose iterations nobody counts";
}

Estimate estimate_of(const Gpu& gpu, const std::vector<KernelWork>& launches, double repeats,
                     double min_width) {
  Estimate estimate{.gpu = gpu.short_name};
  double width = std::max(usual_width, min_width);
  for (const KernelWork& work : launches) {
    width = std::max(width, width_of(work));
    if (estimate.why_not.empty()) estimate.why_not = why_not(work);
    const LaunchEstimate& launch = estimate.launches.emplace_back(launch_estimate(gpu, work));
    estimate.seconds += repeats * (gpu.launch_s + launch.seconds);
    add({Limiter::launch, repeats * gpu.launch_s}, estimate.bounds);
    for (const Bound& bound : launch.bounds) add({bound.limiter, repeats * bound.seconds}, estimate.bounds);
  }
  std::ranges::stable_sort(estimate.bounds, std::greater(), &Bound::seconds);
  estimate.low_s = estimate.seconds / width;
  estimate.high_s = estimate.seconds * width;
  return estimate;
}

namespace {

double rounded_up(double value, double unit) {
  return std::ceil(value / unit) * unit;
}

}  // namespace

// A warp gets registers in units of 256. A multiprocessor has four partitions, each with its own registers. A
// block gets shared memory in units of 128 bytes.
Occupancy occupancy_of(const Gpu& gpu, int registers_per_thread, std::size_t shared_bytes_per_block,
                       std::size_t threads_per_block) {
  constexpr double partitions = 4, lanes = 32, register_unit = 256, shared_unit = 128;
  const double warps = std::ceil(static_cast<double>(threads_per_block) / lanes);
  struct Limit {
    double blocks;
    const char* name;
  };
  std::vector<Limit> limits = {{std::floor(gpu.max_warps / warps), "warps"}, {gpu.max_blocks, "blocks"}};
  if (registers_per_thread > 0) {
    const double registers_per_warp = rounded_up(registers_per_thread * lanes, register_unit);
    const double max_warps = partitions * std::floor(gpu.registers / partitions / registers_per_warp);
    limits.push_back({std::floor(max_warps / rounded_up(warps, partitions)), "registers"});
  }
  if (shared_bytes_per_block > 0) {
    const double bytes =
        rounded_up(static_cast<double>(shared_bytes_per_block) + gpu.reserved_shared_bytes, shared_unit);
    limits.push_back({std::floor(gpu.shared_bytes / bytes), "shared memory"});
  }
  const Limit tightest = *std::ranges::min_element(limits, {}, &Limit::blocks);
  return {static_cast<unsigned>(tightest.blocks), tightest.blocks * warps / gpu.max_warps, tightest.name};
}

}  // namespace gpulab::estimate
