#include "cli/terminal_keys.hpp"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

namespace gpulab::cli {
namespace {

constexpr int caught_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGPIPE, SIGTSTP};

// A signal handler can reach nothing else.
termios normal_mode, key_mode;
const char *before_stop = "", *after_stop = "";
volatile sig_atomic_t stops = 0;
struct sigaction earlier_actions[std::size(caught_signals)];  // what was to happen at each of them

void write_now(const char* text) {
  if (::write(STDOUT_FILENO, text, std::strlen(text)) < 0) errno = 0;  // the terminal is gone
}

// tcsetattr, sigaction, raise, write and strlen are among the functions that POSIX allows in a handler. The
// signal comes again when this returns, and finds what was to happen before there were keys.
void restore_and_end(int signal) {
  write_now(before_stop);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
  for (std::size_t i = 0; i < std::size(caught_signals); ++i)
    if (caught_signals[i] == signal) ::sigaction(signal, &earlier_actions[i], nullptr);
  ::raise(signal);
}

void restore_and_stop(int) {
  const int number = errno;
  write_now(before_stop);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
  ::raise(SIGSTOP);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &key_mode);
  write_now(after_stop);
  stops = stops + 1;
  errno = number;
}

void catch_signals() {
  for (std::size_t i = 0; i < std::size(caught_signals); ++i) {
    ::sigaction(caught_signals[i], nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler == SIG_IGN) continue;  // as nohup wants it
    struct sigaction action {};
    action.sa_handler = caught_signals[i] == SIGTSTP ? restore_and_stop : restore_and_end;
    action.sa_flags = SA_RESTART;
    ::sigaction(caught_signals[i], &action, nullptr);
  }
}

void let_signals_go() {
  for (std::size_t i = 0; i < std::size(caught_signals); ++i)
    ::sigaction(caught_signals[i], &earlier_actions[i], nullptr);
}

// What turns a page is a space on, and a b back: it is what a presenter's remote control sends.
std::string key_of_sequence(std::string_view sequence) {
  if (sequence == "\033[6~" || sequence == "\033[C" || sequence == "\033OC") return " ";
  if (sequence == "\033[5~" || sequence == "\033[D" || sequence == "\033OD") return "b";
  return "";
}

// Arrows and the like are ESC [ digits letter, or ESC O letter; with Alt a key is ESC key.
std::string without_sequences(std::string_view letters) {
  constexpr char escape = '\033';
  std::string keys;
  while (!letters.empty()) {
    if (letters.front() != escape) {
      keys += letters.front();
      letters.remove_prefix(1);
      continue;
    }
    std::size_t length = 2;
    if (letters.substr(1, 1) == "[") length = letters.find_first_not_of("0123456789;?", 2) + 1;
    if (letters.substr(1, 1) == "O") length = 3;
    length = length == 0 ? letters.size() : std::min(length, letters.size());
    keys += key_of_sequence(letters.substr(0, length));
    letters.remove_prefix(length);
  }
  return keys;
}

}  // namespace

void write_when_stopped(const char* before, const char* after) {
  before_stop = before;
  after_stop = after;
}

int stops_of_the_program() {
  return stops;
}

TerminalKeys::TerminalKeys() {
  if (!::isatty(STDIN_FILENO) || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  if (::tcgetattr(STDIN_FILENO, &normal_mode) != 0) return;
  key_mode = normal_mode;
  key_mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  key_mode.c_cc[VMIN] = 1;
  key_mode.c_cc[VTIME] = 0;
  descriptor_ = STDIN_FILENO;
  enter();
}

TerminalKeys::~TerminalKeys() {
  leave();
}

void TerminalKeys::enter() {
  if (descriptor_ < 0) return;
  catch_signals();
  ::tcsetattr(STDIN_FILENO, TCSANOW, &key_mode);
}

void TerminalKeys::leave() {
  if (descriptor_ < 0) return;
  let_signals_go();
  ::tcsetattr(STDIN_FILENO, TCSANOW, &normal_mode);
}

std::string TerminalKeys::read() {
  char pressed[64];
  pollfd keys{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (descriptor_ < 0 || ::poll(&keys, 1, 0) <= 0) return "";
  const ssize_t got = ::read(descriptor_, pressed, sizeof pressed);
  if (got == 0 || (got < 0 && errno != EINTR)) {  // the terminal is gone
    let_signals_go();
    descriptor_ = -1;
  }
  return got > 0 ? without_sequences({pressed, static_cast<std::size_t>(got)}) : "";
}

}  // namespace gpulab::cli
