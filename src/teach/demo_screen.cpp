#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "base/lists.hpp"
#include "source/diff.hpp"
#include "teach/demo.hpp"

namespace gpulab::teach {
namespace {

// Returns a row with one text at the left and the other, cut if there is little room, at the right.
std::string at_both_ends(const std::string& left, const std::string& right, std::size_t width) {
  const std::size_t room = width - std::min(width, display_width(left) + 2);
  const std::string shown = cut(right, room);
  if (shown.empty()) return cut(left, width);
  return cut(left, width) + std::string(room - display_width(shown) + 2, ' ') + shown;
}

// Returns a rule with a title at its left and, if there is another text, that at its right.
std::string rule_with(const std::string& title, const std::string& right, std::size_t width) {
  const std::string left = title.empty() ? "" : cut(title, width) + " ";
  const std::string end = right.empty() ? "" : " " + right;
  const std::size_t used = display_width(left) + display_width(end);
  return cut(left + std::string(width - std::min(width, used), '-') + end, width);
}

std::string heading(const DemoScene& scene, std::size_t width) {
  const std::string& name = scene.current().name;
  const std::string step =
      fmt::format("{}   step {} of {}", scene.demo->lesson, scene.step + 1, scene.demo->steps.size());
  const std::string named = step + (name.empty() ? "" : ": " + name);
  const auto up_to = [&](char end) { return scene.problem.substr(0, scene.problem.find(end)); };
  const auto fit = [&](const std::string& left, const std::string& right) {
    return display_width(left) + 2 + display_width(right) <= width;
  };
  for (const std::string& words : {scene.problem, up_to(';')})
    if (fit(named, words)) return at_both_ends(named, words, width);
  const std::string problem = up_to(',');
  return at_both_ends(fit(named, problem) ? named : step, problem,
                      width);  // the last rows name the step, too
}

// Returns as many steps around this one as fit.
std::string steps_bar(const DemoScene& scene, std::size_t width) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scene.demo->steps.size(); ++i) {
    const std::string& step_name = scene.demo->steps[i].name;
    const std::string name = std::to_string(i + 1) + (step_name.empty() ? "" : " " + step_name);
    names.push_back(i == scene.step ? "[" + name + "]" : name);
  }
  std::size_t first = scene.step, last = scene.step;
  const auto bar = [&](std::size_t from, std::size_t to) {
    std::string text = from > 0 ? "...  " : "";
    for (std::size_t i = from; i <= to; ++i) text += (i > from ? "  " : "") + names[i];
    return text + (to + 1 < names.size() ? "  ..." : "");
  };
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    if (last + 1 < names.size() && display_width(bar(first, last + 1)) <= width) ++last, has_grown = true;
    if (first > 0 && display_width(bar(first - 1, last)) <= width) --first, has_grown = true;
  }
  return cut(bar(first, last), width);
}

std::string keys_bar(const DemoScene& scene) {
  const auto& question = scene.current().question;
  const std::string vote =
      question && !scene.reveal ? fmt::format("  1-{} vote", question->choices.size()) : "";
  const bool runs = !scene.reveal && (question || !scene.current().run.empty());
  const std::string next = runs ? "space run" : "space next";
  return fmt::format("{}  b back{}{}  e edit  d diff  s source  r run  ? keys  q quit", next, vote,
                     scene.reveal ? "  t table" : "");
}

// Returns the last two rows; a long message takes the place of the names of steps.
std::vector<std::string> last_rows(const DemoScene& scene, std::size_t width) {
  std::vector<std::string> message = wrapped(scene.message, width, 0);
  for (std::size_t i = 2; i < message.size(); ++i) message[1] += " " + message[i];
  if (message.size() >= 2) return {message[0], cut(message[1], width)};
  return {steps_bar(scene, width), message.empty() ? cut(keys_bar(scene), width) : message[0]};
}

