#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace gpulab {

// The value of one of a lesson's own options: a word or the path of a file, a count, or a number.
using OptionValue = std::variant<std::string, std::uint64_t, double>;

// What the user asked for.
struct Settings {
  std::size_t size = 0;  // elements; 0 for a lesson whose own options say how large its problem is
  std::uint64_t seed = 42;
  std::map<std::string, OptionValue> options;  // of the lesson itself, every one of them

  const std::string& word(const std::string& option) const {
    return std::get<std::string>(options.at(option));
  }
  std::size_t count(const std::string& option) const { return std::get<std::uint64_t>(options.at(option)); }
  double number(const std::string& option) const { return std::get<double>(options.at(option)); }

  // None when the option was not given.
  std::optional<std::filesystem::path> file(const std::string& option) const {
    const std::string& path = word(option);
    return path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
  }
};

}  // namespace gpulab
