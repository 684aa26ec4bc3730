#include <fmt/format.h>

#include "base/table.hpp"
#include "base/test_report.hpp"
#include "base/text.hpp"
#include "teach/submissions.hpp"

namespace gpulab::teach {
namespace {

// Returns the points, "?" for what could not be checked, and a blank for what was not handed in.
std::string shown_points(const GradeCell& cell) {
  if (!cell.row || cell.row->state == SubmissionState::missing) return "";
  return has_points(cell) ? points_text(cell.points) : "?";
}

// Returns the CSS class of a row's cell.
const char* css_class_of(const GradeRow& row) {
  if (row.state != SubmissionState::checked && row.state != SubmissionState::empty) return "unknown";
  if (!has_passed(row)) return "failed";
  return row.is_late ? "late" : "passed";
}

std::string verdict_sentence(const GradeRow& row) {
  return replaced(verdict_of(row), '_', ' ') + (row.pattern.empty() ? "" : ", " + row.pattern) +
         (row.summary.empty() ? "" : ": " + row.summary) + (loses_points(row) ? " (late)" : "");
}

std::string page_cell(const GradeCell& cell, std::size_t number) {
  if (!cell.row || cell.row->state == SubmissionState::missing) return "<td></td>";
  return fmt::format(R"(<td class="{}"><a href="#f{}" title="{}">{}</a></td>)", css_class_of(*cell.row),
                     number, xml_text(verdict_sentence(*cell.row)), shown_points(cell));
}

std::string percent_cell(double part) {
  return fmt::format("<td>{:.0f} %</td>", 100 * part);
}

// Returns whether another file of the learner counts for the exercise.
bool is_beside_a_better_one(const GradeRow& row, const GradeMatrix& matrix) {
  for (const LearnerGrade& grade : matrix.learners)
    for (const GradeCell& cell : grade.cells)
      if (cell.row && cell.row != &row && cell.row->learner == row.learner && !row.exercise.empty() &&
          cell.row->exercise == row.exercise)
        return true;
  return false;
}

}  // namespace

std::string grade_csv(const GradeResult& result) {
  const GradeMatrix matrix = matrix_of(result);
  std::string text = csv_line({"learner", "exercise", "verdict", "pattern", "line", "seconds", "file",
                               "summary", "notes", "late", "name", "points", "max_points"});
  for (const GradeRow& row : result.rows) {
    const bool is_checked = row.state == SubmissionState::checked;
    ExerciseRule rule = rule_of(result, row.exercise);
    if (is_beside_a_better_one(row, matrix)) rule.points = 0;  // so that the sums are those of the matrix
    text += csv_line(
        {row.learner, row.exercise, verdict_of(row), row.pattern,
         row.line > 0 ? std::to_string(row.line) : "", is_checked ? fmt::format("{:.2f}", row.seconds) : "",
         row.file, row.summary, fmt::format("{}", fmt::join(row.notes, "; ")), row.is_late ? "late" : "",
         shown_name(result, row.learner), has_points({&row}) ? points_text(points_of(row, rule)) : "",
         row.exercise.empty() ? "" : points_text(rule.points)});
  }
  return text;
}

std::string matrix_csv(const GradeResult& result) {
  const GradeMatrix matrix = matrix_of(result);
  std::vector<std::string> head{"learner", "name"};
  for (const ExerciseRule& rule : matrix.exercises) head.push_back(rule.exercise);
  head.insert(head.end(), {"passed", "points", "percent"});
  std::string text = csv_line(head);
  for (const LearnerGrade& grade : matrix.learners) {
    std::vector<std::string> fields{grade.learner, grade.name};
    for (const GradeCell& cell : grade.cells) fields.push_back(shown_points(cell));
    const double percent = matrix.possible > 0 ? 100 * grade.points / matrix.possible : 0;
    fields.insert(fields.end(),
                  {std::to_string(grade.passed), points_text(grade.points), points_text(percent)});
    text += csv_line(fields);
  }
  return text;
}

std::string grade_page_heading(const GradeResult& result) {
  const GradeMatrix matrix = matrix_of(result);
  return fmt::format("{}, {}, mean {:.0f} %", counted(matrix.learners.size(), "learner"),
                     counted(matrix.exercises.size(), "exercise"), 100 * matrix.mean);
}

std::string grade_page(const GradeResult& result) {
  const GradeMatrix matrix = matrix_of(result);
  std::string text = "<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th>learner</th>";
  for (const ExerciseRule& rule : matrix.exercises)
    text += fmt::format("<th>{} ({})</th>", xml_text(rule.exercise), points_text(rule.points));
  text += fmt::format("<th>points ({})</th><th>percent</th></tr></thead>\n", points_text(matrix.possible));
  for (const LearnerGrade& grade : matrix.learners) {
    text += fmt::format(R"(<tr><th title="{}">{}</th>)", xml_text(grade.learner), xml_text(grade.name));
    for (const GradeCell& cell : grade.cells)
      text += page_cell(cell, cell.row ? static_cast<std::size_t>(cell.row - result.rows.data()) : 0);
    text += fmt::format("<td>{}</td>", points_text(grade.points)) +
            percent_cell(matrix.possible > 0 ? grade.points / matrix.possible : 0) + "</tr>\n";
  }
  text += "<tr><th>mean</th>";
  for (const double mean : matrix.means) text += percent_cell(mean);
  text += "<td></td>" + percent_cell(matrix.mean) + "</tr>\n</table></div>\n";
  text +=
      "<p>A number: points for a file that was checked. Tan: late. ?: to look at, since it could not be checked. Blank: not "
      "handed in. Percent: of the points. Each cell links to what check says of its file, below.</p>\n";
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const GradeRow& row = result.rows[i];
    if (row.state == SubmissionState::missing) continue;
    text += fmt::format("<h2 id=\"f{}\">{}: {}</h2>\n<p>{}</p>\n<pre>{}</pre>\n", i,
                        xml_text(shown_name(result, row.learner)),
                        xml_text(row.exercise.empty() ? row.file : row.exercise),
                        xml_text(verdict_sentence(row)), xml_text(row.feedback));
  }
  return text;
}

std::string grade_junit(const GradeResult& result) {
  std::vector<TestSuite> suites;
  for (const GradeRow& row : result.rows) {
    const std::string name = shown_name(result, row.learner);
    if (suites.empty() || suites.back().name != name) suites.push_back({.name = name});
    TestCase test{.group = row.learner,
                  .name = row.exercise.empty() ? row.file : row.exercise,
                  .seconds = fmt::format("{:.3f}", row.seconds),
                  .file = row.file,
                  .line = row.line,
                  .type = row.pattern.empty() ? verdict_of(row) : row.pattern,
                  .message = verdict_sentence(row),
                  .text = row.feedback};
    if (row.state == SubmissionState::missing)
      test.result = TestCase::Result::skipped;
    else if (row.state != SubmissionState::checked)
      test.result = TestCase::Result::broken;
    else if (!has_passed(row))
      test.result = TestCase::Result::failed;
    const ExerciseRule rule = rule_of(result, row.exercise);
    if (loses_points(row))
      test.output =
          fmt::format("late: {} of {} points", points_text(points_of(row, rule)), points_text(rule.points));
    suites.back().cases.push_back(std::move(test));
  }
  return junit_text("gpulab grade", suites);
}

}  // namespace gpulab::teach