// Returns the name of the source, and what its marks mean.
std::pair<std::string, std::string> source_heading(const DemoScene& scene, std::size_t width, bool is_part) {
  std::string source = scene.source + (is_part ? " (part; s: all)" : ""), marks;
  for (const auto& [mark, word] : {std::pair('~', "changed"), std::pair('+', "new"), std::pair('-', "gone")})
    if (contains(scene.lines, mark, &DemoLine::mark))
      marks += fmt::format("{}{} {}", marks.empty() ? "" : "  ", mark, word);
  const std::string since =
      marks.empty() || scene.compared_with.empty() ? "" : " since " + scene.compared_with;
  const auto fits = [&] { return display_width(source + "  " + marks + since) <= width; };
  if (is_part && !fits()) source = scene.source + " (part)";
  return {source, fits() ? marks + since : marks};
}

std::size_t rows_of_whole_source(const DemoScene& scene, std::size_t width) {
  return demo_source_rows(scene.lines, width, std::numeric_limits<std::size_t>::max()).size();
}

ScreenLines source_rows(const DemoScene& scene, std::size_t width, std::size_t rows) {
  ScreenLines lines;
  const SourceCut cut = scene.hides_mistake               ? SourceCut::points_at_nothing
                        : scene.current().mistake.empty() ? SourceCut::around_what_matters
                                                          : SourceCut::around_a_mistake;
  for (std::string& row : demo_source_rows(scene.lines, width, rows, cut)) {
    const char mark = row.size() > 5 ? row[5] : ' ';  // after the number and a blank
    const Ink ink = mark == '+' || mark == '~' ? Ink::green : mark == '-' ? Ink::red : Ink::plain;
    lines.push_back({std::move(row), ink});
  }
  return lines;
}

// Returns the rows of the source below its heading.
ScreenLines source_block(const DemoScene& scene, std::size_t width, std::size_t rows) {
  if (scene.lines.empty() || rows < 2) return {};
  const auto [source, marks] = source_heading(scene, width, rows_of_whole_source(scene, width) > rows - 1);
  ScreenLines lines = source_rows(scene, width, rows - 1);
  lines.insert(lines.begin(), {at_both_ends(source, marks, width)});
  return lines;
}

// Returns how many rows such lines take, with the gaps between them.
template <typename IsCounted>
std::size_t rows_of_lines(const DemoScene& scene, std::size_t width, const IsCounted& is_counted) {
  std::size_t rows = 0, last = 0;
  for (std::size_t i = 0; i < scene.lines.size(); ++i) {
    const DemoLine& line = scene.lines[i];
    if (!is_counted(line)) continue;
    if (rows > 0 && i > last + 1) ++rows;
    rows += demo_source_rows({line}, width, scene.lines.size()).size();
    last = i;
  }
  return rows;
}

using Part = ScreenLine::Part;

std::size_t rows_needed(const ScreenLines& lines) {
  return lines.size() - std::ranges::count(lines, "", &ScreenLine::text);
}

// Returns the number of rows of the lines before that part, without empty lines, the question and choices
// that may be left out.
std::size_t rows_before(const ScreenLines& lines, Part part) {
  return std::ranges::count_if(lines, [&](const ScreenLine& line) {
    return !line.text.empty() && line.part != Part::question && line.part != Part::spare_choice &&
           line.part < part;
  });
}

// Returns the rows of the longest reason for what most have chosen; 0 if there is none.
std::size_t rows_of_a_reason(const ScreenLines& lines) {
  unsigned most_votes = 0;
  std::size_t longest = 0, rows = 0;
  for (const ScreenLine& line : lines) {
    if (line.part != Part::about_a_choice && line.part != Part::more_about_a_choice) continue;
    if (line.votes > most_votes) longest = 0;
    most_votes = std::max(most_votes, line.votes);
    rows = line.part == Part::about_a_choice ? 1 : rows + 1;
    if (line.votes == most_votes) longest = std::max(longest, rows);
  }
  return longest;
}

