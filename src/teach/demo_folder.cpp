#include "teach/demo_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>

#include "base/error.hpp"
#include "base/files.hpp"

namespace gpulab::teach {
namespace {

namespace fs = std::filesystem;

// Entry of the list of paths that the signal handler removes. A handler must not allocate, so it only follows
// the list. The newest entry is first, so the files in a folder come before the folder.
struct Leftover {
  std::string path;
  const Leftover* older;
};
std::list<Leftover> leftovers;
std::atomic<const Leftover*> newest = nullptr;
std::string where_edits_are;
std::atomic<const char*> message_at_signal = "";
std::atomic<pid_t> owner = 0;
int terminal = -1;  // a copy of stderr, which is captured while a screen is drawn

// Refuses a folder in which no other folder can be made. Only a trial shows whether one can.
void require_room(const fs::path& folder) {
  make_folder(folder);
  std::string trial = (folder / "gpulab-demo-XXXXXX").string();
  if (!::mkdtemp(trial.data()))
    throw UsageError(
        fmt::format("cannot write into the folder {}: {}", folder.string(), std::strerror(errno)));
  ::rmdir(trial.c_str());
}

void remove_at_signal(const fs::path& path) {
  newest = &leftovers.emplace_back(path.string(), newest.load());
}

// Removes what the list names, and ends. In a child that checks a kernel, only ends: the demo goes on.
void clean_up_and_end(int signal) {
  if (::getpid() == owner) {
    for (const Leftover* leftover = newest; leftover; leftover = leftover->older)
      if (::unlink(leftover->path.c_str()) != 0) ::rmdir(leftover->path.c_str());
    const char* const message = message_at_signal;
    if (::write(terminal, message, std::strlen(message)) < 0) errno = 0;  // the terminal is gone
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void clean_up_at_signals() {
  owner = ::getpid();
  if (terminal < 0) terminal = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;  // ignored, as nohup wants it
    action.sa_handler = clean_up_and_end;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

DemoFolder::DemoFolder(const std::optional<fs::path>& named)
    : path_(named.value_or(fs::path())), is_kept_(named.has_value()) {
  if (named) require_room(*named);
  clean_up_at_signals();
}

DemoFolder::~DemoFolder() {
  std::error_code ignored;
  if (!is_kept_ && !path_.empty()) fs::remove_all(path_, ignored);
  newest = nullptr;
  message_at_signal = "";
}

void DemoFolder::keep() {
  is_kept_ = true;
  newest = nullptr;
  where_edits_are = "your edits are in " + path_.string() + "\n";
  message_at_signal = where_edits_are.c_str();
}

void DemoFolder::make(const fs::path& folder) {
  if (!is_kept_ && !is_there(folder)) remove_at_signal(folder);
  make_folder(folder);
}

fs::path DemoFolder::path_of(std::size_t step, const std::string& name) const {
  return path_ / ("step-" + std::to_string(step + 1)) / name;
}

fs::path DemoFolder::put(std::size_t step, const std::string& name, const std::string& text) {
  if (path_.empty()) {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "gpulab-demo-XXXXXX").string();
    if (failed || !::mkdtemp(pattern.data()))
      throw UsageError("cannot make a folder for the demo's kernels; name one with --folder");
    path_ = pattern;
    remove_at_signal(path_);
  }
  const fs::path file = path_of(step, name);
  make(file.parent_path());
  if (has_text(file, text)) return file;
  const bool is_first = written_.insert(file).second;
  if (is_first && is_kept_) set_aside(file);
  if (is_first && !is_kept_) remove_at_signal(file);
  replace_file(file, text);
  return file;
}

}  // namespace gpulab::teach
