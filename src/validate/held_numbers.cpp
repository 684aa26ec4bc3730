#include "validate/held_numbers.hpp"

#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace gpulab::validate {
namespace {

template <class T>
bool holds_as(std::string_view bytes, const std::vector<double>& numbers) {
  std::unordered_map<double, std::size_t> missing;
  for (const double number : numbers) ++missing[number];
  std::size_t left = numbers.size();
  for (std::size_t at = 0; left > 0 && at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, bytes.data() + at, sizeof element);
    const auto found = missing.find(static_cast<double>(element));
    if (found == missing.end() || found->second == 0) continue;
    --found->second;
    --left;
  }
  return left == 0;
}

}  // namespace

bool holds(std::string_view bytes, const std::vector<double>& numbers) {
  return holds_as<float>(bytes, numbers) || holds_as<std::int32_t>(bytes, numbers) ||
         holds_as<double>(bytes, numbers) || holds_as<std::int64_t>(bytes, numbers);
}

}  // namespace gpulab::validate
