#include "cli/help.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/output.hpp"

namespace gpulab::cli {

const char* const what_gpulab_is =
    "gpulab teaches CUDA: it runs the lessons of a GPU workshop, checks the kernels that you write "
    "and says what is wrong with them. It needs no GPU.";

const std::vector<ExitCodeText> exit_codes = {
    {ExitCode::ok, "as expected"}, {ExitCode::wrong_result, "wrong result"},
    {ExitCode::usage, "usage"},    {ExitCode::compilation, "compilation"},
    {ExitCode::device, "device"},  {ExitCode::regression, "regression"},
};

const std::vector<std::string> command_groups = {"Lessons, in teaching order", "Learn", "Teach",
                                                 "Inspect and measure", "This machine"};

namespace {

constexpr std::size_t max_columns = 80;
constexpr std::size_t margin = 2;

std::size_t width_of_help() {
  return std::min<std::size_t>(max_columns, style_of_stdout().width);
}

}  // namespace

std::size_t width_of_names(const std::vector<Row>& rows) {
  constexpr std::size_t max_width = 24;
  std::size_t width = 0;
  for (const auto& [name, text] : rows)
    if (name.size() <= max_width) width = std::max(width, name.size());
  return width;
}

std::string rows_text(const std::vector<Row>& rows, std::size_t width_of_names) {
  const std::size_t column = margin + width_of_names + 2;
  std::string result;
  for (const auto& [name, text] : rows) {
    std::string line = std::string(margin, ' ') + name;
    for (const std::string& part : report::wrapped(text, width_of_help() - column)) {
      if (line.size() + 2 > column) result += std::exchange(line, "") + "\n";
      line.resize(column, ' ');
      result += std::exchange(line, "") + part + "\n";
    }
    if (!line.empty()) result += line + "\n";
  }
  return result;
}

namespace {

std::string wrapped_text(const std::string& text) {
  std::string result;
  for (const std::string& line : report::wrapped(text, width_of_help())) result += line + "\n";
  return result;
}

// A code and its meaning stay in one line.
std::string exit_codes_text() {
  std::string text, line = "Exit codes:";
  for (const auto& [code, meaning] : exit_codes) {
    const bool is_last = code == exit_codes.back().code;
    const std::string word = fmt::format(" {} {}{}", static_cast<int>(code), meaning, is_last ? "" : ",");
    if (line.size() + word.size() > width_of_help()) text += std::exchange(line, " ") + "\n";
    line += word;
  }
  return text + line + "\n";
}

std::string with_aliases(const CLI::App& command) {
  const std::string& title = command.get_description();
  if (command.get_aliases().empty()) return title;
  return fmt::format("{} (also: {})", title, fmt::join(command.get_aliases(), ", "));
}

// A lesson's title, or its beginning where the whole is wider than that.
std::string short_title(const std::string& title, std::size_t width) {
  return title.size() <= width ? title : title.substr(0, title.find(": "));
}

}  // namespace

std::vector<const CLI::App*> commands_in(const CLI::App& app, const std::string& group) {
  return app.get_subcommands([&](const CLI::App* command) { return command->get_group() == group; });
}

std::string first_words() {
  return wrapped_text(what_gpulab_is) + "\n" +
         rows_text({{"gpulab next", "begin the first exercise"},
                    {"gpulab first-kernel", "run the first lesson"},
                    {"gpulab list", "list all lessons"},
                    {"gpulab --help", "list all commands"}});
}

std::string overview(const CLI::App& app) {
  std::size_t names = 0;
  for (const std::string& group : command_groups)
    for (const CLI::App* command : commands_in(app, group))
      names = std::max(names, command->get_name().size());
  const std::size_t room = width_of_help() - names - margin - 2;
  std::string text = "Usage: gpulab [--version] [--no-pager] LESSON|COMMAND [--help] [options]\n";
  for (const std::string& group : command_groups) {
    text += "\n" + group + ":\n";
    for (const CLI::App* command : commands_in(app, group))
      text += fmt::format("{:{}}{:{}}  {}\n", "", margin, command->get_name(), names,
                          short_title(with_aliases(*command), room));
  }
  return text + "\n" + exit_codes_text();
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string words = option.get_type_name();
  if (words.find('|') == std::string::npos) return {};
  return CLI::detail::split(words, '|');
}

std::string spelling_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) names += "--" + name;
  if (option.get_items_expected_max() == 0) return names;
  return names + " " + (choices_of(option).empty() ? option.get_type_name() : "WORD");
}

std::string meaning_of(const CLI::Option& option) {
  std::vector<std::string> choices = choices_of(option);
  if (choices.empty()) return option.get_description();
  if (!option.get_required()) choices.front() += " (default)";
  return fmt::format("{}: {}", option.get_description(), fmt::join(choices, ", "));
}

namespace {

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::Option*> options_in(const CLI::App& command, const std::string& group) {
  return command.get_options([&](const CLI::Option* option) {
    return option->nonpositional() && option->get_group() == group && !group.empty();
  });
}

std::vector<Row> argument_rows(const CLI::App& command) {
  std::vector<Row> rows;
  for (const CLI::Option* argument : arguments_of(command))
    rows.emplace_back(argument->get_type_name(), meaning_of(*argument));
  return rows;
}

std::vector<Row> option_rows(const CLI::App& command, const std::string& group) {
  std::vector<Row> rows;
  for (const CLI::Option* option : options_in(command, group))
    rows.emplace_back(spelling_of(*option), meaning_of(*option));
  return rows;
}

}  // namespace

std::string usage_of(const CLI::App& command) {
  std::string text = "gpulab " + command.get_name();
  for (const CLI::Option* argument : arguments_of(command)) {
    const bool may_repeat = argument->get_items_expected_max() > 1;
    const std::string name = argument->get_type_name() + (may_repeat ? "..." : "");
    text += argument->get_required() ? " " + name : " [" + name + "]";
  }
  return text + " [options]";
}

std::string help_of(const CLI::App& command) {
  std::vector<std::pair<std::string, std::vector<Row>>> lists{{"Arguments", argument_rows(command)}};
  for (const std::string& group : command.get_groups())
    lists.emplace_back(group, option_rows(command, group));
  std::size_t width = 0;  // the same for all, so that everything is in one column
  for (const auto& [title, rows] : lists) width = std::max(width, width_of_names(rows));
  std::string text =
      wrapped_text(capitalised(with_aliases(command))) + "\nUsage: " + usage_of(command) + "\n";
  for (const auto& [title, rows] : lists)
    if (!rows.empty()) text += "\n" + title + ":\n" + rows_text(rows, width);
  const std::string footer = command.get_footer();
  return footer.empty() ? text : text + "\n" + wrapped_text(footer);
}

std::string about(const Lesson& lesson) {
  std::vector<Row> variants;
  for (const Variant& variant : lesson.variants) variants.emplace_back(variant.name, variant.idea);
  std::string text = lesson.text;
  while (text.ends_with('\n')) text.pop_back();
  return fmt::format("{}\n\nVariants:\n{}\nIn the course: {}, beside episode {}", text, rows_text(variants),
                     lesson.page, lesson.place.episode);
}

}  // namespace gpulab::cli
