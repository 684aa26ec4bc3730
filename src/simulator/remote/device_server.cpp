#include "simulator/remote/remote_device.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/text.hpp"
#include "sandbox/sandbox.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/device.hpp"
#include "simulator/remote/channel.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::remote {

void landmark() {}

namespace {

constexpr const char* server_option = "--simulated-device";

std::string path_of(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

class DeviceServer {
 public:
  explicit DeviceServer(Channel channel)
      : channel_(std::move(channel)),
        device_(open_simulator([this](const device::KernelSource&, device::Instrumentation) {
          return std::make_unique<compile::SimulatedModule>(std::move(file_to_load_));
        })) {
    watch::set_line_finder([this](const std::string& file, std::span<const std::uintptr_t> offsets) {
      return ask_for_lines(file, offsets);
    });
  }

  void run() {
    while (std::optional<Message> message = channel_.receive()) {
      received_file_ = message->file;
      const std::string answer = answer_to(std::move(message->bytes));
      const std::lock_guard lock(mutex_);
      if (!channel_.send(answer)) return;
    }
  }

 private:
  std::string answer_to(std::string bytes) {
    try {
      Reader calls(std::move(bytes));
      std::string answer;
      while (!calls.is_at_end()) {
        Writer writer;
        writer(Answer::done);
        Reader question(calls.next<std::string>());
        answer_call(question.next<Call>(), question, writer);
        answer = writer.take();
      }
      return answer;
    } catch (const CompileError& error) {
      return Writer()(Answer::compile_error, std::string(error.what()), error.log(), error.failure()).take();
    } catch (const device::DeviceError& error) {
      const bool is_refused = dynamic_cast<const device::LaunchError*>(&error);
      return Writer()(is_refused ? Answer::launch_error : Answer::device_error, error.call(), error.name(),
                      error.explanation(), error.failure())
          .take();
    } catch (const Error& error) {
      return Writer()(Answer::error, error.code(), std::string(error.what())).take();
    } catch (const std::bad_alloc&) {
      return Writer()(Answer::no_memory).take();
    } catch (const std::exception& error) {
      return Writer()(Answer::error, ExitCode::device, std::string(error.what())).take();
    }
  }

  void answer_call(Call call, Reader& question, Writer& writer) {
    if (call == Call::nothing) return;
    // The enumeration lists the calls in these groups.
    if (call <= Call::resident_blocks)
      answer_about_modules(call, question, writer);
    else if (call <= Call::mark_guard)
      answer_about_memory(call, question, writer);
    else if (call <= Call::launch)
      answer_about_streams(call, question, writer);
    else if (call <= Call::elapsed)
      answer_about_events(call, question, writer);
    else
      answer_about_instruments(call, question, writer);
  }

  void answer_about_modules(Call call, Reader& question, Writer& writer) {
    switch (call) {
      case Call::load: {
        file_to_load_.shared_object = path_of(received_file_);
        question(file_to_load_.file, file_to_load_.instrumentation, file_to_load_.kernels,
                 file_to_load_.notes, file_to_load_.scope);
        auto module = device_->compile({}, {});
        const Number number = modules_.add(std::make_unique<LoadedModule>(received_file_, std::move(module)));
        module_of_file_[path_of(received_file_)] = number;
        writer(number);
        return;
      }
      case Call::unload:
        return modules_.remove(question.next<Number>());
      case Call::kernel: {
        device::Module& module = *modules_[question.next<Number>()].module;
        const auto name = question.next<std::string>();
        auto kernel = module.kernel(name, question.next<Signature>());
        const device::KernelAttributes attributes = kernel->attributes();
        writer(kernels_.add(std::move(kernel)), attributes);
        return;
      }
      case Call::drop_kernel:
        return kernels_.remove(question.next<Number>());
      case Call::symbol: {
        device::Module& module = *modules_[question.next<Number>()].module;
        writer(module.symbol(question.next<std::string>()));
        return;
      }
      default: {  // Call::resident_blocks
        const device::Kernel& kernel = kernels_[question.next<Number>()];
        const auto block_size = question.next<unsigned>();
        writer(device_->resident_blocks(kernel, block_size, question.next<std::size_t>()));
      }
    }
  }

  void answer_about_memory(Call call, Reader& question, Writer& writer) {
    if (call == Call::allocate) {
      writer(device_->allocate(question.next<std::size_t>()));
      return;
    }
    if (call == Call::free) return device_->free(question.next<device::DevicePointer>());
    device::Stream& stream = *streams_[question.next<Number>()].stream;
    const auto from = question.next<device::DevicePointer>();
    const auto bytes = question.next<std::size_t>();
    if (call == Call::mark_uninitialised)
      device_->instruments()->mark_uninitialised(from, bytes, stream);
    else
      device_->instruments()->mark_guard(from, bytes, stream);
  }

  void answer_about_streams(Call call, Reader& question, Writer& writer) {
    if (call == Call::create_stream) {
      auto served = std::make_unique<ServedStream>();
      served->stream = device_->create_stream();
      writer(streams_.add(std::move(served)));
      return;
    }
    const auto number = question.next<Number>();
    if (call == Call::drop_stream) return streams_.remove(number);
    ServedStream& served = streams_[number];
    if (call == Call::synchronize) return synchronize(served, writer);
    if (call == Call::launch) return launch(*served.stream, question);
    copy(call, served, question);
  }

  void synchronize(ServedStream& served, Writer& writer) {
    const std::deque<std::string> from_host = std::exchange(served.from_host, {});  // lives while copies run
    const std::deque<std::string> to_host = std::exchange(served.to_host, {});
    device_->synchronize(*served.stream);
    for (const std::string& bytes : to_host) writer.raw(bytes);
  }

  void launch(device::Stream& stream, Reader& question) {
    const device::Kernel& kernel = kernels_[question.next<Number>()];
    const auto config = question.next<LaunchConfig>();
    std::string bytes = question.next<std::string>();
    std::vector<void*> arguments;
    std::size_t offset = 0;
    for (const std::size_t size : dynamic_cast<const compile::SimulatedKernel&>(kernel).argument_sizes) {
      arguments.push_back(bytes.data() + offset);
      offset += size;
    }
    device_->launch(kernel, config, arguments.data(), stream);
  }

  void copy(Call call, ServedStream& served, Reader& question) {
    // The source of a copy to the host, otherwise the target.
    const auto memory = question.next<device::DevicePointer>();
    if (call == Call::copy_to_device) {
      const std::string& bytes = served.from_host.emplace_back(question.next<std::string>());
      device_->copy_to_device(memory, std::as_bytes(std::span(bytes)), *served.stream);
    } else if (call == Call::copy_to_host) {
      std::string& bytes = served.to_host.emplace_back(question.next<std::size_t>(), '\0');
      device_->copy_to_host(std::as_writable_bytes(std::span(bytes)), memory, *served.stream);
    } else if (call == Call::copy_within) {
      const auto from = question.next<device::DevicePointer>();
      device_->copy_within(memory, from, question.next<std::size_t>(), *served.stream);
    } else {  // Call::set
      const auto value = question.next<unsigned char>();
      device_->set(memory, value, question.next<std::size_t>(), *served.stream);
    }
  }

  void answer_about_events(Call call, Reader& question, Writer& writer) {
    if (call == Call::create_event) {
      writer(events_.add(device_->create_event()));
      return;
    }
    const auto number = question.next<Number>();
    if (call == Call::drop_event) return events_.remove(number);
    device::Event& event = events_[number];
    const auto other = question.next<Number>();
    if (call == Call::record)
      device_->record(event, *streams_[other].stream);
    else if (call == Call::wait)
      device_->wait(*streams_[other].stream, event);
    else
      writer(device_->elapsed(event, events_[other]));
  }

  void answer_about_instruments(Call call, Reader& question, Writer& writer) {
    device::Instruments& instruments = *device_->instruments();
    if (call == Call::take_notes)
      writer(instruments.take_notes());
    else if (call == Call::take_defects)
      writer(instruments.take_defects());
    else if (call == Call::take_output)
      writer(instruments.take_output());
    else if (call == Call::take_access_counts)
      writer(instruments.take_access_counts());
    else if (call == Call::take_work) {
      const device::LaunchWork work = instruments.take_work();
      writer(work.steps, work.cpu_s);
    } else if (call == Call::line_of_store)
      writer(instruments.line_of_store(question.next<device::DevicePointer>()));
    else if (call == Call::begin_run)
      instruments.begin_run(question.next<device::ThreadOrder>());
    else if (call == Call::set_sampled_accesses)
      instruments.set_sampled_accesses(question.next<std::uint64_t>());
    else
      instruments.set_max_accesses(question.next<std::size_t>());
  }

  // Asks the other process for source lines. Worker threads ask, too, while that process waits for the answer
  // of a call. Ends this process if the other one is gone.
  std::vector<std::string> ask_for_lines(const std::string& file, std::span<const std::uintptr_t> offsets) {
    const std::lock_guard lock(mutex_);
    const std::vector<std::uintptr_t> asked(offsets.begin(), offsets.end());
    if (!channel_.send(Writer()(Answer::asks_for_lines, module_of_file_[file], asked).take())) ::_exit(0);
    const std::optional<Message> answer = channel_.receive();
    if (!answer) ::_exit(0);
    return Reader(answer->bytes).next<std::vector<std::string>>();
  }

  Channel channel_;
  std::mutex mutex_;
  int received_file_ = -1;  // came with the latest message; -1 for none
  compile::CompiledFile file_to_load_;
  std::map<std::string, Number> module_of_file_;
  std::unique_ptr<device::Device> device_;
  Numbered<LoadedModule> modules_;
  Numbered<device::Kernel> kernels_;
  Numbered<ServedStream> streams_;
  Numbered<device::Event> events_;
};

// Limits the address space to more than arrays, shadow memory and stacks need. Forbids files and core dumps.
void limit_resources() {
  constexpr std::size_t address_bytes = std::size_t{128} << 30;
  rlimit limit{address_bytes, address_bytes};
  ::setrlimit(RLIMIT_AS, &limit);
  limit = {0, 0};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::setrlimit(RLIMIT_CORE, &limit);
}

}  // namespace

std::vector<std::string> server_arguments(sandbox::Mode mode, double kernel_time_limit_s) {
  return {"gpulab", server_option, name_of(mode), with_decimals(kernel_time_limit_s, 3)};
}

std::optional<int> serve_if_asked(const std::vector<std::string>& arguments) {
  if (arguments.size() != 4 || arguments[1] != server_option) return std::nullopt;
  const sandbox::Confinement confinement(sandbox::mode_of(arguments[2]), {}, sandbox::SystemCalls::kernels);
  ::setenv("GPULAB_TIME_LIMIT", arguments[3].c_str(), /*overwrite=*/0);
  limit_resources();
  if (!confinement.confine_files()) return 1;
  DeviceServer server{Channel(Descriptor(server_socket))};
  if (const bool is_restricted = sandbox::restrict_sending_to_send_message(server_socket);
      !is_restricted && arguments[2] == sandbox::name_of(sandbox::Mode::require))
    return 1;
  if (!confinement.confine_system_calls()) return 1;
  server.run();
  ::_exit(0);
}

}  // namespace gpulab::simulator::remote
