#include "cli/program_options.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "check/check_formats.hpp"

namespace gpulab::cli {

void take_words(const std::vector<std::string>& typed, ProgramOptions& options) {
  const auto mark = std::ranges::find(typed, "--");
  if (mark != typed.end()) options.arguments.assign(mark + 1, typed.end());
  for (auto word = typed.begin() + 2; word < typed.end(); ++word) options.typed += " " + check::quoted(*word);
  const NvccWords words = translated_from_nvcc({typed.begin(), mark});
  options.build.of_nvcc = words.of_nvcc;
  options.ignored_nvcc_options = words.lost;
}

bool is_allowed(const ProgramFinding& finding, const std::vector<std::string>& allowed) {
  const std::string file = finding.place.file.empty() ? "" : finding.place.file + ":";
  const std::string placed = finding.pattern + ":" + file + std::to_string(finding.place.line);
  return std::ranges::any_of(
      allowed, [&](const std::string& word) { return word == finding.pattern || word == placed; });
}

RunMode mode_of(const ProgramOptions& options) {
  if (options.is_watching) return RunMode::watch;
  if (options.is_debugged || !options.breakpoint.empty()) return RunMode::debug;
  return options.device == "cuda" ? RunMode::nvcc : RunMode::simulate;
}

void refuse_options_that_exclude_others(const ProgramOptions& options) {
  enum : unsigned {
    watch = 1,
    debug = 2,
    cuda = 4,
    plain = 8,
    inspect = 16,
    pictures = 32,
    report = 64,
    gpus = 128,
    every_block = 256
  };
  struct Exclusion {
    unsigned these, those;  // options: none of `these` goes with any of `those`
    const char* sentence;
  };
  static constexpr Exclusion exclusions[] = {
      {every_block, plain | inspect | cuda,
       "--every-block looks for races, which --plain, --inspect and --device cuda do not; leave it out"},
      {plain, inspect, "--plain and --inspect exclude each other: --inspect counts every access"},
      {cuda, plain | inspect,
       "--device cuda runs the program on the GPU, which nobody can watch; leave --plain and --inspect out"},
      {watch, debug, "--watch and --debug exclude each other: gdb has the terminal to itself"},
      {debug, cuda,
       "--debug stops threads of the simulated device; leave --device cuda out, or use cuda-gdb on the GPU"},
      {debug, plain | inspect,
       "--debug stops where a defect is found; with --plain or --inspect none is looked for, so leave them out"},
      {debug, report,
       "--debug leaves the terminal to gdb and writes no report; leave --format and --output out"},
      {watch, cuda | report,
       "--watch shows text at every save; leave --device cuda, --format and --output out, or --watch"},
      {watch | debug, pictures,
       "--watch and --debug draw no pictures; leave --picture and --html out, or --watch and --debug"},
      {cuda, report,
       "--device cuda shows the program's own output alone; leave --format and --output out, or --device cuda for a report"},
      {cuda, gpus, "--gpus needs the simulated device; --device cuda has the GPUs of this machine"},
  };
  unsigned given = 0;
  const std::pair<unsigned, bool> all[] = {{watch, options.is_watching},
                                           {debug, options.is_debugged || !options.breakpoint.empty()},
                                           {cuda, options.device == "cuda"},
                                           {plain, options.is_plain},
                                           {inspect, options.is_inspected},
                                           {pictures, options.pictures.is_wanted()},
                                           {report, options.format != "text" || options.output},
                                           {gpus, options.gpus > 1},
                                           {every_block, options.looks_in_every_block}};
  for (const auto& [option, is_given] : all)
    if (is_given) given |= option;
  for (const Exclusion& row : exclusions)
    if ((given & row.these) != 0 && (given & row.those) != 0) throw UsageError(row.sentence);
  if ((given & pictures) != 0 && (given & inspect) == 0)
    throw UsageError("--picture and --html draw the accesses that --inspect counts: add --inspect");
  refuse_pictures_in(options.format, options.pictures);
  refuse_gpu_where_confined(options.sandbox, options.device);
  refuse_gpu_with_other_warps(options.device == "cuda", options.build.warp_size);
}

}  // namespace gpulab::cli
