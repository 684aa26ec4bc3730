#include "cli/growing_table.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <optional>
#include <vector>

#include "cli/terminal_screen.hpp"
#include "core/text.hpp"
#include "report/documents.hpp"

namespace gpulab::cli {
namespace {

// After the program was stopped, somebody else's lines stand where the table did.
volatile sig_atomic_t was_continued = 0;

// A line that is wider than the screen would take more than one row of it.
std::optional<ScreenSize> screen_to_draw_on() {
  constexpr unsigned min_columns = 40, min_rows = 8;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (!is_known || size.ws_col < min_columns || size.ws_row < min_rows) return std::nullopt;
  return ScreenSize{size.ws_col, size.ws_row};
}

bool is_in_foreground() {
  return ::tcgetpgrp(STDOUT_FILENO) == ::getpgrp();
}

// The heading and the titles stay, and of the rows below them those that came last.
std::string fitted(const std::string& text, const ScreenSize& screen) {
  constexpr std::size_t rows_of_progress = 2;
  std::vector<std::string> lines = lines_of(text);
  const std::size_t room = screen.rows - rows_of_progress;
  if (lines.size() <= room) return text;
  const auto titles = std::ranges::find(lines, "") + 2;
  const auto left_out = static_cast<std::ptrdiff_t>(lines.size() - room + 1);
  if (titles + left_out >= lines.end()) return "";
  lines.erase(titles, titles + left_out);
  lines.insert(titles, "…");
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

GrowingTable::GrowingTable(bool is_wanted, Narrator& narrator)
    : is_wanted_(is_wanted && TerminalScreen::is_possible()), narrator_(narrator) {
  if (!is_wanted_) return;
  struct sigaction action {};
  action.sa_handler = [](int) { was_continued = 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, nullptr);
}

void GrowingTable::show(const LessonResult& so_far) {
  if (!is_wanted_ || !is_in_foreground()) return;
  if (const auto screen = screen_to_draw_on())
    draw(fitted(report::lesson_rows(so_far, style_of_stdout()), *screen));
}

void GrowingTable::remove() {
  narrator_.wipe();
  if (!shown_.empty()) draw("");
}

void GrowingTable::remark(const std::string& line) {
  const std::string shown = shown_;
  remove();
  narrator_.remark(line);
  if (!shown.empty()) draw(shown);
}

// In one piece; \033[?2026 keeps a terminal from showing half of it.
void GrowingTable::draw(const std::string& text) {
  narrator_.wipe();
  if (was_continued) shown_.clear();
  was_continued = 0;
  const ScreenSize screen = screen_to_draw_on().value_or(ScreenSize{});
  const std::size_t rows = rows_on_screen(shown_, screen.columns);
  std::string drawn = "\033[?2026h";
  if (rows > 0) drawn += fmt::format("\r\033[{}A", rows);
  for (const std::string& line : lines_of(text)) drawn += "\033[2K" + line + "\n";
  Output({}).write(drawn + "\033[J\033[?2026l");
  shown_ = text;
}

}  // namespace gpulab::cli
