#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "estimate/gpu.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/ranks/processes.hpp"

namespace gpulab::run {

// The expected content of a text file, for error messages.
struct TextFileKind {
  const char* name;     // "a kernel file"
  const char* content;  // "CUDA C++ source"
};

constexpr TextFileKind kernel_file{"a kernel file", "CUDA C++ source"};

// Largest text file that is read: more would keep a compiler busy for minutes.
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

// Reads a user's file. Throws UsageError, in one sentence, if it is unreadable, not text, or too large.
std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind);

// Does the same with bytes already read from the file, at most max_text_bytes + 1 of them.
std::string text_of_file(const std::filesystem::path& file, const std::string& bytes,
                         const TextFileKind& kind);

// The kernel files of one lesson: those built into the program or, with a folder, the copies found there.
class KernelFiles {
 public:
  // Throws UsageError if the folder is unreadable or has none of the lesson's files.
  KernelFiles(const Lesson& lesson, const std::optional<std::filesystem::path>& folder);

  const device::KernelSource& of(const Variant& variant) const;

  // Returns whether the variant's file differs from the built-in one.
  bool is_edited(const Variant& variant) const;

  // Replaces a file of the lesson, for example by a learner's.
  void replace(const std::string& file, device::KernelSource source);

  // Returns a hash of all files and their names, in 16 hexadecimal digits.
  std::string hash() const;

  // Returns the files that the folder lacks; the built-in ones are used.
  const std::vector<std::string>& missing() const { return missing_; }

  // Returns a sentence for each kernel file of the folder that no lesson has: its name may be mistyped.
  const std::map<std::string, std::string>& unknown_files() const { return unknown_files_; }

 private:
  void find_unknown_files(const std::filesystem::path& folder);

  std::string lessons_file_;
  std::string own_text_;  // file of an exercise that is not of the course; empty for other lessons
  std::vector<std::pair<std::string, device::KernelSource>> sources_;  // by file name
  std::vector<std::string> missing_;
  std::map<std::string, std::string> unknown_files_;
};

// Returns the message about a file that the folder lacks.
std::string missing_kernel_file(const std::filesystem::path& folder, const std::string& file);

// Returns the built-in text of a file in kernels/. Throws std::logic_error if there is none.
std::string embedded_kernel_file(const std::string& name);

// Collects who runs this, where and when.
RunFacts run_facts(const std::vector<std::string>& typed);

// Measurements besides the variants and the OpenMP reference.
struct Measured {
  bool plain_reference = true;  // takes minutes where a GPU takes milliseconds
  bool transfers = true;
  bool steady = false;      // repeated warm launches, and their energy
  bool counts = false;      // simulator: all counts, for the whole problem
  bool simulation = false;  // simulator: repeated launches by wall-clock time
  // Library call on the CPU, as a further reference if available.
  std::string host_library = {};
};

// Name of the option for the number of devices, of lessons for several.
inline constexpr const char* gpus_option = "gpus";

// Sizes at which a kernel is watched: made odd or as asked for, and smaller where that would be slow.
enum class WatchedSizes { odd, asked };

// Options of a lesson's run, from the command line.
struct RunOptions {
  Settings settings;
  std::optional<unsigned> block_size;          // threads; by default each variant's own
  std::vector<std::string> variants;           // by default all of the lesson's
  std::optional<std::uint64_t> variant_order;  // seed for random order
  std::optional<double> relative_tolerance, absolute_tolerance;
  std::optional<double> time_budget_s;           // for each measurement
  std::optional<std::filesystem::path> kernels;  // folder of kernel files
  Measured measured;
  std::vector<std::string> architectures = {};  // to show registers for: "sm_90", "gfx90a"
  WatchedSizes watched_sizes = WatchedSizes::odd;
  WarpSize warp_size = {};                // on the simulated device
  std::optional<estimate::Gpu> gpu = {};  // to predict times for, on the simulator
  ranks::Processes* processes = nullptr;  // processes started with this one, one per GPU; null: none
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
  std::function<void(const std::string& remark)> remark = [](const std::string&) {};
  // Called with the results so far, after the references and after each variant. Returns false to stop.
  std::function<bool(const LessonResult& so_far)> on_result = [](const LessonResult&) { return true; };
};

// Throws UsageError, in one sentence, for a size, block size or variant that the lesson cannot take.
void check_options(const Lesson& lesson, const RunOptions& options);

// Throws UsageError, with the nearest name, if the lesson has no such variant.
const Variant& find_variant(const Lesson& lesson, const std::string& name);

// Returns the requested variants in the lesson's order, then the yardsticks.
std::vector<Variant> chosen_variants(const Lesson& lesson, const RunOptions& options);

}  // namespace gpulab::run
