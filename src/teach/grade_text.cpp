#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "base/lists.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "lesson/words.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {

std::string verdict_of(const GradeRow& row) {
  static constexpr Named<SubmissionState> names[] = {{SubmissionState::checked, ""},
                                                     {SubmissionState::missing, "missing"},
                                                     {SubmissionState::misnamed, "misnamed"},
                                                     {SubmissionState::empty, "empty"},
                                                     {SubmissionState::unreadable, "unreadable"},
                                                     {SubmissionState::archive, "archive"},
                                                     {SubmissionState::not_checked, "not_checked"}};
  static_assert(names_every(names, SubmissionState::not_checked));
  if (row.state != SubmissionState::checked) return std::string(name_in(names, row.state));
  return check::verdict_word(row.verdict, row.pattern);
}

bool has_passed(const GradeRow& row) {
  return row.state == SubmissionState::checked && row.verdict == Verdict::right;
}

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string points_text(double points) {
  return fmt::format("{}", std::round(100 * points) / 100);
}

std::string shown_name(const GradeResult& result, const std::string& learner) {
  const auto named = result.rules.learners.find(learner);
  return named == result.rules.learners.end() ? learner : named->second;
}

ExerciseRule rule_of(const GradeResult& result, const std::string& exercise) {
  const auto rule = std::ranges::find(result.rules.exercises, exercise, &ExerciseRule::exercise);
  return rule == result.rules.exercises.end() ? ExerciseRule{exercise} : *rule;
}

double points_of(const GradeRow& row, const ExerciseRule& rule) {
  return rule.points * (row.state == SubmissionState::checked ? row.score : 0) *
         (row.is_late ? rule.late_factor : 1);
}

