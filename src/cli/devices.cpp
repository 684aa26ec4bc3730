#include "run/devices.hpp"

#include "cli/command.hpp"
#include "cli/format_option.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "report/devices_json.hpp"
#include "report/devices_text.hpp"

namespace gpulab {

void add_devices(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("devices", "the GPUs of this machine and the simulator, with their figures");
  auto format = std::make_shared<std::string>();
  add_format_option(*command, *format);
  command->callback([&context, format] {
    context.action = [format] {
      const auto devices = all_devices();
      Output({}).write(*format == "json" ? devices_json(devices) : devices_text(devices, style_of_stdout()));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab
