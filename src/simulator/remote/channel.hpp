#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "lesson/access_counts.hpp"
#include "lesson/exercise.hpp"
#include "lesson/finding.hpp"
#include "lesson/handles.hpp"

namespace gpulab::simulator::remote {

// Calls of the program to the process that has the device, grouped as DeviceServer::answer_call expects. A
// message holds one or more; only the last one is answered, by its result or by the first error of them all.
enum class Call : std::uint8_t {
  nothing,
  load,
  unload,
  kernel,
  drop_kernel,
  symbol,
  resident_blocks,
  allocate,
  free,
  mark_uninitialised,
  mark_guard,
  create_stream,
  drop_stream,
  synchronize,
  copy_to_device,
  copy_to_host,
  copy_within,
  set,
  launch,
  create_event,
  drop_event,
  record,
  wait,
  elapsed,
  take_notes,
  take_defects,
  take_output,
  take_access_counts,
  take_work,
  line_of_store,
  begin_run,
  set_sampled_accesses,
  set_max_accesses
};

// The first value of an answer. Questions may precede the answer.
enum class Answer : std::uint8_t {
  done,
  error,
  no_memory,
  compile_error,
  device_error,
  launch_error,
  asks_for_lines
};

// A handle for an object of the device; the first is 1.
using Number = std::uint32_t;

// The process of the device is gone, with all its objects. Not an Error: the code that runs untrusted kernels
// decides what it means.
class DeviceGone : public std::runtime_error {
 public:
  explicit DeviceGone(const std::string& why, bool is_out_of_time = false, int signal = 0)
      : std::runtime_error(why), is_out_of_time(is_out_of_time), signal(signal) {}

  bool is_out_of_time;  // it was killed at its time limit
  int signal;           // the signal that killed it; 0 if it exited by itself
};

// The process sent bytes that are no message of gpulab, so native code in it must have written to the
// connection.
class BadMessage : public DeviceGone {
 public:
  BadMessage() : DeviceGone("the process that ran it sent a message that makes no sense") {}
};

// Serialisation between a device's two processes, which are the same program on the same machine. The
// confined one may run untrusted code, so a message is read whole or rejected by BadMessage. No length is
// believed before the bytes are there, enumerations must have a named value, and texts become one printable
// line.

class Writer {
 public:
  template <class... Ts>
  Writer& operator()(const Ts&... values) {
    (put(values), ...);
    return *this;
  }
  // Writes a sentence or a name.
  void text(const std::string& text) { (*this)(text); }
  // Writes bytes without a length.
  void raw(std::string_view bytes) { bytes_ += bytes; }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* from, std::size_t bytes) { bytes_.append(static_cast<const char*>(from), bytes); }
  void put_with_length(std::string_view bytes) {
    (*this)(bytes.size());
    raw(bytes);
  }