namespace {

constexpr unsigned columns_of_feedback = 80;

Cell verdict_cell(const GradeRow& row) {
  const std::string words = replaced(verdict_of(row), '_', ' ');
  if (has_passed(row)) return {words, Ink::green};
  return {words, row.state == SubmissionState::checked ? Ink::red : Ink::yellow};
}

// Returns what the row's other cells do not say: the file, why it was not checked, and notes.
std::string remarks_of(const GradeRow& row) {
  std::vector<std::string> parts = row.notes;
  if (row.state != SubmissionState::checked && !row.summary.empty()) parts.insert(parts.begin(), row.summary);
  const bool has_file = !row.file.empty() && (row.state != SubmissionState::checked || !parts.empty());
  return (has_file ? row.file + (parts.empty() ? "" : ": ") : "") + fmt::format("{}", fmt::join(parts, "; "));
}

// Returns "+" for a file that has passed, "~" with a remark, "L" if it was late, "x" for one that has not
// passed, "?" for one that could not be checked, and nothing if it was not handed in.
Cell mark_of(const GradeCell& cell) {
  if (!cell.row || cell.row->state == SubmissionState::missing) return {""};
  if (has_passed(*cell.row) && !cell.row->is_late && has_remark(*cell.row)) return {"~", Ink::yellow};
  if (has_passed(*cell.row)) return cell.row->is_late ? Cell{"L", Ink::yellow} : Cell{"+", Ink::green};
  return has_points(cell) ? Cell{"x", Ink::red} : Cell{"?", Ink::yellow};
}

std::string percent_of(double part, double all) {
  return all > 0 ? fmt::format("{:.0f} %", 100 * part / all) : "";
}

// Returns "1   5    10", the numbers above marks that stand side by side.
std::string numbers_above(std::size_t exercises) {
  std::string text = "1";
  for (std::size_t number = 5; number <= exercises; number += 5)
    text += std::string(number - 1 - text.size(), ' ') + std::to_string(number);
  return text;
}

// Makes a table: a row per learner, a mark per exercise. The key below names the numbered exercises. If a
// column per exercise is too wide, the marks stand side by side in one column.
std::string matrix_text(const GradeMatrix& matrix, bool has_class, const TextStyle& style) {
  const std::size_t count = matrix.exercises.size();
  constexpr std::size_t width_of_others = 40;   // the columns of names and sums
  constexpr std::size_t last_of_one_digit = 9;  // number of an exercise
  const std::size_t second_digits = std::max(count, last_of_one_digit) - last_of_one_digit;
  const bool is_packed = width_of_others + 3 * count + second_digits > style.width;
  std::vector<Column> columns{{"learner", Align::left, 0, "", 12}};
  if (is_packed) columns.push_back({numbers_above(count)});
  for (std::size_t i = 0; i < count && !is_packed; ++i)
    columns.push_back({std::to_string(i + 1), Align::right});
  columns.insert(columns.end(), {{"passed", Align::right}, {"points", Align::right}, {"", Align::right, 1}});
  Table table(columns);
  for (const LearnerGrade& grade : matrix.learners) {
    std::vector<Cell> cells{{grade.name, Ink::bold}};
    if (is_packed) cells.emplace_back();
    for (const GradeCell& cell : grade.cells) {
      const Cell mark = mark_of(cell);
      if (is_packed)
        cells.back().text += mark.text.empty() ? " " : mark.text;
      else
        cells.push_back(mark);
    }
    cells.insert(cells.end(), {{fmt::format("{}/{}", grade.passed, count)},
                               {points_text(grade.points) + "/" + points_text(matrix.possible) +
                                (grade.unjudged > 0 ? " +" + points_text(grade.unjudged) + "?" : "")},
                               {percent_of(grade.points, matrix.possible), Ink::faint}});
    table.add(std::move(cells));
  }
  const bool has_open =
      std::ranges::any_of(matrix.learners, [](const LearnerGrade& grade) { return grade.unjudged > 0; });
  std::string key;
  for (std::size_t i = 0; i < count; ++i)
    key += fmt::format("{}{} {} {}", i == 0 ? "" : " · ", i + 1, matrix.exercises[i].exercise,
                       percent_of(matrix.means[i], 1));
  key += " · mean " + percent_of(matrix.mean, 1);
  const std::string marks = table.text(style);
  return marks + "\n" + paragraph(key, Ink::faint, style) +
         paragraph(std::string("+ passed · ") +
                       (marks.find('~') != std::string::npos ? "~ passed, with a note · " : "") +
                       (has_class ? "L passed, late · " : "") +
                       "x did not pass · ? to look at · blank: not handed in · %: of the points" +
                       (has_open ? " · +N?: up to N points more, for what is marked ?" : ""),
                   Ink::faint, style) +
         "\n";
}

std::string table_of(const GradeResult& result, const std::vector<GradeRow>& rows, const TextStyle& style) {
  Table table({{"learner", Align::left, 0, "", 12},
               {"exercise"},
               {"verdict"},
               {"pattern", Align::left, 2},
               {"line", Align::right, 3},
               {"s", Align::right, 4}});
  for (const GradeRow& row : rows) {
    std::vector<Cell> cells{{shown_name(result, row.learner), Ink::bold},
                            {row.exercise.empty() ? "?" : row.exercise},
                            verdict_cell(row)};
    if (row.state == SubmissionState::checked)
      cells.insert(cells.end(), {{row.pattern},
                                 {row.line > 0 ? std::to_string(row.line) : ""},
                                 {fmt::format("{:.1f}", row.seconds)}});
    else
      cells.resize(6);
    table.add(std::move(cells), remarks_of(row));
  }
  return table.text(style);
}

std::string equal_text(const std::vector<EqualFiles>& equal, const TextStyle& style) {
  if (equal.empty()) return "";
  std::string text = "\nEqual apart from comments, white space and names:\n";
  for (const auto& [exercise, to, learners] : equal) {
    const char* what = to == EqualFiles::To::each_other    ? "equal to each other"
                       : to == EqualFiles::To::the_starter ? "the starter"
                                                           : "the solution";
    for (const std::string& line :
         wrapped(fmt::format("{}, {}: {}", exercise, what, fmt::join(learners, ", ")), style.width - 2, 2))
      text += "  " + line + "\n";
  }
  return text;
}

// Number of cells of each kind; a learner's files for an exercise count as one cell.
struct CellCounts {
  std::size_t passed = 0, failed = 0, missing = 0, open = 0;
};

CellCounts counts_of(const GradeMatrix& matrix) {
  CellCounts counts;
  for (const LearnerGrade& grade : matrix.learners)
    for (const GradeCell& cell : grade.cells)
      if (!cell.row || cell.row->state == SubmissionState::missing)
        ++counts.missing;
      else if (!has_points(cell))
        ++counts.open;
      else
        ++(has_passed(*cell.row) ? counts.passed : counts.failed);
  return counts;
}

std::string summary(const std::vector<GradeRow>& rows, const GradeMatrix& matrix) {
  std::set<std::string> learners, exercises;
  std::map<std::string, int> patterns;
  for (const GradeRow& row : rows) {
    learners.insert(row.learner);
    if (!row.exercise.empty()) exercises.insert(row.exercise);
    if (!row.pattern.empty() && row.state == SubmissionState::checked) ++patterns[row.pattern];
  }
  const CellCounts counts = counts_of(matrix);
  const auto strays = static_cast<std::size_t>(std::ranges::count_if(rows, [&](const GradeRow& row) {
    const auto grade = std::ranges::find(matrix.learners, row.learner, &LearnerGrade::learner);
    return row.exercise.empty() && row.state != SubmissionState::missing &&
           std::ranges::none_of(grade->cells, [&](const GradeCell& cell) { return cell.row == &row; });
  }));
  std::string text =
      fmt::format("{}, {}: {} passed, {} did not, {} missing", counted(learners.size(), "learner"),
                  counted(exercises.size(), "exercise"), grouped(counts.passed), grouped(counts.failed),
                  grouped(matrix.exercises.empty() ? rows.size() - strays : counts.missing));
  if (counts.open > 0) text += fmt::format(", {} to look at", grouped(counts.open));
  if (strays > 0) text += fmt::format(", {} of no exercise", counted(strays, "file"));
  int most = 2;
  std::vector<std::string> most_frequent;
  for (const auto& [pattern, files] : patterns) {
    if (files > most) most_frequent.clear();
    most = std::max(most, files);
    if (files == most) most_frequent.push_back(pattern);
  }
  if (!most_frequent.empty())
    text += fmt::format("; most often {} ({} files{})", fmt::join(most_frequent, " and "), most,
                        most_frequent.size() > 1 ? " each" : "");
  return text;
}

// Returns the rules of the exercises that anybody has handed in or should have, in the order of class.toml
// or, without one, of the course.
std::vector<ExerciseRule> graded_exercises(const GradeResult& result) {
  std::vector<ExerciseRule> exercises;
  for (const Exercise& exercise : all_exercises()) {
    if (!contains(result.rows, exercise.name, &GradeRow::exercise)) continue;
    exercises.push_back(rule_of(result, exercise.name));
  }
  std::ranges::stable_sort(exercises, {}, [&](const ExerciseRule& rule) {
    return std::ranges::find(result.rules.exercises, rule.exercise, &ExerciseRule::exercise);
  });
  return exercises;
}

}  // namespace

