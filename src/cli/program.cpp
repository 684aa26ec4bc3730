#include <algorithm>
#include <chrono>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "program/process.hpp"
#include "program/source_lines.hpp"
#include "report/program.hpp"

namespace gpulab::cli {
namespace {

struct ProgramWords {
  program::BuildOptions build;
  std::string device = "simulator", sandbox = "auto", format = "text";
  bool is_plain = false, is_inspected = false;
  std::vector<std::string> arguments;
};

std::vector<std::string> arguments_behind(const std::vector<std::string>& typed) {
  const auto mark = std::ranges::find(typed, "--");
  return mark == typed.end() ? std::vector<std::string>{} : std::vector<std::string>(mark + 1, typed.end());
}

ExitCode run(const ProgramWords& words) {
  const auto begin = std::chrono::steady_clock::now();
  const ProgramWatch watch = words.is_inspected ? ProgramWatch::accesses
                             : words.is_plain   ? ProgramWatch::nothing
                                                : ProgramWatch::defects;
  const std::vector<program::SourceFile> sources = program::read_sources(words.build);
  const sandbox::Mode mode = sandbox::mode_of(words.sandbox);
  const device::Instrumentation instrumentation = words.is_inspected ? device::Instrumentation::counted
                                                  : words.is_plain   ? device::Instrumentation::none
                                                                     : device::Instrumentation::checked;
  device::CompileCache cache;
  program::CompiledProgram compiled;
  {
    Narrator narrator(false);
    narrator.progress("compiling " + sources.front().name);
    compiled = program::compile(sources, words.build, instrumentation, mode, cache);
  }
  ProgramResult result = program::run(compiled, {.watch = watch,
                                                 .name = "./" + sources.front().path.stem().string(),
                                                 .arguments = words.arguments,
                                                 .sandbox = mode});
  result.file = sources.front().name;
  result.watch = watch;
  program::find_source_lines(sources, result.report);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  tell(report::program_text(result, style_of_stdout()));
  return static_cast<ExitCode>(result.has_defect() ? 1 : result.status);
}

}  // namespace

void add_run(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("run", "run a whole CUDA program on the simulated device, watched");
  auto words = std::make_shared<ProgramWords>();
  command->add_option("file", words->build.files, "the program's files: .cu, .cpp")->required()->type_name("FILE");
  command->add_option("-I", words->build.include_folders, "a folder of the program's headers")->type_name("DIR")->allow_extra_args(false);
  command->add_option("-D", words->build.definitions, "a macro for the program")->type_name("NAME=VALUE")->allow_extra_args(false);
  command->add_flag("--plain", words->is_plain, "do not watch: as fast as the simulated device goes");
  command->add_flag("--inspect", words->is_inspected, "say what each line of each kernel asks of memory");
  add_choice(*command, "--sandbox", words->sandbox, "confine the program to its folder as far as this machine can",
             {"auto", "require", "off"});
  command->callback([&context, words] {
    words->arguments = arguments_behind(context.words);
    context.action = [words] { return run(*words); };
  });
}

}  // namespace gpulab::cli
