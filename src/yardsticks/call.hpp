#pragma once

#include <exception>
#include <string>

#include "yardsticks/yardstick.hpp"

namespace gpulab::yardsticks {

// Returns the i-th argument of a call.
template <class T>
T argument(void* const* arguments, int i) {
  return *static_cast<const T*>(arguments[i]);
}

// Returns the message of an exception as a C string, valid until this thread has the next one.
inline const char* stored_message(const std::exception& error) {
  static thread_local std::string sentence;
  sentence = error.what();
  return sentence.c_str();
}

// Returns null, or the message of an exception that the function throws.
template <class Function>
const char* catch_message(const Function& function) {
  try {
    function();
    return nullptr;
  } catch (const std::exception& error) {
    return stored_message(error);
  }
}

// Makes a yardstick of a class: its constructor Call(arguments, stream), reset(stream) and enqueue(stream)
// may throw. This header is C++17, as cmake/yardsticks.cmake asks nvcc for it.
template <class Call, class Stream>
constexpr GpulabYardstick make_yardstick(const char* name, const char* signature) {
  return {name,
          signature,
          [](void* const* arguments, void* stream, const char** error) -> void* {
            Call* call = nullptr;
            *error = catch_message([&] { call = new Call(arguments, static_cast<Stream>(stream)); });
            return call;
          },
          [](void* prepared, void* stream) {
            return catch_message([&] { static_cast<Call*>(prepared)->reset(static_cast<Stream>(stream)); });
          },
          [](void* prepared, void* stream) {
            return catch_message([&] { static_cast<Call*>(prepared)->enqueue(static_cast<Stream>(stream)); });
          },
          [](void* prepared) { delete static_cast<Call*>(prepared); }};
}

// Base of a call on host memory, which has no stream and is complete when enqueue() returns.
struct HostCall {
  void reset(void*) {}
};

template <class Call>
constexpr GpulabYardstick host_yardstick(const char* name, const char* signature) {
  return make_yardstick<Call, void*>(name, signature);
}

}  // namespace gpulab::yardsticks
