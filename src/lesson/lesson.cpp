#include "lesson/lesson.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/text.hpp"

namespace gpulab {

std::string_view name_of(Outcome outcome) {
  using enum Outcome;
  static constexpr Named<Outcome> names[] = {
      {right, "right"},
      {wrong, "wrong"},
      {race, "race"},
      {defect, "defect"},
      {out_of_bounds, "out of bounds"},
      {fails_to_launch, "fails to launch"},
      {fails_to_compile, "fails to compile"},
      {faults, "faults"},
      {leaks, "leaks"},
      {not_run, "not run"},
  };
  static_assert(names_every(names, not_run));
  return name_in(names, outcome);
}

bool ran_to_its_end(Outcome observed) {
  switch (observed) {
    case Outcome::fails_to_compile:
    case Outcome::fails_to_launch:
    case Outcome::faults:
    case Outcome::not_run:
      return false;
    default:
      return true;
  }
}

bool is_as_expected(Outcome expected, Outcome observed) {
  if (expected == Outcome::race) return observed == Outcome::right || observed == Outcome::wrong;
  return expected == observed;
}

bool GpuNeed::is_met_by(const DeviceProperties& device) const {
  if (device.simulated()) return false;
  const auto present = std::tuple(device.compute_capability_major, device.compute_capability_minor);
  const auto needed = std::tuple(major, minor);
  return (exactly ? present == needed : present >= needed) &&
         device.shared_bytes_per_block_optin >= shared_bytes;
}

std::string GpuNeed::text() const {
  const std::string shared =
      shared_bytes == 0 ? "" : " with " + grouped(shared_bytes) + " bytes of shared memory for a block";
  return fmt::format("a GPU of compute capability {}.{}{}{}", major, minor, exactly ? "" : " or later",
                     shared);
}

namespace {

// Checks the lesson's names against its problem.
class ConsistencyCheck {
 public:
  ConsistencyCheck(const std::string& lesson, const Problem& problem) : lesson_(lesson), problem_(problem) {}

  void require_unique_names() {
    std::set<std::string> seen;
    for (const SizedArray& array : problem_.arrays) add_name(seen, array.name);
    for (const ScalarValue& scalar : problem_.scalars) add_name(seen, scalar.name);
  }

  void require(const ArrayHandle& handle) const { require(argument_for(handle)); }
  void require(const KernelArgument& argument) const {
    const auto is_same_array = [&](const SizedArray& array) {
      return array.name == argument.name && array.type == argument.type && array.role == argument.role;
    };
    const auto is_same_scalar = [&](const ScalarValue& scalar) {
      return scalar.name == argument.name && scalar.type == argument.type;
    };
    const bool found = argument.is_array()
                           ? std::ranges::any_of(problem_.arrays, is_same_array)
                           : argument.value || std::ranges::any_of(problem_.scalars, is_same_scalar);
    if (!found) fail(fmt::format("its problem has no {} '{}'", name_of(argument.type), argument.name));
  }
  void require(const Arguments& arguments) const {
    for (const KernelArgument& argument : arguments.list()) require(argument);
  }

 private:
  void add_name(std::set<std::string>& seen, const std::string& name) const {
    if (!seen.insert(name).second) fail("two arrays or scalars are called '" + name + "'");
  }
  [[noreturn]] void fail(const std::string& what) const { throw std::logic_error(lesson_ + ": " + what); }

  const std::string& lesson_;
  const Problem& problem_;
};

}  // namespace

void Lesson::require_consistent(const Problem& problem) const {
  ConsistencyCheck check(name, problem);
  check.require_unique_names();
  check.require(arguments);
  for (const ArrayHandle& array : problem.copied) check.require(array);
  if (problem.work) check.require(problem.work->array);
  for (const auto* list : {&variants, &yardsticks})
    for (const Variant& variant : *list) {
      check.require(variant.arguments);
      for (const AnyOutput& output : variant.computes) check.require(output);
      for (const Symbol& symbol : variant.symbols) check.require(symbol.array);
    }
}

bool Lesson::is_divided() const {
  return std::ranges::any_of(variants,
                             [](const Variant& variant) { return variant.on_each_rank != nullptr; });
}

bool Lesson::is_called(const std::string& word) const {
  return word == name || std::ranges::find(aliases, word) != aliases.end();
}

const std::string& Lesson::file_of(const Variant& variant) const {
  return variant.source.empty() ? kernels : variant.source;
}

const Arguments& Lesson::arguments_of(const Variant& variant) const {
  return variant.arguments.empty() ? arguments : variant.arguments;
}

Settings Lesson::default_settings() const {
  return {.size = default_size, .options = default_values(options)};
}

}  // namespace gpulab
