#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "base/lists.hpp"
#include "base/output.hpp"
#include "base/text.hpp"
#include "check/explanations.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "estimate/gpu.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab::cli {

// Two hidden commands for script/install: they print the man page, and the completions of shells.

namespace {

struct Entry {
  const char *name, *text;
};

constexpr Entry environment[] = {
    {"GPULAB_CXX", "the C++ compiler for the simulator (default: g++, else clang++)"},
    {"GPULAB_CCCL", "the folder with Thrust's headers (default: in the CUDA Toolkit, else /usr/include)"},
    {"GPULAB_EXERCISES", "the folder with an instructor's own exercises, as --exercises"},
    {"GPULAB_TIME_LIMIT",
     "seconds after which the simulator stops a kernel in which no thread returns (default 60; 5 in a demo and with --watch)"},
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

constexpr Entry examples[] = {
    {"gpulab next", "begin the first exercise"},
    {"gpulab check first_kernel.cu", "say what is wrong with it"},
    {"gpulab histogram --size 33554432", "run a lesson"},
    {"gpulab run vector_add.cu", "run a whole CUDA program on the simulated device"},
    {"gpulab bench histogram --output base.json", "measure it"},
    {"gpulab report base.json new.json", "say what got slower; exit status 5 if something did"},
};

// Escapes text for roff, so that hyphens can be copied and no line is taken for a request.
std::string roff(std::string_view text) {
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
  return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(text.empty() ? "-" : text));
}

std::string section(const std::string& title) {
  return ".SH " + title + "\n";
}

std::string section(const std::string& title, std::span<const Entry> entries) {
  std::string text = section(title);
  for (const auto& [name, meaning] : entries) text += entry(name, meaning);
  return text;
}

// Describes the options of a command for which `wanted` is true, without hidden ones and --help.
template <class Wanted>
std::string options_text(const CLI::App& command, Wanted wanted) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (is_shown(*option) && option != command.get_help_ptr() && wanted(*option))
      text += entry(spelling_of(*option), meaning_of(*option));
  return text;
}

std::string inset(const std::string& text) {
  return text.empty() ? "" : ".RS\n" + text + ".RE\n";
}

// Options that more than half of the lessons have.
class CommonOptions {
 public:
  explicit CommonOptions(const std::vector<const CLI::App*>& lessons) : lessons_(lessons) {
    for (const CLI::App* lesson : lessons)
      for (const CLI::Option* option : lesson->get_options()) ++lessons_with_[option->get_name()];
  }

  bool has(const CLI::Option& option) const {
    return lessons_with_.at(option.get_name()) * 2 > lessons_.size();
  }

  // Describes the common options as they are in the first lesson, which has no options of its own.
  std::string text() const {
    return options_text(*lessons_.front(), [&](const CLI::Option& option) { return has(option); });
  }

 private:
  const std::vector<const CLI::App*>& lessons_;
  std::map<std::string, std::size_t> lessons_with_;  // how many lessons have an option, by its name
};

std::string name_and_aliases(const CLI::App& lesson) {
  std::vector<std::string> names = lesson.get_aliases();
  names.insert(names.begin(), lesson.get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string man_page(const CLI::App& app) {
  const std::vector<const CLI::App*> lessons = commands_in(app, command_groups.front());
  const CommonOptions common(lessons);
  std::string text =
      fmt::format(".TH GPULAB 1 \"\" \"gpulab {}\" \"User Commands\"\n", build_facts().version);
  text += section("NAME") + "gpulab \\- CUDA lessons and exercises, on a GPU or on a simulator\n";
  text += section("SYNOPSIS") +
          ".B gpulab\n.I LESSON\n[options]\n.br\n.B gpulab\n.I COMMAND\n[arguments] [options]\n";
  text += fmt::format("{}{}\n.PP\n{}\n", section("DESCRIPTION"), roff(program_description),
                      roff("Begin with gpulab next. Each lesson and command has --help."));
  text += section("LESSONS");
  for (const CLI::App* lesson : lessons)
    text += entry(name_and_aliases(*lesson), lesson->get_description()) +
            inset(options_text(*lesson, [&](const CLI::Option& option) { return !common.has(option); }));
  text += section("OPTIONS OF MOST LESSONS") + common.text();
  text += section("COMMANDS");
  for (auto group = command_groups.begin() + 1; group != command_groups.end(); ++group) {
    text += ".SS " + *group + "\n";
    for (const CLI::App* command : commands_in(app, *group))
      text += entry(usage_of(*command), command->get_description()) +
              inset(options_text(*command, [](const CLI::Option&) { return true; }));
  }
  text += section("EXAMPLES", examples) + section("EXIT STATUS");
  for (const auto& [code, meaning] : exit_codes)
    text += entry(std::to_string(static_cast<int>(code)), meaning);
  text += section("ENVIRONMENT", environment) + section("FILES", files);
  return text + section("SEE ALSO") + ".BR nvcc (1),\n.BR ncu (1),\n.BR compute\\-sanitizer (1)\n";
}

}  // namespace

void add_completions(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("completions", "print what a shell needs to complete gpulab's commands");
  auto shell = std::make_shared<std::string>();
  add_value(*command, "shell", *shell, "bash|zsh|fish", "which shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  set_action(*command, context, [shell] {
    ReportOutput({}).write(completion_script(*shell));
    return ExitCode::ok;
  });
}

void add_man_page(CLI::App& app, CommandContext& context) {
  set_action(*app.add_subcommand("man-page", "print the man page"), context, [&app] {
    ReportOutput({}).write(man_page(app));
    return ExitCode::ok;
  });
}

namespace {

constexpr std::string_view bash_script =
    R"(# Completions of gpulab for bash, by `gpulab completions bash`. The program itself says what may follow.
_gpulab() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2"); compopt -o filenames 2>/dev/null ;;
      :folders) mapfile -t COMPREPLY < <(compgen -d -- "$2"); compopt -o filenames 2>/dev/null ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("$1" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _gpulab gpulab
)";

constexpr std::string_view zsh_script = R"(#compdef gpulab
# Completions of gpulab for zsh, by `gpulab completions zsh`. The program itself says what may follow.
_gpulab() {
  local line
  local -a candidates
  for line in "${(@f)$(${words[1]} complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *$'\t'*) candidates+=("${line%%$'\t'*}:${line#*$'\t'}") ;;
      ?*) candidates+=("$line") ;;
    esac
  done
  _describe gpulab candidates
}
if [[ $funcstack[1] == _gpulab ]]; then _gpulab "$@"; else compdef _gpulab gpulab; fi
)";

constexpr std::string_view fish_script =
    R"(# Completions of gpulab for fish, by `gpulab completions fish`. The program itself says what may follow.
function __gpulab_complete
    set -l words (commandline -opc)
    for line in ($words[1] complete $words[2..-1] (commandline -ct) 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c gpulab -f -a '(__gpulab_complete)'
)";

std::vector<Candidate> lesson_candidates() {
  std::vector<Candidate> candidates;
  for (const Lesson& lesson : all_lessons()) {
    candidates.push_back({lesson.name, lesson.title});
    for (const std::string& alias : lesson.aliases) candidates.push_back({alias, lesson.title});
  }
  return candidates;
}

std::vector<Candidate> exercise_candidates() {
  std::vector<Candidate> candidates;
  for (const Exercise& exercise : all_exercises())
    candidates.push_back({exercise.name, find_lesson(exercise.lesson).title});
  return candidates;
}

// Returns the variants of the lesson that one of the words names.
std::vector<Candidate> variant_candidates(const std::vector<std::string>& words) {
  std::vector<Candidate> candidates;
  for (const Lesson& lesson : all_lessons()) {
    if (std::ranges::none_of(words, [&](const std::string& word) { return lesson.is_called(word); }))
      continue;
    for (const Variant& variant : lesson.variants) candidates.push_back({variant.name, variant.idea});
    break;
  }
  return candidates;
}

