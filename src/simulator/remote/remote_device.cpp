#include "simulator/remote/remote_device.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <span>

#include "base/text.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/device.hpp"
#include "simulator/watch/kernel_fault.hpp"

namespace gpulab::simulator::remote {
namespace {

// A handle of an object in the device's process. Its destructor releases the object.
class Remote {
 public:
  Remote(Connection& connection, Number number, Call drop)
      : connection_(connection), number_(number), drop_(drop) {}
  ~Remote() { connection_.try_post(drop_, number_); }
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  Number number() const { return number_; }

 private:
  Connection& connection_;
  Number number_;
  Call drop_;
};

class RemoteKernel : public device::Kernel, public Remote {
 public:
  RemoteKernel(Connection& connection, Reader answer, std::vector<std::size_t> argument_sizes)
      : Remote(connection, answer.next<Number>(), Call::drop_kernel),
        attributes_(answer.last<device::KernelAttributes>()),
        argument_sizes_(std::move(argument_sizes)) {}

  device::KernelAttributes attributes() const override { return attributes_; }

  std::string bytes_of(void* const* arguments) const {
    std::string bytes;
    for (std::size_t i = 0; i < argument_sizes_.size(); ++i)
      bytes.append(static_cast<const char*>(arguments[i]), argument_sizes_[i]);
    return bytes;
  }

 private:
  device::KernelAttributes attributes_;
  std::vector<std::size_t> argument_sizes_;
};

class RemoteModule : public device::Module, public Remote {
 public:
  RemoteModule(Connection& connection, Number number)
      : Remote(connection, number, Call::unload), connection_(connection) {}

  std::unique_ptr<device::Kernel> kernel(const std::string& name, const Signature& signature) override {
    return std::make_unique<RemoteKernel>(
        connection_, connection_.call(Call::kernel, number(), name, signature), signature.sizes);
  }
  device::DeviceSymbol symbol(const std::string& name) override {
    return connection_.call(Call::symbol, number(), name).last<device::DeviceSymbol>();
  }

 private:
  Connection& connection_;
};

struct RemoteStream : device::Stream, Remote {
  explicit RemoteStream(Connection& connection)
      : Remote(connection, connection.call(Call::create_stream).last<Number>(), Call::drop_stream) {}

  std::deque<std::span<std::byte>> copies;  // pending copies to the host, in order
};

struct RemoteEvent : device::Event, Remote {
  explicit RemoteEvent(Connection& connection)
      : Remote(connection, connection.call(Call::create_event).last<Number>(), Call::drop_event) {}
};

class RemoteDevice : public device::Device, public device::Instruments {
 public:
  RemoteDevice(device::CompileCache& cache, const Options& options)
      : connection_(options),
        compiler_(cache, options.warp_size, options.mode, options.stop),
        properties_(simulator_properties(options.warp_size)) {
    properties_.compiler_version = compiler_.name();
  }

  const DeviceProperties& properties() const override { return properties_; }

  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions& options) override {
    const compile::CompiledFile compiled = compiler_.compiled(source, options.instrumentation);
    const compile::NamelessFile file(compiled.shared_object);
    const auto number =
        connection_
            .call_with_file(file.descriptor(), Call::load, compiled.file, compiled.instrumentation,
                            compiled.kernels, compiled.notes, compiled.scope)
            .last<Number>();
    connection_.remember(number, compiled.shared_object);
    return std::make_unique<RemoteModule>(connection_, number);
  }

  unsigned resident_blocks(const device::Kernel& kernel, unsigned block_size, std::size_t bytes) override {
    return connection_.call(Call::resident_blocks, of(kernel).number(), block_size, bytes).last<unsigned>();
  }

  device::DevicePointer allocate(std::size_t bytes) override {
    return connection_.call(Call::allocate, bytes).last<device::DevicePointer>();
  }
  void free(device::DevicePointer pointer) noexcept override { connection_.try_post(Call::free, pointer); }

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}

  std::unique_ptr<device::Stream> create_stream() override {
    return std::make_unique<RemoteStream>(connection_);
  }

  void synchronize(device::Stream& stream) override {
    const auto expected = std::exchange(of(stream).copies, {});
    std::size_t bytes = 0;
    for (const std::span<std::byte> copy : expected) bytes += copy.size();
    Reader answer = connection_.call_for_bytes(bytes, Call::synchronize, of(stream).number());
    for (const std::span<std::byte> copy : expected)
      std::memcpy(copy.data(), answer.take(copy.size()).data(), copy.size());
    if (!answer.is_at_end()) throw BadMessage();
  }

