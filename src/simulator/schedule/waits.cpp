#include "simulator/schedule/waits.hpp"

namespace gpulab::simulator::schedule {
namespace {

// Who waits for one of several words comes back to the first after so many.
constexpr unsigned most_words = 64;

std::uint64_t mixed(std::uint64_t number) {
  return (number ^ number >> 29) * 0x9E3779B97F4A7C15u;
}

}  // namespace

bool Waits::is_in_vain(unsigned thread, const Look& look) {
  History& history = looks_[thread];
  if (look.access.address != history.look.access.address) {
    history.others += mixed(mixed(look.access.address) + look.value) + look.trace;
    if (++history.looks_at_others > most_words) history = {look, 0, 0};
    return false;
  }
  Look now = look;
  now.trace += history.others;
  const bool is_same = now.value == history.look.value && now.trace == history.look.trace;
  now.is_in_vain = is_same;
  history = {now, 0, 0};
  return is_same;
}

}  // namespace gpulab::simulator::schedule
