#include <poll.h>
#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/terminal_keys.hpp"
#include "cli/terminal_screen.hpp"
#include "learn/sharing.hpp"
#include "learn/watched_files.hpp"
#include "report/class_formats.hpp"

namespace gpulab::cli {
namespace {

namespace fs = std::filesystem;

struct ClassWords {
  fs::path folder;
  std::string format;
};

std::vector<std::string> lines_for(const fs::path& folder, const ScreenSize& size) {
  report::TextStyle style = style_of_stdout();
  style.width = size.columns;
  // The last row says what q does.
  std::vector<std::string> lines = report::class_lines(learn::class_in(folder), style, size.rows - 1);
  lines.resize(size.rows);
  lines.back() = report::painted("q quits; drawn anew with each check", report::Ink::faint, style);
  return lines;
}

// Minutes go by also where nothing is saved, and a network file system may give no alarm.
void show_live(const fs::path& folder) {
  constexpr int look_every_ms = 2000;
  TerminalKeys keys;
  TerminalScreen screen;
  const learn::FolderEvents events({folder});
  for (;;) {
    screen.show(lines_for(folder, screen.size()));
    pollfd sources[] = {{.fd = keys.descriptor(), .events = POLLIN, .revents = 0},
                        {.fd = events.descriptor(), .events = POLLIN, .revents = 0}};
    ::poll(sources, std::size(sources), look_every_ms);
    const std::string pressed = keys.read();
    if (pressed.find_first_of("q\004") != std::string::npos) return;
    if (sources[1].revents != 0) events.wait_until_quiet();
  }
}

ExitCode show(const ClassWords& words) {
  const ClassResult result =
      learn::class_in(words.folder);  // refuses what is no folder before a screen is drawn
  if (words.format == "json") {
    Output({}).write(report::class_json(result));
  } else if (TerminalScreen::is_possible()) {
    show_live(words.folder);
  } else {
    std::string text;
    for (const std::string& line : report::class_lines(result, style_of_stdout(), SIZE_MAX))
      text += line + "\n";
    Output({}).write(text);
  }
  return ExitCode::ok;
}

}  // namespace

void add_class(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("class", "show who is where, of those who share their progress");
  auto words = std::make_shared<ClassWords>();
  command->add_option("folder", words->folder, "that the class shares: gpulab progress --share DIR")
      ->required()
      ->type_name("DIR");
  add_format_option(*command, words->format);
  command->callback([&context, words] { context.action = [words] { return show(*words); }; });
}

}  // namespace gpulab::cli