  void copy_to_device(device::DevicePointer to, std::span<const std::byte> from,
                      device::Stream& stream) override {
    connection_.post(Call::copy_to_device, of(stream).number(), to,
                     std::string_view(reinterpret_cast<const char*>(from.data()), from.size()));
  }
  void copy_to_host(std::span<std::byte> to, device::DevicePointer from, device::Stream& stream) override {
    connection_.post(Call::copy_to_host, of(stream).number(), from, to.size());
    of(stream).copies.push_back(to);
  }
  void copy_within(device::DevicePointer to, device::DevicePointer from, std::size_t bytes,
                   device::Stream& stream) override {
    connection_.post(Call::copy_within, of(stream).number(), to, from, bytes);
  }
  void set(device::DevicePointer to, unsigned char value, std::size_t bytes,
           device::Stream& stream) override {
    connection_.post(Call::set, of(stream).number(), to, value, bytes);
  }
  void mark_uninitialised(device::DevicePointer from, std::size_t bytes, device::Stream& stream) override {
    connection_.post(Call::mark_uninitialised, of(stream).number(), from, bytes);
  }
  void mark_guard(device::DevicePointer from, std::size_t bytes, device::Stream& stream) override {
    connection_.post(Call::mark_guard, of(stream).number(), from, bytes);
  }

  void launch(const device::Kernel& kernel, const LaunchConfig& config, void* const* arguments,
              device::Stream& stream) override {
    connection_.call(Call::launch, of(stream).number(), of(kernel).number(), config,
                     of(kernel).bytes_of(arguments));
  }

  std::unique_ptr<device::Event> create_event() override {
    return std::make_unique<RemoteEvent>(connection_);
  }
  void record(device::Event& event, device::Stream& stream) override {
    connection_.post(Call::record, of(event).number(), of(stream).number());
  }
  void wait(device::Stream& stream, device::Event& event) override {
    connection_.post(Call::wait, of(event).number(), of(stream).number());
  }
  double elapsed(device::Event& start, device::Event& stop) override {
    return connection_.call(Call::elapsed, of(start).number(), of(stop).number()).last<double>();
  }

  void evict_caches(device::Stream&) override {}

  device::Instruments* instruments() override { return this; }

  std::vector<std::string> take_notes() override {
    auto notes = connection_.call(Call::take_notes).last<std::vector<std::string>>();
    for (std::string& note : notes) note = printable(note);
    return notes;
  }
  AccessCounts take_access_counts() override {
    return connection_.call(Call::take_access_counts).last<AccessCounts>();
  }
  std::vector<Defect> take_defects() override {
    return connection_.call(Call::take_defects).last<std::vector<Defect>>();
  }
  device::LaunchWork take_work() override {
    Reader answer = connection_.call(Call::take_work);
    device::LaunchWork work;
    work.steps = answer.next<std::uint64_t>();
    work.cpu_s = answer.last<double>();
    return work;
  }
  int line_of_store(device::DevicePointer element) override {
    return connection_.call(Call::line_of_store, element).last<int>();
  }
  std::string take_output() override { return connection_.call(Call::take_output).last<std::string>(); }
  void begin_run(const device::ThreadOrder& order) override { connection_.try_post(Call::begin_run, order); }
  void set_sampled_accesses(std::uint64_t accesses) override {
    connection_.try_post(Call::set_sampled_accesses, accesses);
  }
  void set_max_accesses(std::size_t accesses) override {
    connection_.try_post(Call::set_max_accesses, accesses);
  }

 private:
  static const RemoteKernel& of(const device::Kernel& kernel) {
    return dynamic_cast<const RemoteKernel&>(kernel);
  }
  static RemoteStream& of(device::Stream& stream) { return dynamic_cast<RemoteStream&>(stream); }
  static RemoteEvent& of(device::Event& event) { return dynamic_cast<RemoteEvent&>(event); }

  Connection connection_;
  compile::SimulatorCompiler compiler_;
  DeviceProperties properties_;
};

}  // namespace

std::unique_ptr<device::Device> open_confined(device::CompileCache& cache, const Options& options) {
  return std::make_unique<RemoteDevice>(cache, options);
}

