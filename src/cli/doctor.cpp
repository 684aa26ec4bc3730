#include "run/doctor.hpp"

#include <fmt/core.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "report/text_layout.hpp"

namespace gpulab {
namespace {

std::string mark_of(const Finding& finding, const TextStyle& style) {
  if (finding.found) return painted("ok     ", Ink::green, style);
  return finding.is_optional ? "none   " : painted("missing", Ink::yellow, style);
}

std::string text_of(const Diagnosis& diagnosis, const TextStyle& style) {
  constexpr std::size_t indent = 8;
  std::string text;
  const auto add = [&](const std::string& line) {
    std::string separator = "";
    for (const std::string& part : wrapped(line, style.width - indent)) {
      text += separator + part + "\n";
      separator = std::string(indent, ' ');
    }
  };
  for (const Finding& finding : diagnosis.findings) {
    text += mark_of(finding, style) + " ";
    add(finding.what + ": " + finding.detail);
    if (finding.mend.empty()) continue;
    text += std::string(indent, ' ');
    add("to mend it: " + finding.mend);
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
