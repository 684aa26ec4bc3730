#include "base/console.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "base/output.hpp"
#include "base/text.hpp"

namespace gpulab {

WatchConsole::WatchConsole(std::string keys, bool is_plain)
    : key_help_(std::move(keys)), is_plain_(is_plain), keys_(!is_plain), narrator_(/*quiet=*/false) {
  // Without keys, nothing would restore the terminal after a signal.
  if (descriptor() < 0 || !TerminalScreen::is_possible()) return;
  stderr_.emplace();
  screen_.emplace();
}

WatchConsole::~WatchConsole() {
  const bool had_screen = has_screen();
  screen_.reset();
  stderr_.reset();
  if (had_screen && text_) print(text_);
}

void WatchConsole::print(const Text& text) const {
  TextStyle style = style_of_stdout();
  if (is_plain_) style.colour = false;
  ReportOutput({}).write(text(style) + "\n");
}

void WatchConsole::show(Text text) {
  narrator_.wipe();
  activity_.clear();
  text_ = std::move(text);
  page_ = {};
  if (has_screen()) {
    remarks_ = stderr_->take();
    if (!remarks_.empty()) remarks_.insert(0, "\n");
    screen_->forget();  // a GPU driver writes a kernel's printf to stdout
    return draw();
  }
  print(text_);
  if (descriptor() >= 0 && stdout_is_terminal()) ReportOutput({}).write("watching: " + key_help_ + "\n");
}

void WatchConsole::update(Text text) {
  if (!has_screen()) return;
  text_ = std::move(text);
  draw();
}

void WatchConsole::show_error(const std::string& message) {
  narrator_.wipe();
  if (!has_screen()) return tell(message);
  show([message](const TextStyle& style) { return paragraph(message, Ink::plain, style); });
}

void WatchConsole::show_activity(const std::string& what) {
  activity_ = what;
  if (has_screen())
    draw();
  else
    narrator_.progress(what);
}

std::string WatchConsole::pressed() {
  std::string keys = keys_.read();
  std::erase_if(keys, [this](char key) { return scroll(key); });
  return keys;
}

bool WatchConsole::scroll(char key) {
  if (!has_screen() || !(key == 'm' || key == ' ' || key == 'b')) return false;
  if (page_.rows() < screen_->size().rows) return false;  // there is nothing to scroll to
  if (key == 'b')
    page_.page_up();
  else if (page_.has_more())
    page_.page_down();
  else
    said_ = "this is all   ";
  draw();
  said_.clear();
  return true;
}

std::string WatchConsole::wait(const FolderEvents& saves) {
  constexpr int poll_interval_ms = 250;
  keys_.wait(saves.descriptor(), poll_interval_ms);
  saves.drain();
  if (has_screen() && screen_->is_stale()) draw();
  return pressed();
}

std::string WatchConsole::last_line(std::size_t room) const {
  const std::string state = activity_.empty() ? key_help_ : activity_ + " ...   q quits";
  if (page_.rows() <= room) return said_ + (activity_.empty() ? "watching: " : "") + state;
  return fmt::format("{}m more, b back ({}-{} of {})   {}", said_, page_.top() + 1,
                     std::min(page_.top() + room, page_.rows()), page_.rows(), state);
}

void WatchConsole::draw() {
  const ScreenSize size = screen_->size();
  TextStyle style = style_of_stdout();
  style.width = size.columns;
  const std::size_t room = size.rows - 1;
  std::vector<std::string> rows =
      page_.shown(screen_rows((text_ ? text_(style) : "") + remarks_, size.columns), room);
  rows.push_back(cut(last_line(room), size.columns));
  screen_->show(rows);
}

}  // namespace gpulab