  template <class T>
  void put(const T& value);

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class... Ts>
  Reader& operator()(Ts&... values) {
    (get(values), ...);
    return *this;
  }
  template <class T>
  T next() {
    T value{};
    get(value);
    return value;
  }
  // Reads the last value of the message.
  template <class T>
  T last() {
    T value = next<T>();
    if (!is_at_end()) throw BadMessage();
    return value;
  }
  void text(std::string& text) {
    get(text);
    constexpr std::size_t max_bytes = 10'000;
    if (text.size() > max_bytes) throw BadMessage();
    text = printable(text);
  }
  std::string text() {
    std::string value;
    text(value);
    return value;
  }
  // Reads that many bytes; they live as long as the reader.
  std::string_view take(std::size_t bytes) {
    if (bytes > bytes_.size() - at_) throw BadMessage();
    return std::string_view(bytes_).substr(std::exchange(at_, at_ + bytes), bytes);
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  template <class T>
  void get(T& value);

  std::string bytes_;
  std::size_t at_ = 0;
};

// Returns the last value of an enumeration. There is one overload for each enumeration that may be sent.
constexpr Call last_of(Call) {
  return Call::set_max_accesses;
}
constexpr Answer last_of(Answer) {
  return Answer::asks_for_lines;
}
constexpr ExitCode last_of(ExitCode) {
  return ExitCode::regression;
}
constexpr DefectKind last_of(DefectKind) {
  return DefectKind::other;
}
constexpr DefectAccess last_of(DefectAccess) {
  return DefectAccess::atomic;
}
constexpr AccessKind last_of(AccessKind) {
  return AccessKind::shared_atomic;
}
constexpr Limiter last_of(Limiter) {
  return Limiter::latency;
}
constexpr device::Instrumentation last_of(device::Instrumentation) {
  return device::Instrumentation::checked;
}
constexpr ProgramWatch last_of(ProgramWatch) {
  return ProgramWatch::accesses;
}
constexpr ProgramFinding::Premise last_of(ProgramFinding::Premise) {
  return ProgramFinding::Premise::kernel_never_returns;
}
constexpr TimelineEntry::Kind last_of(TimelineEntry::Kind) {
  return TimelineEntry::Kind::other;
}

// Whether the type is sent as its bytes. That is safe if any bytes are a valid value of the type, or if the
// confined process never sends it.
template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T>;
template <>
inline constexpr bool is_plain<DefectThread> = true;
template <>
inline constexpr bool is_plain<device::DeviceSymbol> = true;
template <>
inline constexpr bool is_plain<LaunchConfig> = true;
template <>
inline constexpr bool is_plain<device::ThreadOrder> = true;
template <>
inline constexpr bool is_plain<AccessSums> = true;
template <>
inline constexpr bool is_plain<AccessPattern> = true;
template <>
inline constexpr bool is_plain<RequestSample> = true;
template <>
inline constexpr bool is_plain<Footprint> = true;

// Visits the members of other structures, for Writer and Reader alike. A Writer visits const structures.
template <class T, class Type>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Type>;

template <class Archive, MaybeConst<Defect> D>
void visit_members(Archive& archive, D& defect) {
  archive(defect.kind, defect.is_note, defect.ends_launch, defect.party, defect.other, defect.address,
          defect.bytes, defect.memory.begin, defect.memory.bytes, defect.index, defect.barrier_line,
          defect.count);
  for (auto* text : {&defect.work, &defect.other_work, &defect.memory.variable, &defect.detail})
    archive.text(*text);
}

template <class Archive, MaybeConst<Defect::Party> P>
void visit_members(Archive& archive, P& party) {
  archive(party.line, party.access, party.place);
  archive.text(party.file);
}

template <class Archive, MaybeConst<Failure> F>
void visit_members(Archive& archive, F& failure) {
  archive(failure.kind, failure.line);
  for (auto* text : {&failure.file, &failure.complaint}) archive.text(*text);
}

template <class Archive, MaybeConst<LineAccesses> L>
void visit_members(Archive& archive, L& accesses) {
  archive(accesses.line, accesses.kind, accesses.sums, accesses.pattern, accesses.costliest,
          accesses.most_of_a_warp, accesses.warp_size);
  archive.text(accesses.file);
}

template <class Archive, MaybeConst<SharedWriters> W>
void visit_members(Archive& archive, W& writers) {
  archive.text(writers.array);
  archive(writers.threads);
}

template <class Archive, MaybeConst<AccessCounts> C>
void visit_members(Archive& archive, C& counts) {
  archive(counts.lines, counts.writers, counts.sample);
}

template <class Archive, MaybeConst<BlockSample> B>
void visit_members(Archive& archive, B& sample) {
  archive(sample.blocks, sample.of_blocks, sample.block_pairs, sample.accesses, sample.of_first_block,
          sample.barriers, sample.is_cut_off, sample.only_counted, sample.footprints);
}

template <class Archive, MaybeConst<device::KernelAttributes> K>
void visit_members(Archive& archive, K& kernel) {
  archive(kernel.registers_per_thread, kernel.local_bytes_per_thread, kernel.spill_store_bytes,
          kernel.spill_load_bytes, kernel.static_shared_bytes, kernel.constant_bytes,
          kernel.max_threads_per_block);
}

// Marks a reference point: the program lies at another address in the other process, so a function is sent as
// its distance from this one.
void landmark();

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class T>
void Writer::put(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    put_with_length(value);
  } else if constexpr (is_list<T>) {
    (*this)(value.size());
    for (const auto& element : value) put(element);
  } else if constexpr (is_optional<T>) {
    (*this)(value.has_value());
    if (value) put(*value);
  } else if constexpr (std::is_same_v<T, Signature>) {
    (*this)(value.types, value.sizes,
            value.host_call ? reinterpret_cast<std::intptr_t>(value.host_call) -
                                  reinterpret_cast<std::intptr_t>(&landmark)
                            : 0);
  } else if constexpr (is_plain<T> || std::is_enum_v<T>) {
    raw(&value, sizeof value);
  } else {
    visit_members(*this, value);
  }
}

template <class T>
void Reader::get(T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = std::string(take(next<std::size_t>()));
  } else if constexpr (is_list<T>) {
    value.clear();
    for (auto remaining = next<std::size_t>(); remaining > 0; --remaining) {
      if (is_at_end()) throw BadMessage();
      get(value.emplace_back());
    }
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (next<bool>()) get(value.emplace());
  } else if constexpr (std::is_same_v<T, Signature>) {
    (*this)(value.types, value.sizes);
    const auto distance = next<std::intptr_t>();
    value.host_call = distance
                          ? reinterpret_cast<HostCall>(reinterpret_cast<std::intptr_t>(&landmark) + distance)
                          : nullptr;
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto byte = next<unsigned char>();
    if (byte > 1) throw BadMessage();
    value = byte == 1;
  } else if constexpr (std::is_enum_v<T>) {
    const auto number = next<std::underlying_type_t<T>>();
    if (number < 0 || number > static_cast<std::underlying_type_t<T>>(last_of(T{}))) throw BadMessage();
    value = static_cast<T>(number);
  } else if constexpr (is_plain<T>) {
    std::memcpy(static_cast<void*>(&value), take(sizeof value).data(), sizeof value);
  } else {
    visit_members(*this, value);
  }
}

struct Message {
  std::string bytes;
  int file = -1;  // a descriptor that came with it, owned by the receiver; -1 for none
};

// Limits on waiting for an untrusted process.
struct WaitLimits {
  TimeLimit& limit;
  const StopToken& stop;
};

struct OutOfTime : std::exception {};

// One end of a connection between two processes.
class Channel {
 public:
  explicit Channel(Descriptor socket = Descriptor()) : socket_(std::move(socket)) {}

  // Sends a message and, unless `file` is -1, that descriptor, which stays open here. Waits without a limit.
  // Returns false when the other end is gone.
  bool send(const std::string& bytes, int file = -1) const;

  // Waits for a message; returns none when the other end is gone.
  std::optional<Message> receive() const;

  // Send and receive in the same way, but with an untrusted process at the other end, which may be slow, stop
  // in the middle, or send more than was asked for. They throw OutOfTime, BadMessage and WorkStopped.
  bool send(const std::string& bytes, int file, const WaitLimits& limits) const;
  std::optional<std::string> receive(std::size_t max_bytes, const WaitLimits& limits) const;

 private:
  Descriptor socket_;
};

}  // namespace gpulab::simulator::remote
