#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "report/class_formats.hpp"
#include "report/table.hpp"

namespace gpulab::report {
namespace {

std::string age_text(std::int64_t then, std::int64_t now) {
  const std::int64_t minutes = (now - then) / 60;
  if (then <= 0) return "";
  if (minutes < 100) return fmt::format("{} min", minutes);
  return minutes < 100 * 60 ? fmt::format("{} h", minutes / 60) : fmt::format("{} d", minutes / 60 / 24);
}

Cell last_check(const LearnersPlace& place) {
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
    const LearnersPlace& one = result.learners[i];
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

// "most are stuck at: race-shared in shared-histogram (9), ..."
std::string stuck_text(const ClassResult& result) {
  std::map<std::string, int> count;
  for (const LearnersPlace& one : result.learners)
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
                                     std::size_t most_lines) {
  const auto stuck = std::ranges::count_if(result.learners, &LearnersPlace::is_stuck);
  std::vector<std::string> lines{
      cut(fmt::format("{} {}, {} stuck · {}", result.learners.size(),
                      result.learners.size() == 1 ? "learner" : "learners", stuck, printable(result.folder)),
          style.width),
      ""};
  constexpr std::size_t others = 6;  // heading, titles, blanks, the last two
  const std::size_t rows = std::max<std::size_t>(most_lines, others + 1) - others;
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

}  // namespace gpulab::report
