#include <fmt/core.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/registry.hpp"
#include "report/catalogue.hpp"
#include "report/layout.hpp"
#include "run/devices.hpp"
#include "run/doctor.hpp"

namespace gpulab::cli {

void add_list(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("list", "the lessons and their variants, in the order of the course");
  auto format = std::make_shared<std::string>();
  add_format_option(*command, *format);
  command->callback([&context, format] {
    context.action = [format] {
      const auto lessons = all_lessons();
      Output({}).write(*format == "json" ? report::catalogue_json(lessons)
                                         : report::catalogue_text(lessons, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

void add_devices(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("devices", "the GPUs of this machine and the simulator, with their figures");
  auto format = std::make_shared<std::string>();
  add_format_option(*command, *format);
  command->callback([&context, format] {
    context.action = [format] {
      const auto devices = run::all_devices();
      Output({}).write(*format == "json" ? report::devices_json(devices)
                                         : report::devices_text(devices, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

namespace {

std::string mark_of(const run::Finding& finding, const report::TextStyle& style) {
  if (finding.found) return report::painted("ok     ", report::Ink::green, style);
  return finding.is_optional ? "none   " : report::painted("missing", report::Ink::yellow, style);
}

std::string text_of(const run::Diagnosis& diagnosis, const report::TextStyle& style) {
  constexpr std::size_t indent = 8;
  std::string text;
  const auto add = [&](const std::string& line) {
    std::string separator = "";
    for (const std::string& part : report::wrapped(line, style.width - indent)) {
      text += separator + part + "\n";
      separator = std::string(indent, ' ');
    }
  };
  for (const run::Finding& finding : diagnosis.findings) {
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
      const run::Diagnosis diagnosis = run::examine_machine();
      Output({}).write(text_of(diagnosis, style_of_stdout()));
      return diagnosis.can_simulate || diagnosis.can_use_gpu ? ExitCode::ok : ExitCode::device;
    };
  });
}

}  // namespace gpulab::cli
