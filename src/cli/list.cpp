#include "cli/command.hpp"
#include "cli/format_option.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "core/registry.hpp"
#include "report/catalogue_json.hpp"
#include "report/catalogue_text.hpp"

namespace gpulab {

void add_list(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("list", "the lessons and their variants, in the order of the course");
  auto format = std::make_shared<std::string>();
  add_format_option(*command, *format);
  command->callback([&context, format] {
    context.action = [format] {
      const auto lessons = all_lessons();
      Output({}).write(*format == "json" ? catalogue_json(lessons)
                                         : catalogue_text(lessons, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab
