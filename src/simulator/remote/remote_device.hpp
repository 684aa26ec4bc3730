#pragma once

#include <unistd.h>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "device/compile_cache.hpp"
#include "device/device.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/remote/channel.hpp"

namespace gpulab::simulator::remote {

struct Options {
  sandbox::Mode mode = sandbox::Mode::automatic;
  double time_limit_s = 60;        // for all that is asked of it
  double kernel_time_limit_s = 3;  // without a thread's return, unless GPULAB_TIME_LIMIT says another
  StopRequest stop = {};
};

// The simulated device in a process of its own, which is confined before it sees a kernel: it has no file but
// this connection, and what it needs it is given. This process compiles (in a confined process, too), keeps
// what results are compared with, and judges. All else is as with the device in this process, but that copies
// to the device are read at once. Throws DeviceError when there is no C++ compiler, Error for Mode::require
// where this machine cannot confine; its calls throw DeviceGone and WorkStopped. The cache must outlive it.
std::unique_ptr<device::Device> open_confined(device::CompileCache& cache, const Options& options);

// Starts the process of a device, asks it, and ends it.
class Connection {
 public:
  explicit Connection(const Options& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The answer, when it has come. Throws what the call, or one that was posted before it, threw there;
  // DeviceGone and WorkStopped.
  template <class... Ts>
  Reader call(Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), -1);
  }
  // An answer that may have so many more bytes, which were asked for.
  template <class... Ts>
  Reader call_for(std::size_t bytes, Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), -1, bytes);
  }
  template <class... Ts>
  Reader call_with_file(int file, Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), file);
  }
  // What has no answer goes with the next call: a check makes thousands. Does nothing when the process is
  // gone.
  template <class... Ts>
  void post(Call call, const Ts&... values) {
    if (gone_) return;
    posted_ += Writer()(Writer()(call, values...).take()).take();
    if (posted_.size() > most_posted_bytes) ask(Writer()(Call::nothing).take(), -1);
  }
  // The same, of objects that go.
  template <class... Ts>
  void tell(Call what, const Ts&... values) noexcept {
    try {
      post(what, values...);
    } catch (const std::exception&) {  // of no matter any more
    }
  }

  // The process may not find lines by itself, so it asks for them, by the number of the module.
  void remember(Number module, std::filesystem::path compiled) { compiled_[module] = std::move(compiled); }

 private:
  static constexpr std::size_t most_posted_bytes = std::size_t{1} << 24,
                               most_answer_bytes = std::size_t{1} << 24;

  Reader ask(const std::string& bytes, int file, std::size_t asked_for = 0);
  Reader answer(std::size_t asked_for);
  Reader answer_of(const std::string& all, int file, std::size_t asked_for);
  std::string lines(Reader question) const;
  [[noreturn]] void end(bool is_out_of_time);
  [[noreturn]] void end_with(DeviceGone why);

  double time_limit_s_;
  std::optional<TimeLimit> limit_;
  StopRequest stop_;
  Channel channel_;
  std::optional<Child> server_;     // none when it is gone
  std::optional<DeviceGone> gone_;  // why, when it is
  std::string posted_;              // calls whose results nobody waits for
  std::map<Number, std::filesystem::path> compiled_;
};

// Objects by their numbers.
template <class T>
class Numbered {
 public:
  Number add(std::unique_ptr<T> object) {
    objects_[++latest_] = std::move(object);
    return latest_;
  }
  T& operator[](Number number) const { return *objects_.at(number); }
  void remove(Number number) { objects_.erase(number); }

 private:
  std::map<Number, std::unique_ptr<T>> objects_;
  Number latest_ = 0;
};

// A loaded file stays open: the loader takes an open file's name for what it has loaded under that name.
struct LoadedModule {
  int file;
  std::unique_ptr<device::Module> module;
  ~LoadedModule() {
    module.reset();
    ::close(file);
  }
};

// What copies of a stream read and write until it is synchronised.
struct ServedStream {
  std::unique_ptr<device::Stream> stream;
  std::deque<std::string> from_host, to_host;  // which do not move
};

// Where the process of a device finds its end of the connection.
constexpr int servers_socket = 3;

// The words of a command line that make this program the process of a device.
std::vector<std::string> words_for_server(sandbox::Mode mode, double kernel_time_limit_s);

// Confines this process, and answers until nobody asks any more, if the words are those above; what to end
// with. To be called first in main.
std::optional<int> serve_if_asked(const std::vector<std::string>& words);

}  // namespace gpulab::simulator::remote