GradeMatrix matrix_of(const GradeResult& result) {
  GradeMatrix matrix{.exercises = graded_exercises(result)};
  const std::size_t count = matrix.exercises.size();
  for (const GradeRow& row : result.rows) {
    if (matrix.learners.empty() || matrix.learners.back().learner != row.learner)
      matrix.learners.push_back({.learner = row.learner,
                                 .name = shown_name(result, row.learner),
                                 .cells = std::vector<GradeCell>(count)});
    const auto rule = std::ranges::find(matrix.exercises, row.exercise, &ExerciseRule::exercise);
    if (rule == matrix.exercises.end()) continue;
    GradeCell& cell = matrix.learners.back().cells[static_cast<std::size_t>(rule - matrix.exercises.begin())];
    const double points = points_of(row, *rule);
    const bool is_better = !cell.row || points > cell.points ||
                           (points == cell.points && has_passed(row) && !has_passed(*cell.row));
    if (is_better) cell = {&row, points};
  }
  matrix.means.resize(count);
  for (const ExerciseRule& rule : matrix.exercises) matrix.possible += rule.points;
  const std::set<std::string> sheets = answer_sheets();
  for (const GradeRow& row : result.rows) {  // a file of an unknown exercise may be one that is missing
    const auto grade = std::ranges::find(matrix.learners, row.learner, &LearnerGrade::learner);
    for (std::size_t i = 0; i < count; ++i) {
      GradeCell& cell = grade->cells[i];
      const bool is_missing = !cell.row || cell.row->state == SubmissionState::missing;
      if (is_missing && may_belong_to_exercise(row, sheets.contains(matrix.exercises[i].exercise)))
        cell.row = &row;
    }
  }
  for (LearnerGrade& grade : matrix.learners) {
    for (std::size_t i = 0; i < count; ++i) {
      grade.passed += grade.cells[i].row && has_passed(*grade.cells[i].row);
      grade.points += grade.cells[i].points;
      const GradeRow* const row = grade.cells[i].row;
      if (row && row->state != SubmissionState::missing && !has_points(grade.cells[i]))
        grade.unjudged += matrix.exercises[i].points * (row->is_late ? matrix.exercises[i].late_factor : 1);
      if (const double points = matrix.exercises[i].points; points > 0)
        matrix.means[i] += grade.cells[i].points / points;
    }
    if (matrix.possible > 0) matrix.mean += grade.points / matrix.possible;
  }
  const auto learners = static_cast<double>(std::max<std::size_t>(matrix.learners.size(), 1));
  for (double& mean : matrix.means) mean /= learners;
  matrix.mean /= learners;
  return matrix;
}

