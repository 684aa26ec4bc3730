#pragma once

#include <sys/types.h>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/remote/channel.hpp"
#include "simulator/remote/protocol.hpp"
#include "simulator/remote/remote_device.hpp"
#include "simulator/remote/wire.hpp"

namespace gpulab::simulator::remote {

// Starts the process of a device, asks it, and ends it.
class Connection {
 public:
  explicit Connection(const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The answer, when it has come. Throws what the call threw there, DeviceGone and WorkStopped.
  template <class... Ts>
  Reader call(Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), -1);
  }
  template <class... Ts>
  Reader call_with_file(int file, Call call, const Ts&... values) {
    return ask(Writer()(call, values...).take(), file);
  }
  // What cannot fail, and does not matter any more when the process is gone.
  template <class... Ts>
  void tell(Call what, const Ts&... values) noexcept {
    if (process_ <= 0) return;
    try {
      call(what, values...);
    } catch (const std::exception&) {
    }
  }

  // The process may not find lines by itself, so it asks for them, by the number of the module.
  void remember(Number module, std::filesystem::path compiled) { compiled_[module] = std::move(compiled); }

 private:
  Reader ask(const std::string& bytes, int file);
  Reader answer();
  bool is_answered_in_time();
  std::string lines(Reader question) const;
  [[noreturn]] void end(bool is_out_of_time);
  int reap();

  std::chrono::steady_clock::time_point deadline_;
  double time_limit_s_;
  sandbox::StopRequest stop_;
  Channel channel_;
  pid_t process_ = -1;
  std::optional<DeviceGone> gone_;  // why, when it is
  std::map<Number, std::filesystem::path> compiled_;
};

}  // namespace gpulab::simulator::remote