namespace {

constexpr const char* failure_prefix = "cannot run kernels in a process of their own";

Child start_server(int socket, const Options& options) {
  const Descriptor dev_null = open_dev_null(failure_prefix);
  return Child({.error_prefix = failure_prefix,
                .program = server_arguments(options.mode, options.kernel_time_limit_s),
                .file = own_file,
                .files = {dev_null.number(), dev_null.number(), dev_null.number()},
                .inherited = socket,
                .inherited_as = server_socket});
}

// Returns CUDA's name of an error, which is used within sentences.
std::string error_name(Reader& answer) {
  std::string name = answer.text();
  const bool is_name = !name.empty() && name.size() < 80 && std::ranges::all_of(name, [](char letter) {
    return letter == '_' || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
  });
  if (!is_name) throw BadMessage();
  return name;
}

// Throws in this process what was thrown in the other one. Its text is quoted wherever it could pass for this
// program's own.
[[noreturn]] void throw_error(Answer kind, Reader answer) {
  if (kind == Answer::compile_error) {
    const std::string message = answer.text(), log = printable_lines(answer.next<std::string>());
    throw CompileError(message, log, answer.last<Failure>());
  }
  if (kind == Answer::no_memory) throw Error(ExitCode::usage, "out of host memory: choose a smaller problem");
  if (kind == Answer::error) {
    const bool is_usage = answer.next<ExitCode>() == ExitCode::usage;
    throw Error(is_usage ? ExitCode::usage : ExitCode::device,
                "the process that runs the kernel cannot go on: \"" + answer.text() + "\"");
  }
  const std::string call = answer.text(), name = error_name(answer), explanation = answer.text();
  const auto failure = answer.last<Failure>();
  if (kind == Answer::launch_error) throw device::LaunchError(call, name, explanation, failure);
  throw device::DeviceError(call, name, explanation, failure);
}

}  // namespace

Connection::Connection(const Options& options)
    : time_limit_s_(options.time_limit_s), stop_(options.stop), channel_() {
  sandbox::check_support(options.mode);  // throws Error; once the process runs, it would be DeviceGone
  auto [own_end, server_end] = make_sockets_for(failure_prefix);
  server_.emplace(start_server(server_end.number(), options));
  limit_.emplace(time_limit_s_, server_->id());
  channel_ = Channel(std::move(own_end));
}

Reader Connection::ask(const std::string& bytes, int file, std::size_t extra_bytes) {
  if (gone_) throw *gone_;
  return send_and_receive(std::exchange(posted_, {}) + Writer()(bytes).take(), file, extra_bytes);
}

// Sends a message and receives its answer, which is dropped if the work is stopped.
Reader Connection::send_and_receive(const std::string& all, int file, std::size_t extra_bytes) try {
  if (!channel_.send(all, file, {*limit_, stop_})) end(Cause::crash);
  return receive_answer(extra_bytes);
} catch (const OutOfTime&) {
  end(Cause::time_limit);
} catch (const BadMessage& error) {
  end_with(error);
} catch (const WorkStopped&) {
  server_.reset();
  gone_.emplace("it was stopped on request");
  throw;
}

Reader Connection::receive_answer(std::size_t extra_bytes) {
  const WaitLimits limits{*limit_, stop_};
  for (;;) {
    std::optional<std::string> message = channel_.receive(max_answer_bytes + extra_bytes, limits);
    if (!message) end(Cause::crash);
    Reader answer(std::move(*message));
    const auto kind = answer.next<Answer>();
    if (kind == Answer::done) return answer;
    if (kind != Answer::asks_for_lines) throw_error(kind, std::move(answer));
    if (!channel_.send(source_lines(std::move(answer)), -1, limits)) end(Cause::crash);
  }
}

std::string Connection::source_lines(Reader question) const {
  constexpr std::size_t max_lines = 1000;  // more than any report has
  const auto module = compiled_.find(question.next<Number>());
  const auto offsets = question.last<std::vector<std::uintptr_t>>();
  if (module == compiled_.end() || offsets.size() > max_lines) throw BadMessage();
  return Writer()(watch::found_lines(module->second.string(), offsets)).take();
}

// Ends the process and throws the reason. Later calls of ask() throw it again, and try_post() does nothing.
void Connection::end(Cause cause) {
  const bool is_out_of_time = cause == Cause::time_limit;
  const ExitStatus status = server_->kill();
  const int signal = is_out_of_time ? 0 : status.signal();
  std::string why = "the process that ran it crashed";
  if (is_out_of_time)
    why = limit_->was_idle() ? "it was stopped: for " + with_decimals(TimeLimit::longest_idle_s, 0) +
                                   " s it neither computed nor answered"
                             : "it was stopped after " + with_decimals(time_limit_s_, 0) + " s of CPU time";
  else if (signal == SIGSYS)
    why =
        "the process that ran it was ended by the sandbox: it asked the operating system for something that no kernel needs";
  else if (signal)
    why += std::string(": ") + ::strsignal(signal);
  end_with(DeviceGone(why, is_out_of_time, signal));
}

void Connection::end_with(DeviceGone why) {
  server_.reset();
  throw gone_.emplace(std::move(why));
}

}  // namespace gpulab::simulator::remote
