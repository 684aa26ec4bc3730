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
  double time_limit_s = 60;  // of CPU time, for all its work
  // CPU time in which no thread of a kernel returns. GPULAB_TIME_LIMIT overrides it.
  double kernel_time_limit_s = 3;
  StopToken stop = {};
  WarpSize warp_size = {};
};

// Opens the simulated device in another process, which is confined before it sees a kernel: that process has
// no file but this connection, through which it receives all that it needs. This process compiles (in a
// confined process, too), keeps the expected results, and judges. The device behaves as it would in this
// process, except that copies to the device read their source at once. Throws DeviceError when there is no
// C++ compiler, and Error for Mode::require on a machine that cannot confine. The device's calls throw
// DeviceGone and WorkStopped. The cache must outlive the device.
std::unique_ptr<device::Device> open_confined(device::CompileCache& cache, const Options& options);

// Starts the process of a device, calls it, and ends it.
class Connection {
 public:
  explicit Connection(const Options& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends a call and waits for its answer. Throws what the call, or one posted before it, threw in the other
  // process; also DeviceGone and WorkStopped.
  template <class... Ts>
  Reader call(Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), /*file=*/-1);
  }
  // Sends a call in the same way, for an answer with up to `bytes` additional bytes.
  template <class... Ts>
  Reader call_for_bytes(std::size_t bytes, Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), /*file=*/-1, bytes);
  }
  // Sends a call in the same way, together with a file's descriptor.
  template <class... Ts>
  Reader call_with_file(int file, Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), file);
  }
  // Queues a call that needs no answer. It is sent with the next one that does, since a check makes
  // thousands. Does nothing when the process is gone.
  template <class... Ts>
  void post(Call call, const Ts&... values) {
    if (gone_) return;
    posted_ += Writer()(Writer()(call, values...).take()).take();
    if (posted_.size() > max_posted_bytes) ask(Writer()(Call::nothing).take(), /*file=*/-1);
  }
  // Posts a call without exceptions, for destructors.
  template <class... Ts>
  void try_post(Call what, const Ts&... values) noexcept {
    try {
      post(what, values...);
    } catch (const std::exception&) {  // does not matter any more
    }
  }

  // Remembers a compiled module. The device's process may not run addr2line, so it asks for source lines by
  // the module's number.
  void remember(Number module, std::filesystem::path compiled) { compiled_[module] = std::move(compiled); }

 private:
  static constexpr std::size_t max_posted_bytes = std::size_t{1} << 24,
                               max_answer_bytes = std::size_t{1} << 24;

  Reader ask(const std::string& bytes, int file, std::size_t extra_bytes = 0);
  Reader receive_answer(std::size_t extra_bytes);
  Reader send_and_receive(const std::string& all, int file, std::size_t extra_bytes);
  std::string source_lines(Reader question) const;
  enum class Cause { crash, time_limit };
  [[noreturn]] void end(Cause cause);
  [[noreturn]] void end_with(DeviceGone why);

  double time_limit_s_;
  std::optional<TimeLimit> limit_;
  StopToken stop_;
  Channel channel_;
  std::optional<Child> server_;     // none after it has ended
  std::optional<DeviceGone> gone_;  // the reason, after it has ended
  std::string posted_;              // calls not yet sent
  std::map<Number, std::filesystem::path> compiled_;
};

// Objects of the device by their handles.
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

// A loaded module. Its file stays open: the loader knows a shared object by its path, which is
// /proc/self/fd/N here, and a closed N is reused.
struct LoadedModule {
  int file;
  std::unique_ptr<device::Module> module;
  ~LoadedModule() {
    module.reset();
    ::close(file);
  }
};

// A stream, with the buffers that its copies use until it is synchronised.
struct ServedStream {
  std::unique_ptr<device::Stream> stream;
  std::deque<std::string> from_host, to_host;  // deque: elements do not move
};

// Descriptor of the connection in the process of a device.
constexpr int server_socket = 3;

// Returns the arguments that make this program the process of a device.
std::vector<std::string> server_arguments(sandbox::Mode mode, double kernel_time_limit_s);

// Serves a device if the arguments are those above: confines this process and answers until the connection
// ends. Returns the exit code, none for other arguments. Call it first in main.
std::optional<int> serve_if_asked(const std::vector<std::string>& arguments);

}  // namespace gpulab::simulator::remote
