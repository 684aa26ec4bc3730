#include "lesson/problem.hpp"

#include <algorithm>
#include <stdexcept>

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

namespace {

double bytes_copied(const Problem& problem, Role role) {
  double bytes = 0;
  for (const SizedArray& array : problem.arrays)
    if (array.role == role && problem.copies(array)) bytes += static_cast<double>(array.bytes());
  return bytes;
}

}  // namespace

bool Problem::copies(const SizedArray& array) const {
  if (array.role == Role::scratch) return false;
  return copied.empty() ||
         std::ranges::any_of(copied, [&](const ArrayHandle& handle) { return handle.is_called(array.name); });
}

const SizedArray& Problem::array(const ArrayHandle& handle) const {
  for (const SizedArray& array : arrays)
    if (handle.is_called(array.name)) return array;
  throw std::logic_error("the problem has no array '" + std::string(handle.name) + "'");
}

std::uint64_t Problem::scalar(const std::string& name) const {
  const auto found = std::ranges::find(scalars, name, &ScalarValue::name);
  if (found == scalars.end()) throw std::logic_error("the problem has no scalar '" + name + "'");
  return found->bits;
}

std::string TypicalResult::text(const std::string& which) const {
  constexpr std::string_view mark = "{}";
  std::string text = explanation;
  if (const std::size_t at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), which);
  return text;
}

Extent Problem::work_items() const {
  if (work) return array(work->array).shape;
  const auto first = std::ranges::find(arrays, Role::output, &SizedArray::role);
  if (first == arrays.end()) throw std::logic_error("the problem has no output");
  return first->shape;
}

Traffic Problem::min_traffic() const {
  return {.bytes_read = traffic.bytes_read.value_or(bytes_copied(*this, Role::input)),
          .bytes_written = traffic.bytes_written.value_or(bytes_copied(*this, Role::output)),
          .operations = traffic.operations,
          .limited_by_operations = traffic.limited_by_operations};
}

}  // namespace gpulab
