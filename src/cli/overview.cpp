#include <fmt/core.h>

#include "base/output.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "check/explanations.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "run/devices.hpp"
#include "run/documents.hpp"
#include "run/ranks/links.hpp"

namespace gpulab::cli {
namespace {

ExitCode list_patterns(const std::string& format) {
  if (format == "json") throw UsageError("list --patterns prints text only");
  std::string text;
  for (const check::PatternGroup& group : check::pattern_groups()) {
    std::vector<Row> rows;
    for (const check::PatternHint& one : group.patterns) rows.emplace_back(one.pattern, one.hint);
    text += (text.empty() ? "" : "\n") + group.title + ":\n" + rows_text(rows);
  }
  print(text);
  return ExitCode::ok;
}

}  // namespace

void add_list(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("list", "list the lessons and their variants");
  auto format = std::make_shared<std::string>();
  auto patterns = std::make_shared<bool>(false);
  command->add_flag("--patterns", *patterns,
                    "list the patterns that check may find, in place of the lessons");
  add_format_option(*command, *format);
  command->callback([&context, format, patterns] {
    context.action = [format, patterns] {
      if (*patterns) return list_patterns(*format);
      const auto lessons = all_lessons();
      if (*format == "json")
        ReportOutput({}).write(run::catalogue_json(lessons));
      else
        print(run::catalogue_text(lessons, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

namespace {

ExitCode list_devices(const std::string& format, bool measure) {
  const auto devices = run::all_devices();
  const auto [links, all_reduce] =
      measure ? run::ranks::measured_links() : run::ranks::MeasuredLinks{run::ranks::all_links(), {}};
  if (format == "json") {
    ReportOutput({}).write(run::devices_json(devices, links, all_reduce));
    return ExitCode::ok;
  }
  const TextStyle style = style_of_stdout();
  print(run::devices_text(devices, style));
  if (!links.empty())
    print("\n" + run::ranks::links_text(links, all_reduce, style));
  else if (measure)
    print("\nthere are no two GPUs to copy between\n");
  return ExitCode::ok;
}

}  // namespace

void add_devices(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("devices", "list the GPUs, how they reach each other, and the simulator");
  auto format = std::make_shared<std::string>();
  auto measure = std::make_shared<bool>(false);
  command->add_flag("--measure", *measure, "copy between each two GPUs, and show how fast that is");
  add_format_option(*command, *format);
  command->callback([&context, format, measure] {
    context.action = [format, measure] { return list_devices(*format, *measure); };
  });
}

namespace {

std::string mark_of(const run::Finding& finding, const TextStyle& style) {
  if (finding.found) return painted("ok     ", Ink::green, style);
  return finding.is_optional ? "none   " : painted("missing", Ink::yellow, style);
}

std::string text_of(const run::Diagnosis& diagnosis, const TextStyle& style) {
  constexpr std::size_t indent = 8;
  std::string text;
  const auto add = [&](const std::string& line) {
    std::string separator = "";
    for (const std::string& part : wrapped(line, style.width - indent)) {
      text += separator + part + "\n";
      separator = std::string(indent, ' ');
    }
  };
  for (const run::Finding& finding : diagnosis.findings) {
    text += mark_of(finding, style) + " ";
    add(finding.what + ": " + finding.detail);
    if (finding.fix.empty()) continue;
    text += std::string(indent, ' ');
    add("to fix it: " + finding.fix);
  }
  text += fmt::format("\nlessons can run on {}\n",
                      diagnosis.can_use_gpu ? diagnosis.can_simulate ? "the GPU and the simulator" : "the GPU"
                      : diagnosis.can_simulate ? "the simulator"
                                               : "nothing yet: fix one of the above");
  return text;
}

}  // namespace

void add_doctor(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("doctor", "say what is missing on this machine, and how to fix it");
  command->callback([&context] {
    context.action = [] {
      const run::Diagnosis diagnosis = run::examine_machine();
      print(text_of(diagnosis, style_of_stdout()));
      return diagnosis.can_simulate || diagnosis.can_use_gpu ? ExitCode::ok : ExitCode::device;
    };
  });
}

}  // namespace gpulab::cli
