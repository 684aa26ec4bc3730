#include "simulator/remote/remote_device.hpp"

#include <deque>
#include <map>
#include <span>

#include "simulator/compile/compiler.hpp"
#include "simulator/device.hpp"
#include "simulator/remote/connection.hpp"

namespace gpulab::simulator::remote {
namespace {

// An object of the device's process, which goes when this does.
class Remote {
 public:
  Remote(Connection& connection, Number number, Call drop)
      : connection_(connection), number_(number), drop_(drop) {}
  ~Remote() { connection_.tell(drop_, number_); }
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

  std::deque<std::span<std::byte>> copies;  // to the host, in their order, that have not come yet
};

struct RemoteEvent : device::Event, Remote {
  explicit RemoteEvent(Connection& connection)
      : Remote(connection, connection.call(Call::create_event).last<Number>(), Call::drop_event) {}
};

class RemoteDevice : public device::Device, public device::Instruments {
 public:
  RemoteDevice(device::CompileCache& cache, const Options& options)
      : connection_(options),
        compiler_(cache, options.mode, options.stop),
        properties_(simulator_properties()) {
    properties_.compiler_version = compiler_.name();
  }

  const DeviceProperties& properties() const override { return properties_; }

  std::unique_ptr<device::Module> compile(const device::KernelSource& source,
                                          const device::CompileOptions& options) override {
    const compile::CompiledFile compiled = compiler_.compiled(source, options.instrumentation);
    const compile::NamelessFile file(compiled.shared_object);
    const auto number = connection_
                            .call_with_file(file.descriptor(), Call::load, compiled.file,
                                            compiled.instrumentation, compiled.kernels, compiled.notes)
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
  void free(device::DevicePointer pointer) noexcept override { connection_.tell(Call::free, pointer); }

  void pin(std::span<std::byte>) override {}
  void unpin(std::span<std::byte>) noexcept override {}

  std::unique_ptr<device::Stream> create_stream() override {
    return std::make_unique<RemoteStream>(connection_);
  }

  void synchronize(device::Stream& stream) override {
    auto& waiting = of(stream).copies;
    const auto expected = std::exchange(waiting, {});
    std::size_t bytes = 0;
    for (const std::span<std::byte> copy : expected) bytes += copy.size();
    Reader answer = connection_.call_for(bytes, Call::synchronize, of(stream).number());
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
    return {connection_.call(Call::take_access_counts).last<std::vector<LineAccesses>>()};
  }
  std::vector<Defect> take_defects() override {
    return connection_.call(Call::take_defects).last<std::vector<Defect>>();
  }
  std::string take_output() override { return connection_.call(Call::take_output).last<std::string>(); }
  void set_order(const device::ThreadOrder& order) override { connection_.tell(Call::set_order, order); }
  void set_max_accesses(std::size_t accesses) override { connection_.tell(Call::set_max_accesses, accesses); }

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

}  // namespace gpulab::simulator::remote
