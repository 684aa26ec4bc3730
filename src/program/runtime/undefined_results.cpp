#include <fmt/format.h>
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "program/runtime/library_work.hpp"

// Results that a library leaves undefined in all threads but one, as CUB's reductions do. These threads get a
// bit pattern that no program has by chance. A launch that leaves it in memory has used such a result.

namespace gpulab::program::runtime {
namespace {

// As a float or a double, this is a NaN, which arithmetic propagates; as an int, a negative number. The
// lowest bits are the call's number.
constexpr std::uint32_t undefined_word = 0xFFFB7A00, max_calls = 128;

struct UndefinedResult {
  const char* call;    // "cub::BlockReduce"
  const char* holder;  // whose number 0 has the result: "thread" or "lane"
  const void* pc;
  bool is_in_launch;
};

std::mutex results_mutex;  // of blocks that run at the same time
std::vector<UndefinedResult>& undefined_results() {
  static auto& all =
      *new std::vector<UndefinedResult>;  // never destroyed: kernels run until the process ends
  return all;
}

}  // namespace

void Runtime::look_for_undefined_results(const Launched& launched) {
  std::vector<UndefinedResult>& results = undefined_results();
  if (std::ranges::none_of(results, &UndefinedResult::is_in_launch)) return;
  for (const std::uintptr_t word : launched.words) {
    const Allocation* const memory = allocations_.at(word);
    const std::size_t words = memory && !memory->is_freed ? memory->bytes / sizeof undefined_word : 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uintptr_t address = memory->begin + i * sizeof undefined_word;
      const std::uint32_t number = *reinterpret_cast<const std::uint32_t*>(address) ^ undefined_word;
      if (number >= results.size() || !std::exchange(results[number].is_in_launch, false)) continue;
      const auto& [call, holder, pc, is_in_launch] = results[number];
      add({.pattern = "undefined-result",
           .place = place_of({address_of(pc)}),
           .text = fmt::format(
               "{} returns its result in {} 0 alone. Kernel {} uses what another {} gets, which is undefined, and stores it: {}",
               call, holder, launched.kernel, holder, memory->name_of(address)),
           .correction =
               "if (threadIdx.x == 0) shared = result; __syncthreads(); and use shared; within a warp, "
               "__shfl_sync(mask, result, 0)",
           .others = {allocated_at(*memory), launched_at(launched.kernel, launched.site)}});
    }
  }
  for (UndefinedResult& result : results) result.is_in_launch = false;
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
unsigned gpulab_undefined_result(const char* call, const char* holder) {
  if (!Runtime::instance().is_watching()) return undefined_word;
  const void* const pc = __builtin_return_address(0);
  const std::lock_guard lock(results_mutex);
  std::vector<UndefinedResult>& results = undefined_results();
  const auto known = std::ranges::find(results, pc, &UndefinedResult::pc);
  const auto number = static_cast<unsigned>(known - results.begin());
  if (number == max_calls) return ~0u;  // there is no number left for this call
  if (known == results.end()) results.push_back({call, holder, pc, /*is_in_launch=*/false});
  results[number].is_in_launch = true;
  return undefined_word + number;
}
#pragma GCC visibility pop
