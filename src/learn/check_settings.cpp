#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "learn/checks.hpp"

namespace gpulab::learn {
namespace {

// No whole number of blocks, and enough of them that a part of the result can be right.
constexpr std::size_t telling_size = 10007;

std::vector<Settings> with_sizes(const Lesson& lesson, unsigned block_size) {
  const std::size_t block = block_size;
  std::vector<Settings> all;
  for (const std::size_t size :
       {telling_size, std::size_t{1}, std::size_t{33}, block - 1, block, block + 1, 2 * block}) {
    if (size == 0) continue;
    all.push_back(lesson.default_settings());
    all.back().size = size;
  }
  return all;
}

std::vector<Settings> with_counts(const Lesson& lesson) {
  std::vector<Settings> all;
  for (const auto& values : lesson.checked_at) {
    all.push_back(lesson.default_settings());
    for (const auto& [name, value] : values) all.back().options[name] = value;
  }
  return all;
}

// The other words of every choice, one at a time.
void add_choices(const Lesson& lesson, std::vector<Settings>& all) {
  const Settings first = all.front();
  for (const Option& option : lesson.options) {
    const auto* choice = std::get_if<Choice>(&option.kind);
    if (!choice) continue;
    for (const std::string& word : choice->words) {
      if (first.word(option.name) == word) continue;
      all.push_back(first);
      all.back().options[option.name] = word;
    }
  }
}

struct AsTyped {
  std::string operator()(const std::string& word) const { return word; }
  std::string operator()(std::uint64_t count) const { return std::to_string(count); }
  std::string operator()(double number) const {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;  // the shortest that is exact
    return {text, end};
  }
};

}  // namespace

bool is_taken(const Lesson& lesson, const Settings& settings) {
  try {
    lesson.problem(settings);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size) {
  std::vector<Settings> all = lesson.has_size() ? with_sizes(lesson, block_size) : with_counts(lesson);
  add_choices(lesson, all);
  std::erase_if(all, [&](const Settings& settings) { return !is_taken(lesson, settings); });
  return all;
}

TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings) {
  const Settings defaults = lesson.default_settings(), first = check_settings(lesson, block_size).front();
  TriedWith tried{.size = settings.size, .seed = settings.seed, .edge_inputs = settings.edge_inputs};
  for (const auto& [name, value] : settings.options)
    if (value != defaults.options.at(name) || value != first.options.at(name))
      tried.options[name] = std::visit(AsTyped{}, value);
  return tried;
}

}  // namespace gpulab::learn
