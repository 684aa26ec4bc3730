#include "run/doctor.hpp"

#include <fmt/core.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"

namespace gpulab {
namespace {

std::string text_of(const Diagnosis& diagnosis, const TextStyle& style) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    const std::string mark =
        finding.found ? painted("ok      ", Ink::green, style) : painted("missing ", Ink::yellow, style);
    text += fmt::format("{}{}: {}\n", mark, finding.what, finding.detail);
    if (!finding.mend.empty()) text += fmt::format("        to mend it: {}\n", finding.mend);
  }
  text += fmt::format("\nlessons can run on {}\n",
                      diagnosis.can_use_gpu ? diagnosis.can_simulate ? "the GPU and the simulator" : "the GPU"
                      : diagnosis.can_simulate ? "the simulator"
                                               : "nothing yet: mend one of the above");
  return text;
}

}  // namespace

void add_doctor(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("doctor", "what is missing on this machine, and the command that mends it");
  command->callback([&context] {
    context.action = [] {
      const Diagnosis diagnosis = examine_machine();
      Output({}).write(text_of(diagnosis, style_of_stdout()));
      return diagnosis.can_simulate || diagnosis.can_use_gpu ? ExitCode::ok : ExitCode::device;
    };
  });
}

}  // namespace gpulab
