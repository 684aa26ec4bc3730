#include "cli/demo_steps.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "check/explanations.hpp"
#include "cli/options.hpp"

namespace gpulab::cli {
namespace {

// Returns whether the word is the step's name, as it is listed or as files have it: zero-pad, zero_pad.
bool is_called(const teach::DemoStep& step, const std::string& word) {
  return replaced(teach::name_of(step), '_', '-') == replaced(word, '_', '-');
}

std::optional<std::size_t> number_in(const std::string& word) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

// Returns the words with a range of numbers, such as 2-4, written out.
std::vector<std::string> without_ranges(const std::vector<std::string>& words) {
  constexpr std::size_t max_steps = 1000;  // more than any demo has
  std::vector<std::string> each;
  for (const std::string& word : words) {
    const std::size_t dash = std::min(word.find('-'), word.size());
    const auto first = number_in(word.substr(0, dash)), last = number_in(word.substr(dash).erase(0, 1));
    if (!first || !last || *first > *last || *last > max_steps)
      each.push_back(word);
    else
      for (std::size_t number = *first; number <= *last; ++number) each.push_back(std::to_string(number));
  }
  return each;
}

}  // namespace

std::optional<std::size_t> find_step(const teach::Demo& demo, const std::string& word) {
  const std::optional<std::size_t> number = number_in(word);
  for (std::size_t i = 0; i < demo.steps.size(); ++i)
    if (number ? *number == i + 1 : is_called(demo.steps[i], word)) return i;
  return std::nullopt;
}

std::size_t step_named(const teach::Demo& demo, const std::string& word) {
  if (const auto found = find_step(demo, word)) return *found;
  if (number_in(word))
    throw UsageError(fmt::format("there is no step {}: the demo has {} step{}", word, demo.steps.size(),
                                 demo.steps.size() == 1 ? "" : "s"));
  std::vector<std::string> names;
  for (const auto& step : demo.steps) {
    names.insert(names.end(), {name_of(step), step.pattern});
    for (std::size_t at = 0; (at = step.pattern.find('-', at)) != std::string::npos; ++at)
      names.push_back(step.pattern.substr(0, at));  // a more general pattern
  }
  throw UsageError(fmt::format("the demo has no step '{}'; {}", word,
                               suggestion(word, names, "a step is a number, or a name: --steps lists them")));
}

teach::Demo with_only(teach::Demo demo, const std::vector<std::string>& words) {
  if (words.empty()) return demo;
  std::vector<std::size_t> chosen;
  for (const std::string& word : without_ranges(words)) {
    const std::size_t earlier_count = chosen.size();
    for (std::size_t i = 0; i < demo.steps.size(); ++i)
      if (is_called(demo.steps[i], word) || check::is_kind_of(demo.steps[i].pattern, word))
        chosen.push_back(i);
    if (chosen.size() == earlier_count) chosen.push_back(step_named(demo, word));
  }
  teach::Demo only{.lesson = demo.lesson};
  std::set<std::size_t> added;
  for (const std::size_t i : chosen)
    if (added.insert(i).second) only.steps.push_back(demo.steps[i]);
  for (teach::DemoStep& step : only.steps) step.is_main = true;  // since it was asked for
  return only;
}

teach::Demo with_main_mistakes(teach::Demo demo) {
  const std::size_t all = demo.steps.size();
  std::erase_if(demo.steps, [](const teach::DemoStep& step) { return !step.is_main; });
  if (demo.steps.size() < all) demo.about = fmt::format("main {} of {} (--all)", demo.steps.size(), all);
  return demo;
}

}  // namespace gpulab::cli