// Drops the reason that is about the choice with the fewest votes; returns whether there was one.
bool drop_reason_with_fewest_votes(ScreenLines& lines) {
  const ScreenLine* fewest = nullptr;
  for (const ScreenLine& line : lines)
    if (line.part == Part::about_a_choice && (!fewest || line.votes <= fewest->votes)) fewest = &line;
  if (!fewest) return false;
  const auto first = lines.begin() + (fewest - lines.data());
  lines.erase(first, std::find_if(first + 1, lines.end(), [](const ScreenLine& line) {
                return line.part != Part::more_about_a_choice;
              }));
  return true;
}

// Cuts the lines to this number of rows; returns whether any text was lost. Empty lines are dropped first,
// then a table of right variants alone, tables from their end, the question, wrong choices without votes,
// reasons, and last the choices.
bool cut_to(ScreenLines& lines, std::size_t rows) {
  if (lines.size() > rows) std::erase_if(lines, [](const ScreenLine& line) { return line.text.empty(); });
  if (lines.size() <= rows) return false;
  std::erase_if(lines, [](const ScreenLine& line) { return line.part == Part::spare_table; });
  while (lines.size() > rows && lines.back().part >= Part::result) lines.pop_back();
  if (!lines.empty() && lines.back().part == Part::head_of_table) lines.pop_back();
  const auto drop = [&](Part part) {
    const bool is_answered = contains(lines, Part::verdict, &ScreenLine::part);
    if (lines.size() > rows && is_answered)
      std::erase_if(lines, [&](const auto& line) { return line.part == part; });
  };
  drop(Part::question);
  drop(Part::spare_choice);
  while (lines.size() > rows && drop_reason_with_fewest_votes(lines)) {
  }
  drop(Part::choice);
  lines.resize(std::min(lines.size(), rows));
  return true;
}

// Returns what t shows besides these lines: reasons against choices, and what was cut.
std::string left_for_table(const DemoScene& scene, const ScreenLines& said, bool is_cut) {
  std::string why_not;
  for (std::size_t i = 0; scene.reveal && scene.reveal->choice && i < scene.votes.size(); ++i) {
    const bool is_said = contains(said, i, &ScreenLine::choice);
    const bool has_reason = !scene.is_edited && !reason_against(scene, i).empty();
    if (i != scene.reveal->choice && has_reason && !is_said)
      why_not += fmt::format("{}{}", why_not.empty() ? "why not " : ", ", i + 1);
  }
  return (is_cut ? why_not.empty() ? "the rest" : "the rest, and " : "") + why_not;
}

// Part of the screen between the two bars, the upper bar, and what the lower bar says of the rest.
struct Middle {
  std::string rule;
  std::vector<std::string> lines;
  std::string left_for_table;
};

// Takes a question of one row out of the lines: it then stands in the rule above them.
std::string take_question(ScreenLines& said) {
  const bool is_one_row =
      std::ranges::count(said, Part::question, &ScreenLine::part) == 1 && said.front().part == Part::question;
  if (!is_one_row) return "";
  const std::string question = said.front().text;
  said.erase(said.begin());
  return question;
}

// Returns the rows that the source has before the tables of a run. A class that has voted on a mistake sees
// as much of it as before.
std::size_t min_source_rows(const DemoScene& scene) {
  return scene.reveal && scene.reveal->check && !scene.is_edited ? 13 : 6;
}

Middle stacked(const DemoScene& scene, const TextStyle& style, std::size_t rows) {
  const std::size_t width = style.width, all = rows_of_whole_source(scene, width);
  const std::size_t rule = scene.lines.empty() ? 0 : 1;
  std::size_t kept_for_source = std::min(all, min_source_rows(scene));
  constexpr std::size_t few_rows = 16;
  ScreenLines said = question_and_answer(scene, width, rows < few_rows ? Space::scarce : Space::ample);
  const std::size_t wanted_for_source = scene.reveal ? kept_for_source : all;
  if (rows >= few_rows && rows_needed(said) + wanted_for_source + rule > rows)
    said = question_and_answer(scene, width, Space::tight);
  const std::string question = rule > 0 ? take_question(said) : "";
  if (scene.reveal) {
    const auto rows_left_by = [&](Part part) {
      return rows - std::min(rows, rows_before(said, part) + rule);
    };
    const std::size_t before_reasons = rows_left_by(Part::about_a_choice);
    // A class can check no answer without the lines that it names and those of a mistake that differ, or of a
    // sheet that there are to look at: they stay before any reason. Others stay after all reasons; in a demo
    // of right kernels, after one reason.
    const bool is_mistake = !scene.current().mistake.empty(), is_sheet = !scene.current().excerpt.empty();
    const auto decides = [&](const DemoLine& line) {
      return (line.is_named && line.number > 0) ||
             (is_mistake && line.matters && (is_sheet || line.mark != ' '));
    };
    const auto is_told_of = [](const DemoLine& line) {
      return line.is_named || line.matters || line.is_quoted;
    };
    const std::size_t before_others = is_mistake
                                          ? rows_left_by(Part::result)
                                          : before_reasons - std::min(before_reasons, rows_of_a_reason(said));
    const std::size_t for_changes =
        std::max(std::min(rows_of_lines(scene, width, decides), before_reasons),
                 std::min(rows_of_lines(scene, width, is_told_of), before_others));
    const std::size_t without_spare =
        rows_needed(said) - std::ranges::count(said, Part::spare_table, &ScreenLine::part);
    kept_for_source = std::max({for_changes, std::min(kept_for_source, rows_left_by(Part::result)),
                                std::min(all, rows - std::min(rows, without_spare + rule))});
    if (scene.is_edited) kept_for_source = std::min(kept_for_source, min_source_rows(scene));
  }
  const bool has_source = kept_for_source > 0 && rule > 0;
  if (said.size() + rule + all > rows)
    std::erase_if(said, [](const ScreenLine& line) { return line.text.empty(); });
  const bool is_cut = cut_to(said, rows - std::min(rows, has_source ? kept_for_source + rule : 0));
  const std::size_t source_room = has_source ? rows - said.size() - rule : 0;
  Middle middle{.rule = std::string(width, '-'), .left_for_table = left_for_table(scene, said, is_cut)};
  if (has_source) {
    const auto [name, marks] = source_heading(scene, width - 2, all > source_room);
    middle.rule = rule_with(name, marks, width);
    for (const ScreenLine& line : source_rows(scene, width, source_room))
      middle.lines.push_back(painted(line.text, line.ink, style));
    middle.lines.push_back(rule_with(question, "", width));
  }
  for (const ScreenLine& line : said) middle.lines.push_back(painted(line.text, line.ink, style));
  return middle;
}

// Returns half of the screen, or more if lines are long.
std::size_t width_of_source(const DemoScene& scene, std::size_t width) {
  constexpr std::size_t min_width_beside = 46, margin = 8;
  std::size_t longest = 0;
  for (const DemoLine& line : scene.lines) longest = std::max(longest, display_width(line.text) + margin);
  return std::clamp(longest, width / 2, width - min_width_beside);
}

Middle side_by_side(const DemoScene& scene, const TextStyle& style, std::size_t rows) {
  constexpr std::size_t gutter = 3;
  const std::size_t left = scene.lines.empty() ? 0 : width_of_source(scene, style.width - gutter);
  const std::size_t right = style.width - (left > 0 ? left + gutter : 0);
  ScreenLines said = question_and_answer(scene, right);
  const bool is_cut = cut_to(said, rows);
  const ScreenLines source = source_block(scene, left, rows);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::max(source.size(), said.size()); ++i) {
    const ScreenLine beside = i < source.size() ? source[i] : ScreenLine{};
    std::string line;
    if (left > 0) {
      const std::string space(left - std::min(left, display_width(beside.text)), ' ');
      line = painted(beside.text, beside.ink, style) + space + " | ";
    }
    if (i < said.size()) line += painted(said[i].text, said[i].ink, style);
    lines.push_back(std::move(line));
  }
  return {std::string(style.width, '-'), std::move(lines), left_for_table(scene, said, is_cut)};
}

// Draws a rule that says how many have voted, before the reveal, and what t shows besides. The votes of
// each choice are not shown before, since people who see others' votes vote the same.
std::string lower_rule(const DemoScene& scene, const std::string& left_for_table, std::size_t width) {
  std::string remarks;
  if (!scene.reveal && votes_of(scene) > 0) remarks = fmt::format("{} voted ", votes_of(scene));
  if (!left_for_table.empty()) remarks += "... t shows " + left_for_table + " ";
  return cut(remarks + std::string(width - std::min(width, remarks.size()), '-'), width);
}

// Returns a line about a step, for the instructor: its question, its text or, since all mistakes have the
// same question, what is wrong.
std::string what_is_in(const DemoStep& step) {
  if (!step.question || step.mistake.empty()) return step.question ? step.question->text : step.text;
  const std::optional<std::size_t> answer = choice_of(*step.question, step.pattern);
  return answer ? step.question->choices[*answer].text : step.pattern;
}

}  // namespace

std::vector<std::string> demo_screen(const DemoScene& scene, const TextStyle& style, std::size_t rows) {
  constexpr std::size_t other_rows = 5;  // a heading, two rules and the last two rows
  const std::size_t room = rows - std::min(rows, other_rows);
  Middle middle = style.width >= source::width_of_two_columns ? side_by_side(scene, style, room)
                                                              : stacked(scene, style, room);
  middle.lines.resize(room);
  std::vector<std::string> lines = {painted(heading(scene, style.width), Ink::bold, style), middle.rule};
  append(lines, middle.lines);
  lines.push_back(lower_rule(scene, middle.left_for_table, style.width));
  append(lines, last_rows(scene, style.width));
  return lines;
}

std::string demo_text(const DemoScene& scene, const TextStyle& style, Tables tables) {
  constexpr std::size_t everything = 1'000'000;
  std::string text;
  const auto add_all = [&](const ScreenLines& lines) {
    for (const ScreenLine& line : lines) text += painted(line.text, line.ink, style) + "\n";
  };
  if (!scene.reveal) {
    text += painted(heading(scene, style.width), Ink::bold, style) + "\n\n";
    add_all(source_block(scene, style.width, everything));
    if (!scene.lines.empty()) text += "\n";
    add_all(question_and_answer(scene, style.width));
    return text + "\n";
  }
  add_all(demo_answer(scene, style.width, tables));
  const DemoStep& step = scene.current();
  if (!step.mistake.empty()) {
    // The class has seen no marks so far.
    DemoScene changed = scene;
    std::erase_if(changed.lines, [](const DemoLine& line) { return line.mark == ' '; });
    if (!changed.lines.empty()) text += "\n";
    add_all(source_block(changed, style.width, everything));
  }
  const bool can_be_typed = step.mistake.empty() && step.edits.empty() && !scene.is_edited &&
                            !step.run.empty() && scene.text_is_for.empty();
  if (!can_be_typed || step.run.front() == "solution") return text + "\n";
  const bool is_simulated = scene.reveal->result && scene.reveal->result->simulated();
  const std::string& typed = is_simulated && !step.simulated_with.empty() ? step.simulated_with : step.with;
  const std::string command =
      fmt::format("again: gpulab {} --variant {}{}", scene.demo->lesson, fmt::join(step.run, " --variant "),
                  typed.empty() ? "" : " " + typed);
  return text + fmt::format("\n{}\n\n", fmt::join(wrapped(command, style.width - 2, 2), " \\\n"));
}

