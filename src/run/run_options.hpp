#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "run/ranks/processes.hpp"

namespace gpulab::run {

// What a file should be, in the words of messages about files that are something else.
struct TextFileKind {
  const char* name;     // "a kernel file"
  const char* content;  // "CUDA C++ source"
};

constexpr TextFileKind kernel_file{"a kernel file", "CUDA C++ source"};

// More would keep a compiler busy for minutes.
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

// What somebody has written. Throws UsageError, in one sentence, when it cannot be read, is no text, or is
// larger than that.
std::string read_text_file(const std::filesystem::path& file, const TextFileKind& kind);

// The same of what was read of the file, of which one byte more says that it has more.
std::string text_of_file(const std::filesystem::path& file, const std::string& bytes,
                         const TextFileKind& kind);

// The kernel files of one lesson: embedded in the program or, where a folder is given, the copies found
// there.
class KernelFiles {
 public:
  // Throws UsageError when the folder cannot be read or has none of the lesson's files.
  KernelFiles(const Lesson& lesson, const std::optional<std::filesystem::path>& folder);

  const device::KernelSource& of(const Variant& variant) const;

  // Whether somebody has changed the variant's file.
  bool is_edited(const Variant& variant) const;

  // Another text for a file of the lesson, such as a learner's.
  void replace(const std::string& file, device::KernelSource source);

  // Files that the folder lacks, so that the built-in ones are used.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  std::string lessons_file_;
  std::vector<std::pair<std::string, device::KernelSource>> sources_;  // by file name
  std::vector<std::string> missing_;
};

// What to say of a file that the folder lacks.
std::string missing_kernel_file(const std::filesystem::path& folder, const std::string& file);

// The built-in text of a file in kernels/. Throws std::logic_error when there is none.
std::string embedded_kernel_file(const std::string& name);

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
  ranks::Processes* processes = nullptr;  // that this one was started with, one for each GPU; null: none
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
