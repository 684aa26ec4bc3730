#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "lesson/launch.hpp"
#include "lesson/result.hpp"
#include "lesson/words.hpp"

namespace gpulab {

// A function fields(archive, value), beside a struct or the document that has it, lists the struct's fields
// once. An archive writes them, as JSON or table cells, or reads them. It has
//   archive("size", value)              a required field
//   archive.optional("index", value)    a field that may be missing or null when read
//   archive.known("line", value)        the same, written as null if the value means unknown
//   archive.known_if(is_known, "column", value)  the same, written as null if the condition is false
//   archive.word("stop", value, last, unknown)  an enumeration, by its identifier; see enumerator()
//   archive.derived("id", [] { ... })   computed from other fields, never read
// and the constants `reads` and `is_table`; tables have no lists of numbers.

// Accepts a struct to read, or a const one to write.
template <class T, class Struct>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Struct>;

template <class T, class Archive>
concept HasFields = requires(Archive& archive, T& value) {
  fields(archive, value);
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

// Zero, empty text and nullopt mean unknown.
template <class T>
bool is_known(const T& value) {
  if constexpr (is_optional<T>)
    return value.has_value();
  else if constexpr (std::is_arithmetic_v<T>)
    return value > 0;
  else
    return !value.empty();
}

inline std::optional<std::string> none_if_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Returns the enumerator for a word, or `unknown` for one that only a newer gpulab knows. `last` is the last
// enumerator.
template <class E>
E enumerator(const std::string& word, E last, E unknown) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (identifier(static_cast<E>(i)) == word) return static_cast<E>(i);
  return unknown;
}

template <class Archive>
void fields(Archive& archive, MaybeConst<BuildFacts> auto& build) {
  archive.derived("name", [] { return "gpulab"; });
  archive("version", build.version);
  archive.known("revision", build.revision);
  archive("compiler", build.compiler);
  archive("build_type", build.build_type);
  archive.known("cuda_toolkit", build.cuda_toolkit);
}

template <class Archive>
void run_fields(Archive& archive, MaybeConst<RunFacts> auto& facts) {
  archive("started_utc", facts.started_utc);
  archive("argv", facts.argv);
}

template <class Archive>
void host_fields(Archive& archive, MaybeConst<RunFacts> auto& facts) {
  archive("hostname", facts.hostname);
  archive.known("cpu", facts.cpu);
  archive("cores", facts.cores);
}

// Lists every device field of any document; each document chooses among them.
template <class Archive>
void fields(Archive& archive, MaybeConst<DeviceProperties> auto& device) {
  archive("kind", device.kind);
  archive.optional("index", device.index);
  archive("name", device.name);
  archive.derived("architecture", [&] { return none_if_empty(device.architecture()); });
  std::string capability = device.compute_capability();
  archive.known("compute_capability", capability);
  if constexpr (Archive::reads) device.set_compute_capability(capability);
  archive.known("multiprocessors", device.multiprocessors);
  archive.known("max_threads_per_block", device.max_threads_per_block);
  archive.known("max_threads_per_multiprocessor", device.max_threads_per_multiprocessor);
  archive.known("memory_bytes", device.memory_bytes);
  archive.known("free_memory_bytes", device.free_memory_bytes);
  archive.known("l2_bytes", device.l2_bytes);
  archive.known("shared_bytes_per_block", device.shared_bytes_per_block);
  archive.known("shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor);
  archive.known("clock_hz", device.clock_hz);
  archive.known("memory_clock_hz", device.memory_clock_hz);
  archive.known("memory_bus_bits", device.memory_bus_bits);
  archive.known("peak_bytes_per_s", device.peak_bytes_per_s);
  archive.known("peak_operations_per_s", device.peak_operations_per_s);
  archive.known("driver", device.driver_version);
  archive.known("driver_version", device.driver_version);
  archive.known("runtime_version", device.runtime_version);
  archive.known("compiler_version", device.compiler_version);
}

// Rounds to six digits: events resolve half a microsecond, and documents stay small.
inline std::vector<double> six_digits(std::vector<double> values) {
  for (double& value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
    value = std::round(value * scale) / scale;
  }
  return values;
}

// Lists two numbers, or null for both.
template <class Archive>
void range_fields(Archive& archive, const char* low_name, const char* high_name,
                  MaybeConst<std::optional<Interval>> auto& range) {
  std::optional<double> low, high;
  if (range) {
    low = range->low;
    high = range->high;
  }
  archive.known(low_name, low);
  archive.known(high_name, high);
  if constexpr (Archive::reads)
    if (low && high) range = Interval{*low, *high};
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Timing> auto& timing) {
  archive("median_s", timing.median_s);
  range_fields(archive, "low_s", "high_s", timing.confidence_s);
  if constexpr (!Archive::is_table)
    archive.derived("min_s", [&] { return std::ranges::min(timing.samples_s); });
  archive.derived("samples", [&] { return timing.samples_s.size(); });
  archive.word("stop", timing.stop, StopReason::sample_limit, StopReason::converged);
  if constexpr (Archive::is_table) {
    archive.derived("clock_hz", [&] {
      return timing.clocks_hz.empty() ? std::nullopt : std::optional(median(timing.clocks_hz));
    });
  } else {
    archive("samples_s", timing.samples_s, six_digits);
    archive.optional("clocks_hz", timing.clocks_hz, six_digits);
  }
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Energy> auto& energy) {
  archive("joules_per_run", energy.joules_per_run);
  archive("watts", energy.watts);
  archive("seconds", energy.seconds);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<ClaimResult> auto& result) {
  archive.word("kind", result.claim.kind, Claim::Kind::fewer_counted, Claim::Kind::faster);
  archive.derived("text", [&] { return claim_text(result.claim); });
  archive("better", result.claim.better);
  archive("worse", result.claim.worse);
  archive.known("figure", result.claim.figure);
  archive("min_ratio", result.claim.ratio);
  archive.known("measured_ratio", result.ratio);
  archive.word("verdict", result.verdict, ClaimVerdict::not_measured, ClaimVerdict::not_measured);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<RankResult> auto& result) {
  archive("rank", result.rank);
  archive("device", result.device);
  archive.known("node", result.node);
  archive("part", result.part);
  archive.word("observed", result.observed, Outcome::not_run, Outcome::not_run);
  archive.known("explanation", result.explanation);
  archive.known("median_s", result.median_s);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Bound> auto& bound) {
  archive.word("limiter", bound.limiter, Limiter::latency, Limiter::launch);
  archive("seconds", bound.seconds);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<KernelWork> auto& work) {
  archive("kernel", work.kernel);
  archive("blocks", work.config.grid.volume());
  archive("threads_per_block", work.config.block.volume());
  archive("registers", work.registers);
  archive("shared_bytes", work.shared_bytes);
  archive("load_requests", work.load_requests);
  archive("load_sectors", work.load_sectors);
  archive("load_bytes", work.load_bytes);
  archive("load_lines", work.load_lines);
  archive("store_requests", work.store_requests);
  archive("store_sectors", work.store_sectors);
  archive("store_lines", work.store_lines);
  archive("atomic_requests", work.atomic_requests);
  archive("atomic_sectors", work.atomic_sectors);
  archive("atomic_turns", work.atomic_turns);
  archive("atomic_words", work.atomic_words);
  archive("shared_requests", work.shared_requests);
  archive("shared_wavefronts", work.shared_wavefronts);
  archive("local_requests", work.local_requests);
  archive("bytes_loaded", work.bytes_loaded);
  archive("bytes_stored", work.bytes_stored);
  archive("block_bytes_loaded", work.bytes_loaded_by_blocks);
  archive("instructions", work.instructions);
  archive("multiply_adds", work.multiply_adds);
  archive("float64s", work.float64s);
  archive("specials", work.specials);
  archive("load_batches", work.load_batches);
  archive("most_load_batches", work.most_load_batches);
  archive("barriers", work.barriers);
  archive("has_instructions", work.has_instructions);
  archive("has_uncounted_loop", work.has_uncounted_loop);
  archive("is_uncounted", work.is_uncounted);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<LaunchEstimate> auto& launch) {
  fields(archive, launch.work);
  archive("blocks_per_multiprocessor", launch.blocks_per_multiprocessor);
  archive("occupancy", launch.occupancy);
  archive("occupancy_limit", launch.occupancy_limit);
  archive("waves", launch.waves);
  archive("seconds", launch.seconds);
  archive("bounds", launch.bounds);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Estimate> auto& estimate) {
  archive("gpu", estimate.gpu);
  archive("seconds", estimate.seconds);
  archive("low_s", estimate.low_s);
  archive("high_s", estimate.high_s);
  archive("bounds", estimate.bounds);
  archive("launches", estimate.launches);
  archive.known("why_not", estimate.why_not);
}

}  // namespace gpulab
