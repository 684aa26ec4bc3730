#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/table.hpp"
#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "lesson/words.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {

std::string verdict_of(const GradeRow& row) {
  switch (row.handed) {
    case SubmissionState::checked:
      return identifier(row.verdict);
    case SubmissionState::missing:
      return "missing";
    case SubmissionState::misnamed:
      return "misnamed";
    case SubmissionState::empty:
      return "empty";
    case SubmissionState::unreadable:
      return "unreadable";
    case SubmissionState::archive:
      return "archive";
    case SubmissionState::not_checked:
      break;
  }
  return "not_checked";
}

namespace {

bool has_passed(const GradeRow& row) {
  return row.handed == SubmissionState::checked && row.verdict == Verdict::right;
}

Cell verdict_cell(const GradeRow& row) {
  std::string words = verdict_of(row);
  std::ranges::replace(words, '_', ' ');
  if (has_passed(row)) return {words, Ink::green};
  return {words, row.handed == SubmissionState::checked ? Ink::red : Ink::yellow};
}

// Returns what the other cells do not say.
std::string remarks_of(const GradeRow& row) {
  std::vector<std::string> parts;
  if (!row.file.empty() && (row.handed != SubmissionState::checked || !row.notes.empty()))
    parts.push_back(row.file);
  if (row.handed != SubmissionState::checked && !row.summary.empty()) parts.push_back(row.summary);
  parts.insert(parts.end(), row.notes.begin(), row.notes.end());
  return fmt::format("{}", fmt::join(parts, ": "));
}

// Returns "+" for what has passed, "x" for what has not, "?" for what could not be checked, and a blank.
Cell mark_of(const GradeRow& row) {
  if (has_passed(row)) return {"+", Ink::green};
  if (row.handed == SubmissionState::checked) return {"x", Ink::red};
  return row.handed == SubmissionState::missing ? Cell{""} : Cell{"?", Ink::yellow};
}

std::string percent_of(std::size_t passed, std::size_t all) {
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(passed) / static_cast<double>(all));
}

// Makes a row for each learner with a mark for each exercise, which the lines below it number.
std::string matrix_of(const GradeResult& result, const TextStyle& style) {
  const std::vector<std::string> exercises = graded_exercises(result);
  std::map<std::pair<std::string, std::string>, const GradeRow*>
      rows;  // the first of a learner's files counts
  for (const GradeRow& row : result.rows) rows.try_emplace({row.learner, row.exercise}, &row);
  std::vector<Column> columns{{"learner", Align::left, 0, "", 12}};
  for (std::size_t i = 0; i < exercises.size(); ++i) columns.push_back({std::to_string(i + 1), Align::right});
  columns.insert(columns.end(), {{"passed", Align::right}, {"", Align::right, 1}});
  Table table(columns);
  std::vector<std::size_t> passed(exercises.size());
  for (const LearnerTotal& total : totals_of(result)) {
    std::vector<Cell> cells{{total.learner, Ink::bold}};
    for (std::size_t i = 0; i < exercises.size(); ++i) {
      const auto found = rows.find({total.learner, exercises[i]});
      cells.push_back(found == rows.end() ? Cell{""} : mark_of(*found->second));
      passed[i] += found != rows.end() && has_passed(*found->second);
    }
    cells.insert(cells.end(), {{fmt::format("{}/{}", total.passed, exercises.size())},
                               {percent_of(total.passed, exercises.size()), Ink::faint}});
    table.add(std::move(cells));
  }
  std::vector<Cell> last{{"passed", Ink::faint}};
  for (const std::size_t count : passed) last.push_back({std::to_string(count), Ink::faint});
  table.add(std::move(last));
  std::string key;
  for (std::size_t i = 0; i < exercises.size(); ++i)
    key += fmt::format("{}{} {}", i == 0 ? "" : " · ", i + 1, exercises[i]);
  return table.text(style) + "\n" + paragraph(key, Ink::faint, style) +
         paragraph("+ passed · x did not pass · ? to look at · blank: not handed in", Ink::faint, style) +
         "\n";
}

std::string table_of(const std::vector<GradeRow>& rows, const TextStyle& style) {
  Table table({{"learner", Align::left, 0, "", 12},
               {"exercise"},
               {"verdict"},
               {"pattern", Align::left, 2},
               {"line", Align::right, 3},
               {"s", Align::right, 4}});
  for (const GradeRow& row : rows) {
    std::vector<Cell> cells{
        {row.learner, Ink::bold}, {row.exercise.empty() ? "?" : row.exercise}, verdict_cell(row)};
    if (row.handed == SubmissionState::checked)
      cells.insert(cells.end(), {{row.pattern},
                                 {row.line > 0 ? std::to_string(row.line) : ""},
                                 {fmt::format("{:.1f}", row.seconds)}});
    table.add(std::move(cells), remarks_of(row));
  }
  return table.text(style);
}

std::string equal_text(const std::vector<EqualFiles>& equal, const TextStyle& style) {
  if (equal.empty()) return "";
  std::string text = "\nThe same tokens but for comments, blanks and names:\n";
  for (const auto& [exercise, to, learners] : equal) {
    const char* what = to == EqualFiles::To::each_other    ? "equal to each other"
                       : to == EqualFiles::To::the_starter ? "the starter"
                                                           : "the course's solution";
    for (const std::string& line :
         wrapped(fmt::format("{}, {}: {}", exercise, what, fmt::join(learners, ", ")), style.width - 2, 2))
      text += "  " + line + "\n";
  }
  return text;
}

std::string summary(const std::vector<GradeRow>& rows) {
  std::set<std::string> learners, exercises;
  std::map<std::string, int> patterns;
  for (const GradeRow& row : rows) {
    learners.insert(row.learner);
    if (!row.exercise.empty()) exercises.insert(row.exercise);
    if (!row.pattern.empty() && row.handed == SubmissionState::checked) ++patterns[row.pattern];
  }
  const auto count = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
  };
  const auto are = [&](auto is) { return static_cast<std::size_t>(std::ranges::count_if(rows, is)); };
  const std::size_t passed = are(has_passed),
                    checked = are([](const GradeRow&row) { return row.handed == SubmissionState::checked; }),
                    missing = are([](const GradeRow&row) { return row.handed == SubmissionState::missing; });
  std::string text = fmt::format("{}, {}: {} passed, {} did not, {} missing",
                                 count(learners.size(), "learner"), count(exercises.size(), "exercise"),
                                 grouped(passed), grouped(checked - passed), grouped(missing));
  if (const std::size_t others = rows.size() - checked - missing; others > 0)
    text += fmt::format(", {} to look at", grouped(others));
  const auto often =
      std::ranges::max_element(patterns, {}, [](const auto& pattern) { return pattern.second; });
  if (often != patterns.end() && often->second > 1)
    text += fmt::format("; most often {} ({})", often->first, often->second);
  return text + "\n";
}

}  // namespace

std::vector<std::string> graded_exercises(const GradeResult& result) {
  std::vector<std::string> exercises;
  for (const Exercise& exercise : all_exercises())
    if (std::ranges::find(result.rows, exercise.name, &GradeRow::exercise) != result.rows.end())
      exercises.push_back(exercise.name);
  return exercises;
}

std::vector<LearnerTotal> totals_of(const GradeResult& result) {
  std::vector<LearnerTotal> totals;
  for (const GradeRow& row : result.rows) {
    if (totals.empty() || totals.back().learner != row.learner) totals.push_back({.learner = row.learner});
    totals.back().passed += has_passed(row);
  }
  return totals;
}

std::string grade_text(const GradeResult& result, const TextStyle& style) {
  if (totals_of(result).size() < 2 || graded_exercises(result).size() < 2)
    return table_of(result.rows, style) + equal_text(result.equal, style) + "\n" + summary(result.rows);
  std::vector<GradeRow> rows = result.rows;  // the matrix has the others
  std::erase_if(
      rows, [](const GradeRow& row) { return has_passed(row) || row.handed == SubmissionState::missing; });
  const std::string details = rows.empty() ? "" : table_of(rows, style);
  return matrix_of(result, style) + details + equal_text(result.equal, style) + "\n" + summary(result.rows);
}

std::string grade_csv(const GradeResult& result) {
  std::string text =
      csv_line({"learner", "exercise", "verdict", "pattern", "line", "seconds", "file", "summary", "notes"});
  for (const GradeRow& row : result.rows) {
    const bool is_checked = row.handed == SubmissionState::checked;
    text += csv_line({row.learner, row.exercise, verdict_of(row), row.pattern,
                      row.line > 0 ? std::to_string(row.line) : "",
                      is_checked ? fmt::format("{:.2f}", row.seconds) : "", row.file, row.summary,
                      fmt::format("{}", fmt::join(row.notes, "; "))});
  }
  return text;
}

