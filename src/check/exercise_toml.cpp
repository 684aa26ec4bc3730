#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/own_exercises.hpp"
#include "run/run_options.hpp"

namespace gpulab::check {
namespace {

int line_number(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

class TomlReader {
 public:
  explicit TomlReader(ExerciseFacts& facts) : facts_(facts) {}

  void read(const toml::table& root) {
    refuse_unknown(root, {"title", "kernel", "step", "block", "grid", "work", "tolerance", "operations",
                          "sizes", "arrays", "scalars", "program"});
    facts_.title = printable(text(root, "title"));
    if (facts_.title.empty()) fail(1, "there is no title = \"...\", which gpulab next shows");
    facts_.kernel = text(root, "kernel");
    facts_.work = text(root, "work");
    facts_.step = static_cast<int>(whole(root, "step", 0, 0, 1'000'000));
    facts_.block = static_cast<unsigned>(whole(root, "block", 256, 1, max_threads_per_block));
    if (const toml::node* node = root.get("grid")) facts_.grid = formula(*node);
    if (const toml::node* node = root.get("operations")) facts_.operations = formula(*node);
    if (const toml::node* node = root.get("tolerance")) facts_.tolerance = tolerance(*node);
    if (const toml::table* program = table(root, "program")) return read_program(*program);
    if (const toml::table* sizes = table(root, "sizes")) read_sizes(*sizes);
    if (facts_.sizes.empty()) fail(1, "there is no [sizes] with a line such as size = 10000");
    if (const toml::table* arrays = table(root, "arrays"))
      for (const auto& [name, node] : *arrays) facts_.arrays[std::string(name.str())] = array(node);
    if (const toml::table* scalars = table(root, "scalars"))
      for (const auto& [name, node] : *scalars) facts_.scalars[std::string(name.str())] = formula(node);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& why) const {
    throw UsageError(facts_.place(line) + why);
  }

  void refuse_unknown(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        fail(line_number(node), "there is no key '" + printable(key.str()) + "'; " +
                                    suggestion(std::string(key.str()), known,
                                               fmt::format("there are {}", fmt::join(known, ", "))));
  }

  const toml::table* table(const toml::table& in, const char* key) const {
    const toml::node* node = in.get(key);
    if (node && !node->is_table()) fail(line_number(*node), std::string(key) + " is a table: [" + key + "]");
    return node ? node->as_table() : nullptr;
  }

  std::string text(const toml::table& in, const char* key) const {
    const toml::node* node = in.get(key);
    if (node && !node->is_string()) fail(line_number(*node), std::string(key) + " is a text: \"...\"");
    return node ? *node->value<std::string>() : "";
  }

  std::int64_t whole(const toml::node& node, const std::string& what, std::int64_t min,
                     std::int64_t max) const {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < min || *value > max)
      fail(line_number(node), fmt::format("{} is a whole number from {} to {}", what, min, max));
    return *value;
  }
  std::int64_t whole(const toml::table& in, const char* key, std::int64_t otherwise, std::int64_t min,
                     std::int64_t max) const {
    const toml::node* node = in.get(key);
    return node ? whole(*node, key, min, max) : otherwise;
  }

  Formula formula(const toml::node& node) const {
    if (node.is_string()) return {*node.value<std::string>(), line_number(node)};
    if (node.is_integer()) return {std::to_string(*node.value<std::int64_t>()), line_number(node)};
    if (node.is_floating_point()) return {fmt::format("{}", *node.value<double>()), line_number(node)};
    fail(line_number(node), "here stands a number, or an expression of the sizes: \"2 * size\"");
  }

  // Returns one formula, or both of a list.
  std::vector<Formula> formulas(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (!list) return {formula(node)};
    if (list->size() != 2) fail(line_number(node), "a list has two elements here");
    return {formula(*list->get(0)), formula(*list->get(1))};
  }

  Tolerance tolerance(const toml::node& node) const {
    const double value = node.value<double>().value_or(-1);
    if (!(value >= 0 && value < 1)) fail(line_number(node), "a tolerance is a number from 0 to 1");
    return {.relative = value, .absolute = value};
  }

  void read_sizes(const toml::table& sizes) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::string> taken{"seed",   "inputs",  "device",   "sandbox",   "format",
                                         "output", "verbose", "exercise", "exercises", "help"};
    for (const auto& [key, node] : sizes) {
      const std::string name(key.str());
      if (std::ranges::find(taken, name) != taken.end())
        fail(line_number(node), "gpulab check has an option --" + name + "; give this size another name");
      Count count{.default_value = 0, .min = 1, .max = most};
      const toml::table* range = node.as_table();
      if (range) {
        refuse_unknown(*range, {"default", "min", "max"});
        count.min = static_cast<std::uint64_t>(whole(*range, "min", 1, 1, most));
        count.max = static_cast<std::uint64_t>(whole(*range, "max", most, 1, most));
      }
      const toml::node* usual = range ? range->get("default") : &node;
      if (!usual) fail(line_number(node), name + " has no default");
      count.default_value = static_cast<std::uint64_t>(
          whole(*usual, name, static_cast<std::int64_t>(count.min), static_cast<std::int64_t>(count.max)));
      facts_.sizes.push_back({name, "a size of the exercise", count});
    }
  }

  ArrayFacts array(const toml::node& node) const {
    const toml::table* facts = node.as_table();
    if (!facts || !facts->get("length"))
      fail(line_number(node), "an array has a length: { length = \"size\" }, or [\"width\", \"height\"]");
    refuse_unknown(*facts, {"length", "range", "cleared"});
    ArrayFacts array{.length = formulas(*facts->get("length"))};
    if (const toml::node* range = facts->get("range")) array.range = formulas(*range);
    if (array.range.size() == 1) fail(line_number(node), "a range has two ends: [-1, 1]");
    if (const toml::node* cleared = facts->get("cleared")) array.is_cleared = cleared->value_or(false);
    return array;
  }

  void read_program(const toml::table& program) {
    refuse_unknown(program, {"sizes", "checks_errors"});
    const toml::array* sizes = program.get("sizes") ? program.get("sizes")->as_array() : nullptr;
    if (sizes)
      for (const toml::node& node : *sizes)
        facts_.program_sizes.push_back(static_cast<std::size_t>(whole(node, "a size", 1, 1 << 20)));
    if (facts_.program_sizes.empty()) facts_.program_sizes = {1000, 1, 4097};
    if (const toml::node* errors = program.get("checks_errors"))
      facts_.checks_errors = errors->value_or(false);
  }

  ExerciseFacts& facts_;
};

}  // namespace

std::string ExerciseFacts::place(int line) const {
  return file.string() + ", line " + std::to_string(line) + ": ";
}

ExerciseFacts read_exercise_toml(const std::filesystem::path& file) {
  ExerciseFacts facts{.file = file};
  try {
    TomlReader(facts).read(
        toml::parse(run::read_text_file(file, {"exercise.toml", "TOML: title = \"...\""})));
  } catch (const toml::parse_error& error) {
    throw UsageError(facts.place(static_cast<int>(error.source().begin.line)) +
                     printable(error.description()));
  }
  return facts;
}

}  // namespace gpulab::check