std::string grade_text(const GradeResult& result, const TextStyle& style) {
  const GradeMatrix matrix = matrix_of(result);
  const bool has_class = !result.rules.exercises.empty();
  const std::string end =
      equal_text(result.equal, style) + "\n" + paragraph(summary(result.rows, matrix), Ink::plain, style);
  if (matrix.exercises.empty() || (matrix.learners.size() * matrix.exercises.size() < 2 && !has_class))
    return table_of(result, result.rows, style) + end;
  std::vector<GradeRow> rows = result.rows;  // those with more to say than the matrix does
  std::erase_if(rows, [](const GradeRow& row) {
    return (has_passed(row) && !row.is_late && !has_remark(row)) || row.state == SubmissionState::missing;
  });
  return matrix_text(matrix, has_class, style) + (rows.empty() ? "" : table_of(result, rows, style)) + end;
}

std::string feedback_of(const CheckResult& result) {
  constexpr std::size_t max_bytes = std::size_t{1} << 14;
  std::string text;
  for (const std::string& line :
       lines_of(check::check_text(result, {.colour = false, .width = columns_of_feedback}))) {
    if (text.size() + line.size() > max_bytes) return text + "(cut here: gpulab check prints all)\n";
    text += printable(line) + "\n";
  }
  return text;
}

std::string lateness_of(const GradeRow& row, const ExerciseRule& rule) {
  return loses_points(row) ? "late, which leaves " + percent_of(rule.late_factor, 1) : "";
}

namespace {

// Returns the points of each exercise, and what was late, if class.toml has points or deadlines.
std::string points_of_exercises(const LearnerGrade& grade, const std::vector<ExerciseRule>& rules,
                                const TextStyle& style) {
  const bool has_rules = std::ranges::any_of(rules, [](const ExerciseRule& rule) {
    return rule.points != 1 || rule.deadline || !rule.deadlines.empty();
  });
  if (!has_rules) return "";
  Table table({{"exercise"}, {"points", Align::right}, {""}});
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const GradeCell& cell = grade.cells[i];
    const bool is_missing = !cell.row || cell.row->state == SubmissionState::missing;
    const std::string points = is_missing || has_points(cell) ? points_text(cell.points) : "?";
    const std::string remark = is_missing ? "missing" : lateness_of(*cell.row, rules[i]);
    table.add({{rules[i].exercise}, {points + "/" + points_text(rules[i].points)}, {remark}});
  }
  return "\n" + table.text(style);
}

}  // namespace

