#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lesson/estimate.hpp"
#include "lesson/lesson.hpp"

namespace gpulab::estimate {

// A number in a file of data/gpus/, as written there.
struct GpuFigure {
  std::string name;
  double value = 0;
  std::string source;
};

// Properties of a GPU that the model needs, from a file of data/gpus/, which names the source of each number.
struct Gpu {
  std::string name;          // "NVIDIA H200"
  std::string short_name;    // "H200"
  std::string architecture;  // "sm_90"

  // Figures of the whole GPU:
  double multiprocessors = 0;
  double clock_hz = 0;  // while kernels run
  double dram_bytes_per_s = 0;
  double l2_bytes = 0;
  double l2_bytes_per_s = 0;
  double l1_latency_s = 0;              // of a load that L1 has, while memory is busy
  double l2_latency_s = 0;              // added to it if only L2 has the data
  double dram_latency_s = 0;            // added to both if the data come from DRAM
  double launch_s = 0;                  // for an empty kernel, between two events
  double atomic_sectors_per_clock = 0;  // updates of many words in few sectors
  double atomic_turn_clocks = 0;        // from one update of a word to the next
  double host_bytes_per_s = 0;          // copies from or to page-locked host memory

  // Figures of one multiprocessor:
  double max_warps = 0;
  double max_blocks = 0;
  double registers = 0;
  double shared_bytes = 0;
  double reserved_shared_bytes = 0;  // that the system takes for each block
  double l1_bytes_per_clock = 0;
  double warp_instructions_per_clock = 0;  // issued
  // Results per clock, counted for each thread:
  double float32_per_clock = 0;
  double float64_per_clock = 0;
  double special_per_clock = 0;

  std::vector<GpuFigure> figures = {};  // all numbers with their sources, in the order of the file
};

// Returns the GPU of a name such as "h200" or "H200", or of a JSON file. Throws UsageError that lists the
// names.
Gpu gpu_of(const std::string& name_or_file);
// Returns the text of the GPU's file, to be sent to another process. Throws UsageError as gpu_of() does.
std::string text_of_gpu(const std::string& name_or_file);
std::vector<std::string> gpu_names();  // "h200"
// Returns the files of data/gpus/, which are embedded at build time.
const std::vector<EmbeddedFile>& embedded_gpus();

// Reads a GPU from the text of a file of data/gpus/. Throws std::runtime_error that names what is missing,
// wrong or unknown.
Gpu read_gpu(const std::string& json);

struct Occupancy {
  unsigned blocks = 0;  // at once on a multiprocessor
  double warps = 0;     // resident warps / maximum resident warps
  std::string limit;    // the limiting resource: "registers", "shared memory", "blocks", "warps"
};

// Computes the occupancy by the rules of NVIDIA's cuda_occupancy.h.
Occupancy occupancy_of(const Gpu& gpu, int registers_per_thread, std::size_t shared_bytes_per_block,
                       std::size_t threads_per_block);

// Predicts the time of launches one after another, and multiplies it by `repeats` to include equal launches
// that were not counted. Both ends of the predicted range are at least a factor `min_width` from its middle.
Estimate estimate_of(const Gpu& gpu, const std::vector<KernelWork>& launches, double repeats,
                     double min_width = 1);

}  // namespace gpulab::estimate
