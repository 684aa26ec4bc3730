#include "cli/lesson_options.hpp"

#include <fmt/format.h>

#include "cli/format_option.hpp"
#include "cli/own_options.hpp"
#include "cli/size_text.hpp"
#include "cli/validators.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"

namespace gpulab {
namespace {

void add_where(CLI::App& command, LessonWords& words) {
  command.option_defaults()->group("Where");
  command.add_option("--device", words.device, "auto, cuda or simulator (default auto)")
      ->check(one_of({"auto", "cuda", "simulator"}))
      ->type_name("WORD");
  command.add_option("--device-index", words.device_index, "which of several GPUs; implies cuda")
      ->check(a_whole_number())
      ->type_name("N");
}

void add_how_checked(CLI::App& command, LessonWords& words) {
  command.option_defaults()->group("How it is checked and measured");
  command.add_option("--rtol", words.run.relative_tolerance, "relative tolerance (default: the lesson's)")
      ->check(a_number_from_zero())
      ->type_name("X");
  command.add_option("--atol", words.run.absolute_tolerance, "absolute tolerance (default: the lesson's)")
      ->check(a_number_from_zero())
      ->type_name("X");
  command.add_option("--time-budget", words.run.time_budget_s, "seconds for each variant (default 0.5)")
      ->check(a_number_above_zero())
      ->type_name("S");
}

void add_output(CLI::App& command, const Lesson& lesson, LessonWords& words) {
  command.option_defaults()->group("Output");
  add_format_option(command, words.format);
  command.add_option("--output", words.output, "write the result here, not to stdout")->type_name("FILE");
  if (lesson.shows.timeline)
    command.add_option("--trace", words.trace, "write the timelines here, for Perfetto or chrome://tracing")
        ->type_name("FILE");
  command.add_flag("--quiet", words.quiet, "nothing on stderr but errors");
}

}  // namespace

DeviceChoice LessonWords::device_choice() const {
  if (device == "cuda" || (device == "auto" && device_index)) return DeviceChoice::cuda;
  return device == "simulator" ? DeviceChoice::simulator : DeviceChoice::automatic;
}

void add_what_runs(CLI::App& command, const Lesson& lesson, LessonWords& words) {
  command.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->group("What runs");
  if (lesson.has_size())
    command
        .add_option("--size", words.size,
                    fmt::format("elements: 33554432, 2^25, 32Mi (default {})", lesson.default_size))
        ->type_name("N");
  for (const Option& option : lesson.options) add_own_option(command, option, words);
  command.add_option("--variant", words.run.variants, "only this one; may be given again")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  command.add_option("--block-size", words.block_size, "threads of a block (default: the variant's)")
      ->type_name("N");
  command.add_option("--seed", words.run.settings.seed, "of the random inputs (default 42)")
      ->check(a_whole_number())
      ->type_name("N");
  command.add_option("--kernels", words.run.kernels, "folder with kernel files to use instead")
      ->type_name("DIR");
}

void add_lesson_options(CLI::App& command, const Lesson& lesson, LessonWords& words) {
  add_what_runs(command, lesson, words);
  add_where(command, words);
  add_how_checked(command, words);
  add_output(command, lesson, words);
}

RunOptions run_options(const Lesson& lesson, const LessonWords& words) {
  RunOptions options = words.run;
  options.settings.size = words.size ? parse_count("--size", *words.size) : lesson.default_size;
  options.settings.options = own_option_values(lesson, words.own);
  if (words.block_size) options.block_size = parse_block_size(*words.block_size);
  if (words.run.kernels && words.run.kernels->empty())
    throw UsageError("--kernels needs the name of a folder");
  check_options(lesson, options);
  return options;
}

}  // namespace gpulab
