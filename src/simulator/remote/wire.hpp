#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/arguments.hpp"
#include "core/defect.hpp"

// Values as bytes between a device's two processes, which are the same program on the same machine. What
// comes from the other side is not trusted: a message that is too short throws.

namespace gpulab::simulator::remote {

class Writer {
 public:
  template <class... Ts>
  Writer& operator()(const Ts&... values) {
    (put(values), ...);
    return *this;
  }
  // Bytes as they are, without their number.
  void raw(std::string_view bytes) { bytes_ += bytes; }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* from, std::size_t bytes) { bytes_.append(static_cast<const char*>(from), bytes); }
  void text(std::string_view text) {
    (*this)(text.size());
    raw(text.data(), text.size());
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
  // So many bytes as they are; they live as long as the reader.
  std::string_view take(std::size_t bytes) {
    if (bytes > bytes_.size() - at_)
      throw std::runtime_error("a message of a device's process was cut short");
    return std::string_view(bytes_).substr(std::exchange(at_, at_ + bytes), bytes);
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  template <class T>
  void get(T& value);

  std::string bytes_;
  std::size_t at_ = 0;
};

// What a type that is no plain bytes consists of.
template <class Archive, class D>
requires std::is_same_v<std::remove_const_t<D>, Defect>
void parts(Archive& archive, D& defect) {
  archive(defect.kind, defect.is_note, defect.ends_launch, defect.party, defect.other, defect.work,
          defect.other_work, defect.address, defect.bytes, defect.memory.variable, defect.memory.begin,
          defect.memory.bytes, defect.detail, defect.barrier_line, defect.count);
}

template <class Archive, class P>
requires std::is_same_v<std::remove_const_t<P>, Defect::Party>
void parts(Archive& archive, P& party) {
  archive(party.line, party.access, party.place, party.file);
}

// The other process has the program elsewhere in its memory: a function is told by its distance to this one.
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
    text(value);
  } else if constexpr (is_list<T>) {
    (*this)(value.size());
    for (const auto& element : value) put(element);
  } else if constexpr (is_optional<T>) {
    (*this)(value.has_value());
    if (value) put(*value);
  } else if constexpr (std::is_same_v<T, Signature>) {
    (*this)(value.types, value.sizes,
            reinterpret_cast<std::intptr_t>(value.host_call) - reinterpret_cast<std::intptr_t>(&landmark));
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    raw(&value, sizeof value);
  } else {
    parts(*this, value);
  }
}

template <class T>
void Reader::get(T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = std::string(take(next<std::size_t>()));
  } else if constexpr (is_list<T>) {
    const auto length = next<std::size_t>();
    if (length > bytes_.size() - at_)
      throw std::runtime_error("a message of a device's process has a wrong length");
    value.resize(length);
    for (auto& element : value) get(element);
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (next<bool>()) get(value.emplace());
  } else if constexpr (std::is_same_v<T, Signature>) {
    (*this)(value.types, value.sizes);
    value.host_call =
        reinterpret_cast<HostCall>(reinterpret_cast<std::intptr_t>(&landmark) + next<std::intptr_t>());
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(static_cast<void*>(&value), take(sizeof value).data(), sizeof value);
  } else {
    parts(*this, value);
  }
}

}  // namespace gpulab::simulator::remote
