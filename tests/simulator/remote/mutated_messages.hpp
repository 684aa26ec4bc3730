#pragma once

#include <random>

#include "simulator/remote/channel.hpp"
#include "test.hpp"

namespace gpulab::simulator::remote {

// Returns the message with some bytes changed, left out, added or doubled, always alike for the same seed.
inline std::string mutated(std::string message, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(message.size());
    switch (below(6)) {
      case 0:
        message.insert(at, 1 + below(16), static_cast<char>(random()));
        break;
      case 1:
        message.erase(at, 1 + below(16));
        break;
      case 2:
        message.resize(at);
        break;
      case 3:
        message.insert(at, message.substr(below(message.size()), below(64)));
        break;
      default:
        if (!message.empty()) message[at] = static_cast<char>(below(2) ? random() : below(2) ? 0xFF : 0);
    }
  }
  return message;
}

// Reads `count` mutations, and returns how many of them were refused.
inline int refused_mutations(const std::string& message, int count,
                             const std::function<void(std::string)>& read) {
  std::mt19937 random(42);
  int refused = 0;
  for (int i = 0; i < count; ++i) try {
      read(mutated(message, random));
    } catch (const BadMessage&) {
      ++refused;
    }
  return refused;
}

}  // namespace gpulab::simulator::remote