// Returns terms and patterns, each as one word of the command line.
std::vector<Candidate> term_candidates() {
  std::vector<Candidate> candidates;
  for (const check::GlossaryTerm& term : check::glossary())
    candidates.push_back({replaced(term.name, ' ', '-'), "term"});
  for (const check::PatternGroup& group : check::pattern_groups())
    for (const check::PatternHint& hint : group.patterns) candidates.push_back({hint.pattern, group.title});
  return candidates;
}

std::vector<Candidate> value_candidates(const CLI::Option& option, const std::vector<std::string>& words) {
  std::vector<Candidate> candidates;
  for (const std::string& word : choices_of(option)) candidates.push_back({word, ""});
  const std::string type = option.get_type_name();
  if (type == "LESSON") return lesson_candidates();
  if (type == "EXERCISE") return exercise_candidates();
  if (type == "VARIANT") return variant_candidates(words);
  if (type == "TERM") return term_candidates();
  if (type == "GPU")
    for (const std::string& name : estimate::gpu_names()) candidates.push_back({name, ""});
  if (type == "FILE") return {{any_file, ""}};
  if (type == "DIR") return {{any_folder, ""}};
  return candidates;
}

const CLI::Option* option_called(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options())
    if (option->check_name(word) && option->nonpositional()) return option;
  return nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool may_repeat(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
         option.get_items_expected_max() > 1;
}

std::vector<Candidate> option_candidates(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<Candidate> candidates;
  for (const CLI::Option* option : command.get_options()) {
    if (!is_shown(*option)) continue;
    for (const std::string& name : option->get_lnames()) {
      const bool is_given = contains(words, "--" + name);
      if (!is_given || may_repeat(*option)) candidates.push_back({"--" + name, option->get_description()});
    }
  }
  return candidates;
}

// Returns the argument that follows those given in the words; null if there is none.
const CLI::Option* next_argument(const CLI::App& command, const std::vector<std::string>& words) {
  std::size_t given = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const CLI::Option* option = words[i].starts_with('-') ? option_called(command, words[i]) : nullptr;
    if (option && takes_value(*option))
      ++i;
    else if (!words[i].starts_with('-'))
      ++given;
  }
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (given == 0 || option->get_items_expected_max() > 1) return option;
    --given;
  }
  return nullptr;
}

std::vector<Candidate> command_candidates(const CLI::App& app) {
  std::vector<Candidate> candidates;
  for (const std::string& group : command_groups)
    for (const CLI::App* command : commands_in(app, group)) {
      candidates.push_back({command->get_name(), command->get_description()});
      for (const std::string& alias : command->get_aliases())
        candidates.push_back({alias, command->get_description()});
    }
  return candidates;
}

std::vector<Candidate> all_candidates(const CLI::App& app, const std::vector<std::string>& words,
                                      const std::string& unfinished) {
  const bool is_option = unfinished.starts_with('-');
  if (words.empty()) return is_option ? option_candidates(app, words) : command_candidates(app);
  if (words == std::vector<std::string>{"help"}) return command_candidates(app);
  const auto found =
      app.get_subcommands([&](const CLI::App* command) { return command->check_name(words.front()); });
  if (found.empty()) return {};
  const CLI::App& command = *found.front();
  const CLI::Option* last_option = words.size() > 1 ? option_called(command, words.back()) : nullptr;
  if (last_option && takes_value(*last_option)) return value_candidates(*last_option, words);
  if (is_option) return option_candidates(command, words);
  const CLI::Option* argument = next_argument(command, words);
  return argument ? value_candidates(*argument, words) : option_candidates(command, words);
}

}  // namespace

std::vector<Candidate> candidates(const CLI::App& app, const std::vector<std::string>& words,
                                  const std::string& unfinished) {
  std::vector<Candidate> fitting = all_candidates(app, words, unfinished);
  std::erase_if(fitting, [&](const Candidate& candidate) {
    return !candidate.word.starts_with(':') && !candidate.word.starts_with(unfinished);
  });
  return fitting;
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return std::string(bash_script);
  return std::string(shell == "zsh" ? zsh_script : fish_script);
}

}  // namespace gpulab::cli
