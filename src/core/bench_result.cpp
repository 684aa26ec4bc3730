#include "core/bench_result.hpp"

#include <algorithm>
#include <charconv>

namespace gpulab {
namespace {

struct AsText {
  std::string operator()(const std::string& word) const { return word.empty() ? "-" : word; }
  std::string operator()(std::uint64_t count) const { return std::to_string(count); }
  std::string operator()(double number) const {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
  }
};

}  // namespace

std::string text_of(const OptionValue& value) {
  return std::visit(AsText{}, value);
}

std::string id_of(const BenchCase& what) {
  std::string id = what.lesson + " " + what.variant + " size=" + std::to_string(what.size);
  for (const auto& [name, value] : what.options) id += " " + name + "=" + text_of(value);
  id += " seed=" + std::to_string(what.seed);
  if (what.block_size > 0) id += " block=" + std::to_string(what.block_size);
  return id;
}

std::string_view name_of(BenchTime time) {
  switch (time) {
    case BenchTime::cold:
      return "cold";
    case BenchTime::steady:
      return "steady";
    case BenchTime::launch:
      return "launch";
    case BenchTime::to_device:
      return "to_device";
    case BenchTime::to_host:
      return "to_host";
    case BenchTime::cpu:
      break;
  }
  return "cpu";
}

std::string_view name_of(BenchKind kind) {
  if (kind == BenchKind::kernel) return "kernel";
  return kind == BenchKind::library ? "library" : "cpu";
}

ExitCode exit_code_of(const BenchRow& row) {
  if (row.valid) return ExitCode::ok;
  return exit_code_of(VariantResult{.expected = row.expected, .observed = row.observed});
}

ExitCode exit_code_of(const BenchResult& result) {
  ExitCode code = ExitCode::ok;
  for (const BenchRow& row : result.rows) code = std::max(code, exit_code_of(row));
  return code;
}

}  // namespace gpulab
