#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <string_view>

#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/run_facts.hpp"

// Two hidden commands for script/install: they print what a shell and man(1) have to know of all others.

namespace gpulab::cli {
namespace {

struct Entry {
  const char *name, *text;
};

constexpr Entry environment[] = {
    {"GPULAB_CXX", "the C++ compiler for the simulator (default: g++, else clang++)"},
    {"GPULAB_TIME_LIMIT",
     "seconds after which the simulator stops a kernel in which no thread returns (default 60)"},
    {"GPULAB_PAGER, PAGER",
     "the pager for long output on a terminal (default: less -FRX); cat or nothing for none"},
    {"XDG_CACHE_HOME", "compiled kernels are kept in $XDG_CACHE_HOME/gpulab (default: ~/.cache/gpulab)"},
    {"COLUMNS", "the width of text if stdout is not a terminal (default 120)"},
    {"NO_COLOR", "if it is set, there are no colours"},
};

constexpr Entry files[] = {
    {"gpulab-progress.txt", "in a folder with exercises: which have passed"},
    {"~/.cache/gpulab", "compiled kernels, and what editors read"},
};

// As roff has it: a hyphen that can be copied, and no line that begins like a request.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool starts_line = result.empty() || result.back() == '\n';
    if (starts_line && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\')
      result += "\\e";
    else if (letter == '-')
      result += "\\-";
    else
      result += letter;
  }
  return result;
}

std::string entry(const std::string& name, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(name), escaped(text.empty() ? "-" : text));
}

std::string section(const std::string& title) {
  return ".SH " + title + "\n";
}

template <class Wanted>
std::string options_text(const CLI::App& command, Wanted wanted) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional() && !option->get_group().empty() && option != command.get_help_ptr() &&
        wanted(*option))
      text += entry(spelling_of(*option), meaning_of(*option));
  return text;
}

std::string indented(const std::string& text) {
  return text.empty() ? "" : ".RS\n" + text + ".RE\n";
}

// The options that most lessons have, each with its description if that is the same everywhere.
class CommonOptions {
 public:
  explicit CommonOptions(const std::vector<const CLI::App*>& lessons) : lessons_(lessons) {
    for (const CLI::App* lesson : lessons)
      for (const CLI::Option* option : lesson->get_options()) ++lessons_with_[option->get_name()];
  }

  bool has(const CLI::Option& option) const {
    return lessons_with_.at(option.get_name()) * 2 > lessons_.size();
  }

  // The first lesson is as simple as they come: it has no options of its own.
  std::string text() const {
    return options_text(*lessons_.front(), [&](const CLI::Option& option) { return has(option); });
  }

 private:
  const std::vector<const CLI::App*>& lessons_;
  std::map<std::string, std::size_t> lessons_with_;
};

std::string man_page(const CLI::App& app) {
  const std::vector<const CLI::App*> lessons = commands_in(app, command_groups.front());
  const CommonOptions common(lessons);
  std::string text =
      fmt::format(".TH GPULAB 1 \"\" \"gpulab {}\" \"User Commands\"\n", build_facts().version);
  text += section("NAME") + "gpulab \\- CUDA lessons and exercises, on a GPU or on a simulator\n";
  text += section("SYNOPSIS") +
          ".B gpulab\n.I LESSON\n[options]\n.br\n.B gpulab\n.I COMMAND\n[arguments] [options]\n";
  text += section("DESCRIPTION") + escaped(what_gpulab_is) + "\n.PP\n" +
          escaped("Begin with gpulab next. Each lesson and command has --help.") + "\n";
  text += section("LESSONS");
  for (const CLI::App* lesson : lessons)
    text += entry(fmt::format("{}", fmt::join(
                                        [&] {
                                          std::vector<std::string> names = lesson->get_aliases();
                                          names.insert(names.begin(), lesson->get_name());
                                          return names;
                                        }(),
                                        ", ")),
                  lesson->get_description()) +
            indented(options_text(*lesson, [&](const CLI::Option& option) { return !common.has(option); }));
  text += section("OPTIONS OF EVERY LESSON") + common.text();
  text += section("COMMANDS");
  for (auto group = command_groups.begin() + 1; group != command_groups.end(); ++group) {
    text += ".SS " + *group + "\n";
    for (const CLI::App* command : commands_in(app, *group))
      text += entry(usage_of(*command), command->get_description()) +
              indented(options_text(*command, [](const CLI::Option&) { return true; }));
  }
  text += section("EXIT STATUS");
  for (const auto& [code, meaning] : exit_codes)
    text += entry(std::to_string(static_cast<int>(code)), meaning);
  text += section("ENVIRONMENT");
  for (const auto& [name, meaning] : environment) text += entry(name, meaning);
  text += section("FILES");
  for (const auto& [name, meaning] : files) text += entry(name, meaning);
  return text;
}

}  // namespace

void add_completions(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("completions", "print what a shell needs to complete gpulab's commands");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "which shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
  command->callback([&context, shell] {
    context.action = [shell] {
      Output({}).write(completion_script(*shell));
      return ExitCode::ok;
    };
  });
}

void add_man_page(CLI::App& app, CommandContext& context) {
  app.add_subcommand("man-page", "print the man page")->callback([&app, &context] {
    context.action = [&app] {
      Output({}).write(man_page(app));
      return ExitCode::ok;
    };
  });
}

}  // namespace gpulab::cli
