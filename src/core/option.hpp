#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/settings.hpp"

// The options that only one lesson has: --distribution uniform|one-bin|sorted, --width 2048, --input FILE.

namespace gpulab {

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
