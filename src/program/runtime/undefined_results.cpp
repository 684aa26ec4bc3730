#include <bitset>
#include <cstring>
#include <mutex>
#include <vector>

#include "program/runtime/library_work.hpp"

// Results that a library leaves undefined in all threads but one, as CUB's reductions do. Such a thread gets
// bits that no program has by chance, and a launch that has left them in memory has used them.

namespace gpulab::program::runtime {
namespace {

// NaN as a float and a double, which arithmetic hands on, and a negative number. The lowest bits are the
// call's number.
constexpr std::uint32_t undefined_word = 0xFFFB7A00, most_calls = 128;

struct UndefinedResults {
  struct Call {
    const char* name;
    bool is_of_warp;
    const void* code;
  };
  std::mutex mutex;  // of blocks that run at the same time
  std::vector<Call> calls;
  std::bitset<most_calls> in_launch;
};

UndefinedResults& undefined_results() {
  static auto& all = *new UndefinedResults;  // never destroyed: kernels may run until the process ends
  return all;
}

}  // namespace

void Runtime::look_for_undefined_results(const Launched& launched) {
  UndefinedResults& results = undefined_results();
  for (const std::uintptr_t word : results.in_launch.any() ? launched.words : std::vector<std::uintptr_t>()) {
    const Allocation* const memory = allocations_.at(word);
    if (!memory || memory->is_freed) continue;
    for (std::size_t offset = 0; offset + sizeof undefined_word <= memory->bytes;
         offset += sizeof undefined_word) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const void*>(memory->begin + offset), sizeof bits);
      const std::uint32_t number = bits ^ undefined_word;
      if (number >= results.calls.size() || !results.in_launch[number]) continue;
      results.in_launch.reset(number);
      const auto& [call, is_of_warp, code] = results.calls[number];
      const std::string one = is_of_warp ? "lane 0" : "thread 0";
      add({.pattern = "undefined-result",
           .place = place_of({reinterpret_cast<std::uintptr_t>(code)}),
           .text = std::string(call) + " returns its result in " + one + " alone. Kernel " + launched.kernel +
                   " uses what another " + (is_of_warp ? "lane" : "thread") +
                   " gets, which is undefined, and stores it: " + memory->name_of(memory->begin + offset),
           .instead = is_of_warp ? "__shfl_sync(mask, result, 0), which gives it to every lane"
                                 : "if (threadIdx.x == 0) shared = result; __syncthreads(); and use shared",
           .others = {{place_of(memory->site), std::string(memory->call) + " gave the memory here"},
                      {place_of(launched.site), "kernel " + launched.kernel + " was launched here"}}});
    }
  }
  results.in_launch.reset();
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
unsigned gpulab_undefined_result(const char* call, bool is_of_warp) {
  if (!Runtime::instance().is_watching()) return undefined_word;
  UndefinedResults& results = undefined_results();
  const void* const code = __builtin_return_address(0);
  const std::lock_guard lock(results.mutex);
  std::size_t number = 0;
  while (number < results.calls.size() && results.calls[number].code != code) ++number;
  if (number == most_calls) return undefined_word;  // not one of the calls that can be told apart
  if (number == results.calls.size()) results.calls.push_back({call, is_of_warp, code});
  results.in_launch.set(number);
  return undefined_word + static_cast<unsigned>(number);
}
#pragma GCC visibility pop
