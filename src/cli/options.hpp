#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "sandbox/sandbox.hpp"

namespace gpulab::cli {

// Group of options that no help lists. CLI11's errors lack the name of an option without a group.
constexpr const char* hidden_group = "hidden";

inline bool is_shown(const CLI::Option& option) {
  return option.nonpositional() && !option.get_group().empty() && option.get_group() != hidden_group;
}

// Returns the format that was asked for or, if none was, the format that `formats` has for the output's
// ending. Other endings mean text. Throws UsageError for that of another format, such as .pdf.
std::string format_of_output(const std::string& asked, const std::optional<std::filesystem::path>& output,
                             const std::vector<std::pair<std::string, std::string>>& formats);

// Adds --format text|json, with text as the default. The string must outlive the parsing.
void add_format_option(CLI::App& command, std::string& format);

// How a command draws what kernels asked of memory.
struct PictureOptions {
  bool in_text = false;
  std::optional<std::filesystem::path> html;

  bool is_wanted() const { return in_text || html; }
};

// Throws UsageError for --picture with a format other than text.
void refuse_pictures_in(const std::string& format, const PictureOptions& options);

// Adds --picture, with this help, and --html. The options must outlive the parsing.
void add_picture_options(CLI::App& command, PictureOptions& options,
                         const char* help = "draw which memory a warp touches, and the threads of a race");

// Adds an option or an argument with a value, which the help calls `type`. The value must outlive the
// parsing.
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& name, T& value, const std::string& type,
                       const std::string& description) {
  return command.add_option(name, value, description)->type_name(type);
}

// Lets an option be given several times, with one value each time.
inline CLI::Option* may_be_repeated(CLI::Option* option) {
  return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// Adds an option that takes one of these words; the first is the default.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& word,
                        const std::string& description, const std::vector<std::string>& choices);

// Parses a count as people type it: 33554432, 2^25, 32Mi (Ki, Mi, Gi), 1e6. Throws UsageError, which names
// the option, for anything else, for zero, and for what does not fit in 63 bits.
std::uint64_t parse_count(const std::string& option, const std::string& text);

// Parses counts, with commas between them, and ranges of counts: 2^20..2^28:x4 multiplies, 1000..5000:+1000
// adds; a range includes its upper end if a step hits it. Returns each count once, in the order of the text.
// Throws UsageError, which names the option, for a comma without a count beside it, a range that goes down, a
// factor below 2, a step of 0, and more than 1000 values.
std::vector<std::uint64_t> parse_counts(const std::string& option, const std::string& text);

// Parses the threads of a block, from 1 to 1024. Throws UsageError for anything else.
unsigned parse_block_size(const std::string& text);

// Validators of option values. CLI11's own accept NaN as a number from 0 and turn -1 into the largest
// unsigned number, and their messages say less. These add nothing to the help.

CLI::Validator one_of(const std::vector<std::string>& choices);
CLI::Validator a_whole_number();
CLI::Validator a_whole_number_in(std::uint64_t min, std::uint64_t max);
CLI::Validator a_number_from_zero();
CLI::Validator seconds_above_zero();

// Adds an option that takes a whole number.
template <class T>
void add_whole_number(CLI::App& command, const std::string& name, T& value, const std::string& description) {
  add_value(command, name, value, "N", description)->check(a_whole_number());
}

// Throws UsageError for --sandbox require with --device cuda.
void refuse_gpu_where_confined(const std::string& sandbox, const std::string& device);
// Prints a line on stderr if this machine cannot fully confine strangers' code. `what` names that code.
void tell_if_not_confined(sandbox::Mode mode, const std::string& what);

// Words of `gpulab run` with nvcc's options translated to its own.
struct NvccWords {
  std::vector<std::string> of_run;
  std::vector<std::string> nvcc_options;  // "-arch=sm_80": for nvcc alone
  std::string ignored;  // options without effect on the simulated device: "-o a.out (the program runs ...)"
};
NvccWords translated_from_nvcc(std::vector<std::string> typed);

// Device on which kernels run, as typed.
struct DeviceOptions {
  std::string device = "auto";
  std::optional<unsigned> index;
  unsigned warp_size = 32;

  run::DeviceChoice choice() const;
  // Returns whether this is a GPU, as far as that can be told without opening it.
  bool is_gpu() const;
  // Opens the device. Without an index, takes the GPU for this process's rank on this machine. Throws
  // DeviceError.
  run::OpenedDevice open(device::CompileCache& cache, const std::function<void(const std::string&)>& remark,
                         int local_rank = 0) const;
};
// Adds --device and --device-index. `has_hip` offers AMD's GPUs, on which only lessons run, without times.
void add_device_options(CLI::App& command, DeviceOptions& options, bool has_hip = false);

// Adds --warp-size, the lanes of a warp on the simulated device. The help names the default.
void add_warp_size_option(CLI::App& command, unsigned& lanes, const std::string& default_text = "32");
// Throws UsageError for a GPU with a warp size that it cannot have.
void refuse_gpu_with_other_warps(bool is_gpu, unsigned warp_size);

// Returns the lesson of that name or alias. Throws UsageError, with the nearest name, if there is none.
const Lesson& find_lesson(const std::string& name);

}  // namespace gpulab::cli