namespace {

constexpr unsigned columns_of_feedback = 80;

}  // namespace

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

std::string feedback_text(const std::string& learner, const std::vector<const GradeRow*>& rows) {
  const TextStyle style{.colour = false, .width = columns_of_feedback};
  const auto passed = std::ranges::count_if(rows, [](const GradeRow* row) { return has_passed(*row); });
  std::string text = fmt::format("{}: {} of {} passed\n", learner, passed, rows.size());
  for (const GradeRow* row : rows) {
    text += "\n" + std::string(columns_of_feedback, '-') + "\n";
    const std::string words = verdict_cell(*row).text, remarks = remarks_of(*row);
    if (row->feedback.empty())
      text +=
          paragraph(fmt::format("{}  {}", row->exercise.empty() ? "which exercise?" : row->exercise, words),
                    Ink::plain, style);
    if (!remarks.empty()) text += paragraph(remarks, Ink::plain, style);
    text += row->feedback;
  }
  return text;
}

namespace {

std::string age_text(std::int64_t then, std::int64_t now) {
  const std::int64_t minutes = (now - then) / 60;
  if (then <= 0) return "";
  if (minutes < 100) return fmt::format("{} min", minutes);
  return minutes < 100 * 60 ? fmt::format("{} h", minutes / 60) : fmt::format("{} d", minutes / 60 / 24);
}

Cell last_check(const LearnerStatus& place) {
  if (place.exercise.empty()) return {"-"};
  return place.is_stuck() ? Cell{place.progress.last_pattern, Ink::yellow} : Cell{"passed", Ink::green};
}

std::vector<std::string> table_lines(const ClassResult& result, std::size_t most, const TextStyle& style) {
  Table table({{"learner", Align::left, 0, "", 12},
               {"at"},
               {"for", Align::right, 1},
               {"checks", Align::right, 2},
               {"last check", Align::left, 0, "", 20},
               {"ago", Align::right, 3},
               {"passed", Align::right}});
  for (std::size_t i = 0; i < std::min(most, result.learners.size()); ++i) {
    const LearnerStatus& one = result.learners[i];
    table.add({{cut(one.learner, 20), Ink::bold},
               {one.exercise.empty() ? "-" : one.exercise},
               {age_text(one.since, result.now)},
               {one.exercise.empty() ? "" : std::to_string(one.progress.checks)},
               last_check(one),
               {age_text(one.checked, result.now)},
               {fmt::format("{}/{}", one.passed, result.exercises)}});
  }
  return lines_of(table.text(style));
}

// Returns "most are stuck at: race-shared in shared-histogram (9), ...".
std::string stuck_text(const ClassResult& result) {
  std::map<std::string, int> count;
  for (const LearnerStatus& one : result.learners)
    if (one.is_stuck()) ++count[one.progress.last_pattern + " in " + one.exercise];
  std::vector<std::pair<int, std::string>> often;
  for (const auto& [what, learners] : count) often.emplace_back(-learners, what);
  std::ranges::sort(often);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(often.size(), 3); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "most are stuck at: " : ", ", often[i].second, -often[i].first);
  return text.empty() ? "nobody is stuck" : text;
}

}  // namespace

std::vector<std::string> class_lines(const ClassResult& result, const TextStyle& style,
                                     std::size_t max_lines) {
  const auto stuck = std::ranges::count_if(result.learners, &LearnerStatus::is_stuck);
  std::vector<std::string> lines{
      cut(fmt::format("{} {}, {} stuck · {}", result.learners.size(),
                      result.learners.size() == 1 ? "learner" : "learners", stuck, printable(result.folder)),
          style.width),
      ""};
  constexpr std::size_t others = 6;  // heading, titles, blanks, the last two
  const std::size_t rows = std::max<std::size_t>(max_lines, others + 1) - others;
  const std::vector<std::string> table = table_lines(result, rows, style);
  lines.insert(lines.end(), table.begin(), table.end());
  lines.emplace_back();
  std::string more;
  if (result.learners.size() > rows)
    more = fmt::format("and {} more, not stuck for as long", result.learners.size() - rows);
  if (result.not_read > 0)
    more += fmt::format("{}{} files that cannot be read or are too many", more.empty() ? "" : "; ",
                        grouped(result.not_read));
  if (!more.empty()) lines.push_back(painted(cut(more, style.width), Ink::yellow, style));
  lines.push_back(painted(cut(stuck_text(result), style.width), Ink::bold, style));
  return lines;
}

}  // namespace gpulab::teach