std::string name_of(const DemoStep& step) {
  return step.mistake.empty() ? step.name : step.question->answer.variants.front();
}

std::string demo_steps_text(const Demo& demo, const TextStyle& style) {
  std::size_t widest = 0;
  for (const DemoStep& step : demo.steps) widest = std::max(widest, display_width(name_of(step)));
  std::string text;
  double minutes = 0, minutes_of_main = 0;
  for (std::size_t i = 0; i < demo.steps.size(); ++i) {
    const DemoStep& step = demo.steps[i];
    if (i > 0 && !step.is_main && demo.steps[i - 1].is_main) text += "with --all:\n";
    const std::string name = name_of(step) + std::string(widest - display_width(name_of(step)), ' ');
    for (const std::string& line :
         wrapped(fmt::format("{:>2}  {}  {}", i + 1, name, what_is_in(step)), style.width, widest + 6))
      text += line + "\n";
    minutes += step.minutes;
    if (step.is_main) minutes_of_main += step.minutes;
  }
  if (minutes > 0) text += fmt::format("about {:g} minutes", minutes_of_main);
  if (minutes_of_main < minutes) text += fmt::format(", with --all {:g}", minutes);
  return minutes > 0 ? text + "\n" : text;
}

std::string demo_notes(const Demo& demo, std::size_t index, const DemoReveal* reveal, bool is_edited) {
  const DemoStep& step = demo.steps[index];
  std::string text =
      fmt::format("== {}, step {} of {}: {}", demo.lesson, index + 1, demo.steps.size(), name_of(step));
  if (step.minutes > 0) text += fmt::format(" ({:g} minutes)", step.minutes);
  text += "\n";
  const auto add_part = [&](const char* label, const std::string& part) {
    if (part.empty()) return;
    for (const std::string& line : wrapped(fmt::format("{}: {}", label, part), 76, 2)) text += line + "\n";
  };
  if (reveal) {
    add_part(is_edited ? "the answer of the edited kernel" : "the answer",
             reveal->unknown.empty() ? reveal->answer : "none here, " + reveal->unknown);
    if (reveal->choice && !is_edited) add_part("because", step.question->choices[*reveal->choice].because);
    return text + "\n";
  }
  add_part("say", step.say);
  if (step.question) {
    add_part("ask", step.question->text);
    for (const DemoChoice& choice : step.question->choices) add_part("  choice", choice.text);
  }
  add_part("expect", step.expect);
  if (!step.mistake.empty()) {
    add_part("it is", what_is_in(step));
    const std::optional<std::size_t> answer = choice_of(*step.question, step.pattern);
    if (answer) add_part("because", step.question->choices[*answer].because);
  }
  return text + "\n";
}

std::string task_text(const Exercise& exercise) {
  if (exercise.has_questions() || !exercise.starter.starts_with("// ")) return "";
  const std::string head = exercise.starter.substr(0, exercise.starter.find("\n\n"));
  return head.substr(0, head.find("\n//\n// To do")) + "\n\n";
}

std::string demo_keys_text() {
  return "space, Enter  next: run this step, then go to the next one\n"
         "b             back\n"
         "1 to 9        one more vote for that choice\n"
         "0             take the votes back\n"
         "r             run again\n"
         "+ -           twice, or half, the size; the demo's texts keep their numbers\n"
         "e             edit this kernel in $VISUAL or $EDITOR, and run it: before the\n"
         "              answer with space, after it at once\n"
         "u             undo the edits\n"
         "d             what has changed since the kernel before; of a mistake, what\n"
         "              differs from the course's kernel, which tells where it is\n"
         "s             the whole kernel, with what it uses; of a mistake, the task above\n"
         "t             the whole result\n"
         "q             quit\n";
}

}  // namespace gpulab::teach
