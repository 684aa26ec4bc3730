#include "cli/command.hpp"
#include "cli/format_option.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "exercise/progress_file.hpp"
#include "report/progress_json.hpp"
#include "report/progress_text.hpp"

namespace gpulab {

void add_progress(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("progress", "the exercises, and how far you are in this folder");
  auto format = std::make_shared<std::string>();
  add_format_option(*command, *format);
  command->callback([&context, format] {
    context.action = [format] {
      const auto all = standings(ProgressFile(".").read());
      Output({}).write(*format == "json" ? progress_json(all) : progress_text(all, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab
