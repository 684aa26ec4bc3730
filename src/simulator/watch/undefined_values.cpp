#include "simulator/watch/undefined_values.hpp"

#include <bit>
#include <cstring>

namespace gpulab::simulator::watch {
namespace {

template <class Integer, class Floating>
bool is_sum(std::uint64_t value, std::uint64_t a, std::uint64_t b) {
  const auto sum = static_cast<Integer>(value), first = static_cast<Integer>(a),
             second = static_cast<Integer>(b);
  return sum == static_cast<Integer>(first + second) ||
         sum == std::bit_cast<Integer>(std::bit_cast<Floating>(first) + std::bit_cast<Floating>(second));
}

// Returns whether a number of that size is the sum of two others, as integers or as floats.
bool is_sum(std::uint64_t value, std::uint64_t a, std::uint64_t b, std::size_t bytes) {
  return bytes == 4 ? is_sum<std::uint32_t, float>(value, a, b) : is_sum<std::uint64_t, double>(value, a, b);
}

// Returns the size in bytes that a value of a warp operation seems to have.
std::size_t likely_size_of(std::uint64_t value) {
  return value >> 32 ? 8 : 4;
}

std::uint64_t value_at(const MemoryAccess& access) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(access.address), access.bytes);
  return value;
}

}  // namespace

// Returns the exchange that makes the value undefined; null if none does. The lane got the value, or it is
// the sum of what the lane gave and got. A value that the lane gave must have been undefined before.
const UndefinedValues::Exchange* UndefinedValues::origin_of(unsigned thread, std::uint64_t value,
                                                            std::size_t bytes) const {
  for (const Exchange& exchange : histories_[thread].last) {
    const auto& [given, got, block, is_given_undefined, is_got_undefined, origin] = exchange;
    if (block != block_ || (bytes == 4 && given >> 32 != 0)) continue;
    const bool is_got = value == (bytes == 4 ? got & 0xFFFFFFFF : got);
    const bool is_made_of_got = (is_got && is_got_undefined) || is_sum(value, given, got, bytes);
    if (value == given ? is_given_undefined : is_made_of_got) return &exchange;
  }
  return nullptr;
}

void UndefinedValues::add(unsigned thread, const Exchange& exchange) {
  has_any_ = true;
  History& history = histories_[thread];
  history.last[history.next++ % kept_exchanges] = exchange;
  history.last[(history.next - 1) % kept_exchanges].block = block_;
}

void UndefinedValues::on_undefined(unsigned thread, std::uint64_t given, std::uint64_t got,
                                   const Origin& origin) {
  const bool is_given_undefined = any() && origin_of(thread, given, likely_size_of(given));
  add(thread, {.given = given,
               .got = got,
               .is_given_undefined = is_given_undefined,
               .is_got_undefined = true,
               .origin = origin});
}

void UndefinedValues::on_exchange(unsigned thread, std::uint64_t given, std::uint64_t got, unsigned source,
                                  std::uint64_t given_by_source) {
  const Exchange* const mine = origin_of(thread, given, likely_size_of(given));
  const Exchange* const theirs =
      source == thread ? mine : origin_of(source, given_by_source, likely_size_of(given_by_source));
  if (!mine && !theirs) return;
  add(thread, {.given = given,
               .got = got,
               .is_given_undefined = mine != nullptr,
               .is_got_undefined = theirs != nullptr,
               .origin = (theirs ? theirs : mine)->origin});
}

void UndefinedValues::before_store(unsigned thread, const MemoryAccess& access) {
  if (access.bytes == 4 || access.bytes == 8) pending_ = {thread, access, value_at(access)};
}

std::optional<UndefinedValues::Use> UndefinedValues::take_use() {
  if (!pending_) return std::nullopt;
  const Pending store = *pending_;
  pending_.reset();
  const std::uint64_t value = value_at(store.access);
  const bool is_atomic = store.access.operation == MemoryAccess::Operation::atomic;
  const Exchange* found = origin_of(store.thread, value, store.access.bytes);
  if (!found && is_atomic) {
    const std::uint64_t added = value - store.value_before;
    found = origin_of(store.thread, store.access.bytes == 4 ? added & 0xFFFFFFFF : added, store.access.bytes);
  }
  if (!found) return std::nullopt;
  return Use{found->origin, store.thread, store.access.pc};
}

}  // namespace gpulab::simulator::watch
