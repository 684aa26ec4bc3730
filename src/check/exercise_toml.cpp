#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <ranges>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/own_exercises.hpp"
#include "check/strict_toml.hpp"
#include "lesson/demands.hpp"
#include "run/run_options.hpp"

namespace gpulab::check {
namespace {

int line_number(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

class ExerciseReader {
 public:
  ExerciseReader(const StrictToml& toml, ExerciseFacts& facts) : toml_(toml), facts_(facts) {}

  void read() {
    const toml::table& root = toml_.root();
    std::vector<std::string> known(std::begin(keys_above_tables), std::end(keys_above_tables));
    known.insert(known.end(), {"sizes", "arrays", "scalars", "program"});
    toml_.refuse_unknown(root, known);
    facts_.title = printable(toml_.text(root, "title"));
    if (facts_.title.empty()) toml_.refuse(root, "there is no title = \"...\", which gpulab next shows");
    facts_.kernel = toml_.text(root, "kernel");
    facts_.work = toml_.text(root, "work");
    facts_.step = static_cast<int>(toml_.whole(root, "step", 0, 0, 1'000'000));
    facts_.block = static_cast<unsigned>(toml_.whole(root, "block", 256, 1, max_threads_per_block));
    if (const toml::node* node = root.get("grid")) facts_.grid = formula(*node);
    if (const toml::node* node = root.get("operations")) facts_.operations = formula(*node);
    if (root.contains("tolerance")) facts_.tolerance = toml_.number(root, "tolerance", 0, 1);
    if (const toml::table* program = toml_.table(root, "program")) {
      if (const toml::node* node = root.get("demands")) toml_.refuse(*node, "a whole program has no demands");
      return read_program(*program);
    }
    if (const toml::node* node = root.get("demands")) read_demands(*node);
    if (const toml::table* sizes = toml_.table(root, "sizes")) read_sizes(*sizes);
    if (facts_.sizes.empty()) toml_.refuse(root, "there is no [sizes] with a line such as size = 10000");
    if (const toml::table* arrays = toml_.table(root, "arrays"))
      for (const auto& [name, node] : *arrays) facts_.arrays[std::string(name.str())] = array(name, node);
    if (const toml::table* scalars = toml_.table(root, "scalars")) read_scalars(*scalars);
  }

 private:
  static constexpr std::string_view keys_above_tables[] = {
      "title", "kernel", "step", "block", "grid", "work", "tolerance", "operations", "demands"};

  // Refuses a key of the file itself that stands below [sizes] or [arrays], and so belongs to that table.
  void refuse_below_table(const toml::key& key, const toml::node& node, const char* what) const {
    if (std::ranges::find(keys_above_tables, key.str()) != std::end(keys_above_tables))
      toml_.refuse(node, fmt::format("{} is no {}: write it above the first [table]", key.str(), what));
  }

  Formula formula(const toml::node& node) const {
    if (node.is_string()) return {*node.value<std::string>(), line_number(node)};
    if (node.is_integer()) return {std::to_string(*node.value<std::int64_t>()), line_number(node)};
    if (node.is_floating_point()) return {fmt::format("{}", *node.value<double>()), line_number(node)};
    toml_.refuse(node, "this has to be a number, or an expression of the sizes: \"2 * size\"");
  }

  // Returns one formula, or the two formulas of a list.
  std::vector<Formula> formulas(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (!list) return {formula(node)};
    if (list->size() != 2) toml_.refuse(node, "a list has two elements here");
    return {formula(*list->get(0)), formula(*list->get(1))};
  }

  // Returns the name of a size or a number. Learners give its value as an option of that name.
  std::string option_name(const toml::key& key, const toml::node& node) const {
    constexpr std::string_view taken[] = {"block-size", "device",  "exercise", "exercises", "format",
                                          "gpu",        "help",    "html",     "inputs",    "output",
                                          "picture",    "sandbox", "seed",     "verbose",   "warp-size"};
    const std::string name(key.str());
    if (std::ranges::find(taken, name) != std::end(taken))
      toml_.refuse(node, "gpulab check has an option --" + name + "; give this number another name");
    return name;
  }

  // Reads numbers that stay as they are, factor = 2.5, and those that a check varies between two ends.
  void read_scalars(const toml::table& scalars) {
    constexpr double most = std::numeric_limits<float>::max();
    for (const auto& [key, node] : scalars) {
      const toml::table* range = node.as_table();
      if (!range) {
        facts_.scalars[std::string(key.str())] = formula(node);
        continue;
      }
      toml_.refuse_unknown(*range, {"default", "min", "max"});
      const std::string name = option_name(key, node);
      const auto end = [&](const char* key, double min, double max) {
        if (!range->contains(key))
          toml_.refuse(node, name + " has no " + key + ": { default = 2.5, min = -10, max = 10 }");
        return toml_.number(*range->get(key), key, min, max);
      };
      const double min = end("min", -most, most), max = end("max", min, most);
      const Number number{.default_value = end("default", min, max), .min = min, .max = max};
      facts_.numbers.push_back({name, "a number of the exercise", number});
    }
  }

  void read_demands(const toml::node& node) {
    static const std::map<std::string, Demand<KernelRecord>> known = {
        {"all-threads", {"one-thread-alone", "the threads share the work", loop_of_one_lane}},
        {"coalesced", {"uncoalesced", "neighbouring threads access neighbours", uncoalesced_accesses}},
        {"few-atomics",
         {"atomics-at-one-address", "not each lane adds to one element", atomics_at_one_address}},
        {"shared-memory", {"no-shared-memory", "a block uses shared memory", no_shared_accesses}},
        {"tree-of-whole-warps", {"diverging-lanes", "in a tree, whole warps leave", divergent_tree}},
        {"whole-warps", {"diverging-lanes", "a warp takes one branch", diverging_accesses}}};
    const std::string names = fmt::format("there are {}", fmt::join(std::views::keys(known), ", "));
    if (!node.is_array()) toml_.refuse(node, "demands is a list: [\"shared-memory\"]; " + names);
    for (const toml::node& element : *node.as_array()) {
      const std::string name = element.value<std::string>().value_or("");
      if (!known.contains(name))
        toml_.refuse(element, fmt::format("there is no demand '{}'; {}", name, names));
      facts_.demands.push_back(known.at(name));
    }
  }

  void read_sizes(const toml::table& sizes) {
    constexpr std::int64_t max_size = std::numeric_limits<std::int32_t>::max();
    for (const auto& [key, node] : sizes) {
      const std::string name = option_name(key, node);
      Count count{.default_value = 0, .min = 1, .max = max_size};
      const toml::table* range = node.as_table();
      if (node.is_string()) refuse_below_table(key, node, "size");
      if (range) {
        toml_.refuse_unknown(*range, {"default", "min", "max"});
        count.min = static_cast<std::uint64_t>(toml_.whole(*range, "min", 1, 1, max_size));
        count.max = static_cast<std::uint64_t>(toml_.whole(*range, "max", max_size, 1, max_size));
      }
      const toml::node* default_value = range ? range->get("default") : &node;
      if (!default_value) toml_.refuse(node, name + " has no default");
      count.default_value = static_cast<std::uint64_t>(toml_.whole(
          *default_value, name, static_cast<std::int64_t>(count.min), static_cast<std::int64_t>(count.max)));
      facts_.sizes.push_back({name, "a size of the exercise", count});
    }
  }

  ArrayFacts array(const toml::key& key, const toml::node& node) const {
    const toml::table* facts = node.as_table();
    if (!facts) refuse_below_table(key, node, "array");
    if (!facts || !facts->get("length"))
      toml_.refuse(node, "an array has a length: { length = \"size\" }, or [\"width\", \"height\"]");
    toml_.refuse_unknown(*facts, {"length", "range", "cleared"});
    ArrayFacts array{.length = formulas(*facts->get("length")), .is_cleared = toml_.flag(*facts, "cleared")};
    if (const toml::node* range = facts->get("range")) array.range = formulas(*range);
    if (array.range.size() == 1) toml_.refuse(node, "a range has two ends: [-1, 1]");
    return array;
  }

  void read_program(const toml::table& program) {
    toml_.refuse_unknown(program, {"sizes", "checks_errors"});
    facts_.checks_errors = toml_.flag(program, "checks_errors");
    facts_.program_sizes = {1000, 1, 4097};
    const toml::node* node = program.get("sizes");
    if (!node) return;
    if (!node->is_array() || node->as_array()->empty())
      toml_.refuse(*node, "sizes is a list: [1000, 1, 4097]");
    facts_.program_sizes.clear();
    for (const toml::node& size : *node->as_array())
      facts_.program_sizes.push_back(static_cast<std::size_t>(toml_.whole(size, "a size", 1, 1 << 20)));
  }

  const StrictToml& toml_;
  ExerciseFacts& facts_;
};

}  // namespace

std::string ExerciseFacts::place(int line) const {
  return fmt::format("{}, line {}: ", file.string(), line);
}

ExerciseFacts read_exercise_toml(const std::filesystem::path& file) {
  ExerciseFacts facts{.file = file};
  const StrictToml toml(file, run::read_text_file(file, {"exercise.toml", "TOML: title = \"...\""}));
  ExerciseReader(toml, facts).read();
  return facts;
}

}  // namespace gpulab::check
