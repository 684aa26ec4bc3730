#include "cli/program_options.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "check/explanations.hpp"
#include "lesson/finding.hpp"

namespace gpulab::cli {

void take_unparsed_words(const std::vector<std::string>& typed, ProgramOptions& options) {
  const auto mark = std::ranges::find(typed, "--");
  if (mark != typed.end()) options.arguments.assign(mark + 1, typed.end());
  for (auto word = typed.begin() + 2; word < typed.end(); ++word) options.typed += " " + check::quoted(*word);
  const NvccWords words = translated_from_nvcc({typed.begin(), mark});
  options.build.nvcc_options = words.nvcc_options;
  options.ignored_nvcc_options = words.ignored;
}

namespace {

// Returns whether a word of --allow (KIND, KIND:LINE or KIND:FILE:LINE) names the finding. FILE may be the
// end of a path.
bool names_finding(const std::string& word, const ProgramFinding& finding, const ProgramOptions& options) {
  const std::string kind = finding.pattern + ":", line = ":" + std::to_string(finding.place.line);
  const bool is_in_main_file = finding.place.file.empty();
  if (word == finding.pattern || (is_in_main_file && word == finding.pattern + line)) return true;
  if (!word.starts_with(kind) || !word.ends_with(line) || word.size() < kind.size() + line.size())
    return false;
  const std::string named = word.substr(kind.size(), word.size() - kind.size() - line.size());
  const std::string file = is_in_main_file ? options.build.files.front().string() : finding.place.file;
  return file == named || file.ends_with("/" + named);
}

}  // namespace

bool is_allowed(const ProgramFinding& finding, const ProgramOptions& options) {
  return std::ranges::any_of(options.allowed,
                             [&](const auto& word) { return names_finding(word, finding, options); });
}

void tell_what_allows_nothing(const ProgramReport& report, const ProgramOptions& options) {
  for (const std::string& word : options.allowed)
    if (word.find(':') != std::string::npos &&
        std::ranges::none_of(report.findings,
                             [&](const auto& finding) { return names_finding(word, finding, options); }))
      tell("gpulab: --allow " + word + " allows nothing: no finding of that kind is in that line\n");
}

std::vector<std::string> kinds_of_findings() {
  std::vector<std::string> kinds{"note"};
  for (const check::PatternGroup& group : check::pattern_groups())
    for (const check::PatternHint& hint : group.patterns) kinds.push_back(hint.pattern);
  for (auto kind = 0; kind <= static_cast<int>(DefectKind::other); ++kind)
    kinds.emplace_back(name_of(static_cast<DefectKind>(kind)));
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

void refuse_unknown_kinds(const std::vector<std::string>& allowed) {
  if (allowed.empty()) return;
  const std::vector<std::string> kinds = kinds_of_findings();
  for (const std::string& word : allowed) {
    const std::string kind = word.substr(0, word.find(':')), line = word.substr(word.rfind(':') + 1);
    if (!contains(kinds, kind)) {
      const auto suffix = std::ranges::find_if(  // out-of-bounds, the kind in global-out-of-bounds
          kinds, [&](const std::string& known) { return kind.ends_with("-" + known); });
      throw UsageError(
          fmt::format("--allow: there is no kind of findings '{}'; {}", kind,
                      suggestion(suffix == kinds.end() ? kind : *suffix, kinds,
                                 "write the word after DEFECT in the report, such as race-host")));
    }
    if (kind != word && (line.empty() || line.find_first_not_of("0123456789") != std::string::npos))
      throw UsageError(fmt::format("--allow: '{}' does not end with a line; write {}:14 or {}:reader.cuh:14",
                                   word, kind, kind));
  }
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
    every_block = 256,
    strict = 512
  };
  struct Exclusion {
    unsigned these, those;  // sets of options: each of `these` excludes each of `those`
    const char* sentence;
  };
  static constexpr Exclusion exclusions[] = {
      {every_block, plain | inspect | cuda,
       "--every-block looks for races, which --plain, --inspect and --device cuda do not; leave it out"},
      {strict, plain | inspect | cuda,
       "--strict looks for memory that is never freed, which --plain, --inspect and --device cuda do not; leave it out"},
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
                                           {every_block, options.checks_every_block},
                                           {strict, options.is_strict}};
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