std::string feedback_text(const LearnerGrade& grade, const GradeMatrix& matrix,
                          const std::vector<const GradeRow*>& rows) {
  const TextStyle style{.colour = false, .width = columns_of_feedback};
  std::string text =
      fmt::format("{}: {} of {} passed, {} of {} points{}\n", grade.name, grade.passed, grade.cells.size(),
                  points_text(grade.points), points_text(matrix.possible),
                  grade.unjudged > 0 ? ", and " + points_text(grade.unjudged) + " to look at" : "");
  text += points_of_exercises(grade, matrix.exercises, style);
  for (const GradeRow* row : rows) {
    text += "\n" + std::string(columns_of_feedback, '-') + "\n";
    const std::string exercise = row->exercise.empty() ? "which exercise?" : row->exercise;
    if (row->feedback.empty())
      text += paragraph(exercise + "  " + verdict_cell(*row).text, Ink::plain, style);
    if (const std::string remarks = remarks_of(*row); !remarks.empty())
      text += paragraph(remarks, Ink::plain, style);
    text += row->feedback;
  }
  return text;
}

namespace {

std::string age_text(std::int64_t then, std::int64_t now) {
  const std::int64_t minutes = (now - then) / 60;
  if (then <= 0 || minutes < 100) return then <= 0 ? "" : fmt::format("{} min", minutes);
  return minutes < 100 * 60 ? fmt::format("{} h", minutes / 60) : fmt::format("{} d", minutes / 60 / 24);
}

Cell last_check(const LearnerStatus& status) {
  const std::string& pattern = status.progress.last_pattern;
  if (status.exercise.empty()) return {"-"};
  if (pattern.empty()) return {"passed", Ink::green};
  return status.is_stuck() ? Cell{"stuck: " + pattern, Ink::red} : Cell{pattern, Ink::yellow};
}

std::string exercises_text(const ClassResult& result, std::size_t max_rows, const TextStyle& style) {
  Table table({{"exercise"},
               {"begun", Align::right},
               {"passed", Align::right},
               {"stuck", Align::right},
               {"most often", Align::left, 0, "", 20}});
  for (const ExerciseStatus& exercise : result.started | std::views::take(max_rows)) {
    const auto [pattern, learners] = most_frequent_pattern(exercise);
    table.add({{exercise.exercise},
               {std::to_string(exercise.started)},
               {std::to_string(exercise.passed)},
               {exercise.stuck > 0 ? std::to_string(exercise.stuck) : "", Ink::red},
               {pattern.empty() ? "" : fmt::format("{} ({})", pattern, learners), Ink::yellow}});
  }
  return table.text(style);
}

// Cuts a name in its middle: names of a class may begin alike, "Student Number 12".
std::string cut_in_middle(const std::string& name, std::size_t width) {
  if (display_width(name) <= width) return name;
  const std::size_t columns_of_end = (width - 1) / 2;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(name[at]) & 0xc0) == 0x80;
  };
  std::size_t end = 0;
  while (end < name.size() && (continues(end) || display_width(name.substr(end)) > columns_of_end)) ++end;
  return cut(name, width - columns_of_end) + name.substr(end);
}

Table learners_table(const ClassResult& result, std::size_t max_rows, std::size_t width_of_names) {
  Table table({{"learner"},
               {"at"},
               {"for", Align::right, 1},
               {"checks", Align::right, 2},
               {"last check", Align::left, 0, "", 20},
               {"ago", Align::right, 3},
               {"passed", Align::right}});
  for (const LearnerStatus& status : result.learners | std::views::take(max_rows))
    table.add({{cut_in_middle(status.learner, width_of_names), Ink::bold},
               {status.exercise.empty() ? "-" : status.exercise},
               {age_text(status.since, result.now)},
               {status.exercise.empty() ? "" : std::to_string(status.progress.checks)},
               last_check(status),
               {age_text(status.checked, result.now)},
               {fmt::format("{}/{}", status.passed, result.exercises)}});
  return table;
}

