#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/lesson.hpp"
#include "core/result.hpp"
#include "core/run_facts.hpp"
#include "mpi/processes.hpp"

namespace gpulab::run {

// Looks up who runs this, where and when.
RunFacts run_facts(const std::vector<std::string>& typed);

// What is measured besides the variants and the OpenMP reference.
struct Measured {
  bool plain_reference = true;  // takes minutes where a GPU needs milliseconds
  bool transfers = true;
  bool steady = false;      // repeated launches, besides cold ones, and their energy
  bool counts = false;      // on the simulator: everything that can be counted, of the whole problem
  bool simulation = false;  // on the simulator: launches again and again, by the clock on the wall
  // The call of a library on the CPU, as a further reference where it is there.
  std::string host_library = {};
};

// The name of the option that says how many devices a lesson for several runs on.
inline constexpr const char* gpus_option = "gpus";

// How a lesson is to be run, as the command line has it.
struct RunOptions {
  Settings settings;
  std::optional<unsigned> block_size;          // threads; each variant has its own when absent
  std::vector<std::string> variants;           // all of the lesson's when empty
  std::optional<std::uint64_t> variant_order;  // a seed: they are run in random order
  std::optional<double> relative_tolerance, absolute_tolerance;
  std::optional<double> time_budget_s;  // for each thing that is timed
  std::optional<std::filesystem::path> kernels;
  Measured measured;
  mpi::Processes* processes = nullptr;  // that this one was started with, one for each GPU; null: none
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
  std::function<void(const std::string& remark)> remark = [](const std::string&) {};
  // What is known so far, as soon as the references, and then each variant, are done. False: enough.
  std::function<bool(const LessonResult& so_far)> on_result = [](const LessonResult&) { return true; };
};

// Throws UsageError, in one sentence, for a size, a block size or a variant that the lesson cannot take.
void check_options(const Lesson& lesson, const RunOptions& options);

// Throws UsageError, with the nearest name, when the lesson has no such variant.
const Variant& find_variant(const Lesson& lesson, const std::string& name);

// The variants that were asked for, in the order of the ladder, and then the yardsticks.
std::vector<Variant> chosen_variants(const Lesson& lesson, const RunOptions& options);

}  // namespace gpulab::run
