#include "core/options.hpp"

namespace gpulab {
namespace {

struct DefaultValue {
  OptionValue operator()(const Choice& choice) const { return choice.words.front(); }
  OptionValue operator()(const Count& count) const { return count.default_value; }
  OptionValue operator()(const Number& number) const { return number.default_value; }
  OptionValue operator()(const InputFile&) const { return std::string(); }
  OptionValue operator()(const OutputFile&) const { return std::string(); }
};

}  // namespace

OptionValue default_value(const Option& option) {
  return std::visit(DefaultValue{}, option.kind);
}

std::map<std::string, OptionValue> default_values(const std::vector<Option>& options) {
  std::map<std::string, OptionValue> values;
  for (const Option& option : options) values[option.name] = default_value(option);
  return values;
}

}  // namespace gpulab