std::string learners_text(const ClassResult& result, std::size_t max_rows, const TextStyle& style) {
  constexpr std::size_t min_width = 12, max_width = 20;  // of the column of names
  constexpr std::size_t heading = 7;                     // width of "learner"
  std::size_t beside = 0;                                // terminal columns that the other columns take
  for (const std::string& row :
       lines_of(learners_table(result, max_rows, heading).text({.colour = false, .width = 1000})))
    beside = std::max(beside, display_width(row) - std::min(display_width(row), heading));
  const std::size_t room = style.width - std::min<std::size_t>(style.width, beside);
  return learners_table(result, max_rows, std::clamp(room, min_width, max_width)).text(style);
}

constexpr std::size_t max_lines_of_names = 5;  // for the learners without a row

// Returns the lines that name the learners after the first `rows`. Cuts long names, more so if lines are few.
std::vector<std::string> lines_of_others(const ClassResult& result, std::size_t rows,
                                         const TextStyle& style) {
  std::vector<std::string> lines;
  for (const std::size_t width : {20, 10}) {
    std::string names;
    for (const LearnerStatus& status : result.learners | std::views::drop(rows))
      names += fmt::format("{}{} {}", names.empty() ? "passed by others: " : ", ",
                           cut_in_middle(status.learner, width), status.passed);
    lines = wrapped(names, style.width, 2);
    if (lines.size() <= max_lines_of_names) break;
  }
  return lines;
}

}  // namespace

std::pair<std::string, std::size_t> most_frequent_pattern(const ExerciseStatus& exercise) {
  if (exercise.patterns.empty()) return {};
  return *std::ranges::max_element(exercise.patterns, {}, [](const auto& pattern) { return pattern.second; });
}

std::vector<std::string> class_lines(const ClassResult& result, const TextStyle& style,
                                     std::size_t max_lines) {
  constexpr std::size_t enough_for_all = 60;  // lines from which every exercise has a row
  constexpr std::size_t other_lines = 6;      // heading, titles, empty lines, what was not read
  const std::size_t exercises =
      max_lines < enough_for_all ? std::min<std::size_t>(result.started.size(), 5) : result.started.size();
  const std::size_t room = max_lines - std::min(max_lines, exercises + other_lines),
                    all = result.learners.size();
  std::size_t lines_of_names = room < all ? 2 : 0;  // for the learners without a row
  while (lines_of_names > 0 && lines_of_names <= max_lines_of_names &&
         (lines_of_names >= room ||
          lines_of_others(result, room - lines_of_names, style).size() > lines_of_names))
    ++lines_of_names;
  const bool are_too_many = lines_of_names > max_lines_of_names;
  const std::size_t rows = are_too_many ? room - std::min<std::size_t>(room, 2)
                                        : std::min(all, room - std::min(room, lines_of_names));
  const auto stuck = std::ranges::count_if(result.learners, &LearnerStatus::is_stuck);
  const std::string heading = fmt::format("{}, {} stuck · {}", counted(result.learners.size(), "learner"),
                                          stuck, printable(result.folder));
  std::string text = cut(heading, style.width) + "\n\n";
  if (!result.started.empty()) text += exercises_text(result, exercises, style) + "\n";
  if (result.learners.empty())
    text += paragraph(
        fmt::format("nobody shares their progress there; learners do with gpulab progress --share {}",
                    printable(result.folder)),
        Ink::yellow, style);
  else
    text += learners_text(result, rows, style);
  if (are_too_many)
    text += paragraph(fmt::format("and {} more, not stuck for as long", all - rows), Ink::yellow, style);
  else if (rows < all)
    for (const std::string& line : lines_of_others(result, rows, style))
      text += painted(line, Ink::yellow, style) + "\n";
  if (result.not_read > 0)
    text +=
        paragraph("not read, as unreadable, no learner's or too many: " + counted(result.not_read, "file"),
                  Ink::yellow, style);
  if (result.elsewhere > 0)
    text += paragraph(counted(result.elsewhere, "learner") +
                          " at exercises that are not in use here: class.toml lists others, or --exercises "
                          "DIR names their folder",
                      Ink::yellow, style);
  return lines_of(text);
}

}  // namespace gpulab::teach
