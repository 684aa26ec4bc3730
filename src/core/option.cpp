#include "core/option.hpp"

namespace gpulab {
namespace {

struct UsualValue {
  OptionValue operator()(const Choice& choice) const { return choice.words.front(); }
  OptionValue operator()(const Count& count) const { return count.usual; }
  OptionValue operator()(const Number& number) const { return number.usual; }
  OptionValue operator()(const InputFile&) const { return std::string(); }
  OptionValue operator()(const OutputFile&) const { return std::string(); }
};

}  // namespace

OptionValue usual_value(const Option& option) {
  return std::visit(UsualValue{}, option.kind);
}

std::map<std::string, OptionValue> usual_values(const std::vector<Option>& options) {
  std::map<std::string, OptionValue> values;
  for (const Option& option : options) values[option.name] = usual_value(option);
  return values;
}

}  // namespace gpulab
