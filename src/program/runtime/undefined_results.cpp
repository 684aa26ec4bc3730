#include <fmt/format.h>
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "program/runtime/library_work.hpp"
#include "source/statements.hpp"

// Results that a library leaves undefined in all threads but one, as CUB's reductions do. These threads get a
// bit pattern that no program has by chance (undefined_result). A launch that leaves it in memory, or adds it
// in an atomic, has used such a result.

namespace gpulab::program::runtime {
namespace {

using simulator::watch::max_undefined_calls, simulator::watch::undefined_result;

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

ProgramFinding finding_of(const UndefinedResult& result, const std::string& kernel, const std::string& use) {
  return {
      .pattern = "undefined-result",
      .place = place_of({address_of(result.pc)}),
      .text = fmt::format(
          "{} returns its result in {} 0 alone. Kernel {} uses what another {} gets, which is undefined, and {}",
          result.call, result.holder, kernel, result.holder, use)};
}

// Returns what to write for the line's atomic operation if it has the same address for the whole block.
std::string atomic_of_one_thread(const source::Code& code, int line) {
  for (auto [i, end] = code.line(line); i < end; ++i) {
    if (!code.text(i).starts_with("atomic") || !is_one_of(code.text(i - 1), {";", "{", "}", ")"})) continue;
    const source::TokenRange address = source::argument_tokens(code, i, 0);
    int names = 0;
    for (std::size_t at = address.begin; at < address.end; ++at)
      names += code.is_word(at) && !is_one_of(code.text(at), {"blockIdx", "x"});
    if (names == 1) return "if (threadIdx.x == 0) " + source::in_one_line(code, i, code.after_bracket(i + 1));
  }
  return "";
}

}  // namespace

void Runtime::look_for_undefined_results(const Launched& launched) {
  std::vector<UndefinedResult>& results = undefined_results();
  if (std::ranges::none_of(results, &UndefinedResult::is_in_launch)) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uintptr_t atomic = machine_->checked().use_of_undefined(i);
    if (atomic == 0 || !std::exchange(results[i].is_in_launch, false)) continue;
    ProgramFinding finding = finding_of(results[i], launched.kernel, "adds it in an atomic operation");
    const SourcePlace place = place_of({atomic});
    const bool is_row = launched.config.block.volume() == launched.config.block.x;
    if (is_row && place.file.empty() && results[i].holder == std::string_view("thread"))
      finding.correction = atomic_of_one_thread(code_, place.line);
    finding.others = {{place, "each " + std::string(results[i].holder) + " adds its own result here"},
                      launched_at(launched.kernel, launched.site)};
    add(std::move(finding));
  }
  for (const std::uintptr_t word : launched.words) {
    const Allocation* const memory = allocations_.at(word);
    const std::size_t words = memory && !memory->is_freed ? memory->bytes / sizeof undefined_result : 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uintptr_t address = memory->begin + i * sizeof undefined_result;
      const std::uint32_t number = *reinterpret_cast<const std::uint32_t*>(address) ^ undefined_result;
      if (number >= results.size() || !std::exchange(results[number].is_in_launch, false)) continue;
      ProgramFinding finding =
          finding_of(results[number], launched.kernel, "stores it: " + memory->name_of(address));
      finding.correction =
          "if (threadIdx.x == 0) shared = result; __syncthreads(); and use shared; within a warp, "
          "__shfl_sync(mask, result, 0)";
      finding.others = {allocated_at(*memory), launched_at(launched.kernel, launched.site)};
      add(std::move(finding));
    }
  }
  for (UndefinedResult& result : results) result.is_in_launch = false;
}

}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
unsigned gpulab_undefined_result(const char* call, const char* holder) {
  if (!Runtime::instance().is_watching()) return undefined_result;
  const void* const pc = __builtin_return_address(0);
  const std::lock_guard lock(results_mutex);
  std::vector<UndefinedResult>& results = undefined_results();
  const auto known = std::ranges::find(results, pc, &UndefinedResult::pc);
  const auto number = static_cast<unsigned>(known - results.begin());
  if (number == max_undefined_calls) return ~0u;  // there is no number left for this call
  if (known == results.end()) results.push_back({call, holder, pc, /*is_in_launch=*/false});
  results[number].is_in_launch = true;
  return undefined_result + number;
}
#pragma GCC visibility pop
