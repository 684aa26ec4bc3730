#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpulab {

// The value of one of a lesson's own options: a word or the path of a file, a count, or a number.
using OptionValue = std::variant<std::string, std::uint64_t, double>;

// What the user asked for.
struct Settings {
  std::size_t size = 0;  // elements; 0 for a lesson whose own options say how large its problem is
  std::uint64_t seed = 42;
  std::map<std::string, OptionValue> options = {};  // of the lesson itself, every one of them
  bool edge_inputs = false;  // with zeros of both signs, the smallest, the largest numbers among the inputs

  const std::string& word(const std::string& option) const {
    return std::get<std::string>(options.at(option));
  }
  std::size_t count(const std::string& option) const { return std::get<std::uint64_t>(options.at(option)); }
  double number(const std::string& option) const { return std::get<double>(options.at(option)); }

  friend bool operator==(const Settings&, const Settings&) = default;

  // None when the option was not given.
  std::optional<std::filesystem::path> file(const std::string& option) const {
    const std::string& path = word(option);
    return path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
  }
};

// The options that only one lesson has: --distribution uniform|one-bin|sorted, --width 2048, --input FILE.

// One of several words. The first is the default.
struct Choice {
  std::vector<std::string> words;
};

struct Count {
  std::uint64_t default_value = 1;
  std::uint64_t min = 1;
  std::uint64_t max = std::numeric_limits<std::int32_t>::max();
};

struct Number {
  double default_value = 0;
  double min = 0;
  double max = std::numeric_limits<double>::max();
};

// A file to read; none unless it is given.
struct InputFile {};

// A file to write, in the way that the problem's artifact of the same name says; none unless it is given.
struct OutputFile {
  std::string ending = {};  // that its name must have: ".png"
};

struct Option {
  std::string name;
  std::string help;
  std::variant<Choice, Count, Number, InputFile, OutputFile> kind;
};

// The value that an option has when it is not given.
OptionValue default_value(const Option& option);

// The same of each, by name.
std::map<std::string, OptionValue> default_values(const std::vector<Option>& options);

}  // namespace gpulab
