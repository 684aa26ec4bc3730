#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "check/causes.hpp"
#include "check/judging.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {

std::uint64_t SizeOrCount::of(const Settings& settings) const {
  return name == "size" ? settings.size : settings.count(name);
}

void SizeOrCount::set(Settings& settings, std::uint64_t value) const {
  if (name == "size")
    settings.size = value;
  else
    settings.options.at(name) = value;
}

std::vector<SizeOrCount> sizes_and_counts(const Lesson& lesson) {
  std::vector<SizeOrCount> all;
  if (lesson.has_size()) all.push_back({"size", 1, lesson.largest_size});
  for (const Option& option : lesson.options)
    if (const auto* range = std::get_if<Count>(&option.kind))
      all.push_back({option.name, range->min, range->max});
  return all;
}

std::optional<Settings> few_if_repeated(const Lesson& lesson, const std::string& text) {
  const source::Code code(text);
  Settings few = lesson.default_settings();
  few.size = 32;
  const bool is_few =
      lesson.has_size() && accepts(lesson, few) && shadowing_variable(code, source::local_variables(code));
  return is_few ? std::optional(few) : std::nullopt;
}

namespace {

class SettingsList {
 public:
  SettingsList(const Lesson& lesson, const Settings& excluded) : lesson_(lesson), excluded_(excluded) {}

  void add(const Settings& settings) {
    if (settings == excluded_ || std::ranges::find(all_, settings) != all_.end()) return;
    if (accepts(lesson_, settings)) all_.push_back(settings);
  }
  void add_with(const Settings& settings, const SizeOrCount& dimension, std::uint64_t value) {
    if (value < dimension.min || value > dimension.max) return;
    Settings changed = settings;
    dimension.set(changed, value);
    add(changed);
  }
  std::vector<Settings> all() const { return all_; }

 private:
  const Lesson& lesson_;
  const Settings excluded_;
  std::vector<Settings> all_;
};

}  // namespace

std::vector<Settings> simpler_settings(const Lesson& lesson, const Settings& settings) {
  SettingsList list(lesson, settings);
  const Settings defaults = lesson.default_settings();
  Settings simpler = settings;
  simpler.edge_inputs = false;
  list.add(simpler);
  simpler = settings;
  simpler.seed = defaults.seed;
  list.add(simpler);
  for (const Option& option : lesson.options) {
    if (!std::holds_alternative<Choice>(option.kind)) continue;
    simpler = settings;
    simpler.options.at(option.name) = defaults.options.at(option.name);
    list.add(simpler);
  }
  for (const SizeOrCount& dimension : sizes_and_counts(lesson))
    for (std::uint64_t smaller = dimension.min; smaller < dimension.min + 3; ++smaller)
      if (smaller < dimension.of(settings)) list.add_with(settings, dimension, smaller);
  return list.all();
}

std::vector<Settings> settings_around(const Lesson& lesson, unsigned block_size, const Settings& settings) {
  SettingsList list(lesson, settings);
  for (const Settings& other : check_settings(lesson, block_size)) list.add(other);
  const std::vector<SizeOrCount> dimensions = sizes_and_counts(lesson);
  for (const SizeOrCount& dimension : dimensions) {
    // Multiples of different numbers, to tell apart the properties "is a multiple of" below.
    if (dimension.name == "size")
      for (const std::uint64_t value :
           std::initializer_list<std::uint64_t>{5 * block_size, 9 * block_size + 64, 3, 64, 36, 34})
        list.add_with(settings, dimension, value);
    else
      for (const std::uint64_t value : std::initializer_list<std::uint64_t>{1, 7, 32, 33, 64})
        list.add_with(settings, dimension, value);
    for (const SizeOrCount& other : dimensions)
      if (other.name != dimension.name) list.add_with(settings, dimension, other.of(settings));
  }
  Settings edges = settings;
  edges.edge_inputs = !settings.edge_inputs;
  list.add(edges);
  return list.all();
}

namespace {

// Property of some settings: "where width equals height".
struct Property {
  std::string when, otherwise;
  std::function<bool(const Settings&)> holds;
};

class RightAndWrong {
 public:
  RightAndWrong(const Lesson& lesson, unsigned block_size, const std::vector<TriedSettings>& tried)
      : lesson_(lesson), block_size_(block_size), dimensions_(sizes_and_counts(lesson)), tried_(tried) {}

  std::string text() const {
    // With fewer, a property would separate right from wrong settings by chance.
    constexpr std::ptrdiff_t min_right = 2, min_wrong = 1, min_tried = 5;
    const auto right = std::ranges::count(tried_, true, &TriedSettings::right);
    const auto wrong = std::ssize(tried_) - right;
    if (right < min_right || wrong < min_wrong || std::ssize(tried_) < min_tried) return "";
    for (const Property& property : properties()) {
      if (separates(property, /*holds_if_right=*/true))
        return sentence("right " + property.when, "wrong " + property.otherwise);
      if (separates(property, /*holds_if_right=*/false))
        return sentence("wrong " + property.when, "right " + property.otherwise);
    }
    for (const SizeOrCount& dimension : dimensions_)
      if (const std::string text = threshold(dimension); !text.empty()) return text;
    return "";
  }

 private:
  bool separates(const Property& property, bool holds_if_right) const {
    return std::ranges::all_of(tried_, [&](const TriedSettings& tried) {
      return property.holds(tried.settings) == (tried.right == holds_if_right);
    });
  }

  // Returns whether two sizes of an instructor's exercise, which need not have to do with each other, may
  // happen to be related where it is right.
  bool is_relation_by_chance() const {
    constexpr std::ptrdiff_t min_each = 4;
    const auto right = std::ranges::count(tried_, true, &TriedSettings::right);
    return !lesson_.kernels_text.empty() && std::min(right, std::ssize(tried_) - right) < min_each;
  }

  std::vector<Property> properties() const {
    std::vector<Property> all;
    for (const Option& option : lesson_.options)
      if (const auto* choice = std::get_if<Choice>(&option.kind))
        for (const std::string& word : choice->words)
          all.push_back({fmt::format("with --{} {}", option.name, word), "with the others",
                         [=](const Settings& settings) { return settings.word(option.name) == word; }});
    all.push_back({"with edge inputs (--inputs edge: zeros of both signs, negative, tiny and large numbers)",
                   "with the usual inputs", [](const Settings& settings) { return settings.edge_inputs; }});
    if (!lesson_.kernels_text.empty())  // an instructor's exercise may have a block for each row
      for (const SizeOrCount& dimension : dimensions_)
        all.push_back(
            {fmt::format("where {} is above {}, the threads of a block", dimension.name, block_size_),
             "elsewhere",
             [=, this](const Settings& settings) { return dimension.of(settings) > block_size_; }});
    for (const SizeOrCount& dimension : dimensions_)
      for (const SizeOrCount& other : dimensions_) {
        if (dimension.name == other.name || is_relation_by_chance()) continue;
        if (dimension.name < other.name)
          all.push_back(
              {fmt::format("where {} equals {}", dimension.name, other.name), "elsewhere",
               [=](const Settings& settings) { return dimension.of(settings) == other.of(settings); }});
        all.push_back(
            {fmt::format("where {} is larger than {}", dimension.name, other.name), "elsewhere",
             [=](const Settings& settings) { return dimension.of(settings) > other.of(settings); }});
        if (lesson_.kernels_text.empty())  // nobody knows whether an instructor's kernel has tiles
          all.push_back({fmt::format("where {} has more tiles of 32 than {}", dimension.name, other.name),
                         "elsewhere", [=](const Settings& settings) {
                           return (dimension.of(settings) + 31) / 32 > (other.of(settings) + 31) / 32;
                         }});
      }
    for (const SizeOrCount& dimension : dimensions_)
      for (const std::uint64_t step : {std::uint64_t{block_size_}, std::uint64_t{32}, std::uint64_t{16},
                                       std::uint64_t{4}, std::uint64_t{2}})
        all.push_back({fmt::format("where {} is a multiple of {}", dimension.name, grouped(step)),
                       "elsewhere",
                       [=](const Settings& settings) { return dimension.of(settings) % step == 0; }});
    return all;
  }

  std::string threshold(const SizeOrCount& dimension) const {
    std::set<std::uint64_t> right, wrong;
    for (const TriedSettings& tried : tried_)
      (tried.right ? right : wrong).insert(dimension.of(tried.settings));
    const auto text = [&](std::uint64_t last, std::uint64_t first, const char* before, const char* after) {
      return sentence(fmt::format("{} up to {} {}", before, dimension.name, grouped(last)),
                      fmt::format("{} from {} on", after, grouped(first)));
    };
    if (*right.rbegin() < *wrong.begin()) return text(*right.rbegin(), *wrong.begin(), "right", "wrong");
    if (*wrong.rbegin() < *right.begin()) return text(*wrong.rbegin(), *right.begin(), "wrong", "right");
    return "";
  }

  std::string sentence(const std::string& first, const std::string& second) const {
    return fmt::format("of {} settings tried, {}, {}{}", grouped(tried_.size()), first, second, examples());
  }

  // Returns ": right at 256, 512; wrong at 1, 33, 10 007", if settings have nothing but a size.
  std::string examples() const {
    if (dimensions_.size() != 1 || dimensions_.front().name != "size") return "";
    return ": right at " + sizes(/*right=*/true) + "; wrong at " + sizes(/*right=*/false);
  }

  std::string sizes(bool right) const {
    constexpr std::size_t max_shown = 4;
    std::set<std::uint64_t> all;
    for (const TriedSettings& tried : tried_)
      if (tried.right == right) all.insert(tried.settings.size);
    std::string text;
    std::size_t shown = 0;
    for (const std::uint64_t size : all) {
      if (shown == max_shown) break;
      text += (shown++ == 0 ? "" : ", ") + grouped(size);
    }
    return text + (all.size() > max_shown ? " ..." : "");
  }

  const Lesson& lesson_;
  const unsigned block_size_;
  const std::vector<SizeOrCount> dimensions_;
  const std::vector<TriedSettings>& tried_;
};

}  // namespace

bool has_loop(const std::string& text) {
  return std::ranges::any_of(source::cuda_tokens(text), [](const source::Token& token) {
    return token.text == "for" || token.text == "while";
  });
}

std::optional<LimitCause> cause_of_small_limit(const Lesson& lesson, const std::string& text,
                                               const SizeLimit& limit, unsigned block_size) {
  for (const unsigned bits : {15u, 16u, 24u}) {
    const std::size_t beyond = std::size_t{1} << bits;
    if (limit.last_right + 1 == beyond || limit.last_right == beyond)
      return LimitCause{": consistent with a number of " + std::to_string(bits) + " bits"};
  }
  constexpr std::size_t min_constant = 100;  // smaller numbers are in many texts, for other reasons
  for (const std::size_t constant : {limit.last_right, limit.first_wrong}) {
    const int line = line_with_limit(lesson, text, constant);
    if (constant < min_constant || constant == block_size || line == 0) continue;
    return LimitCause{fmt::format(", and line {} has the number {}", line, constant), line,
                      "constant-for-size"};
  }
  return std::nullopt;
}

LimitCause cause_of_limit(const Lesson& lesson, const std::string& text, std::size_t last_right,
                          unsigned block_size) {
  const std::size_t block = block_size;
  const struct {
    std::size_t last_right;
    const char* number_and_type;
  } known[] = {
      {32768 * block, "a block's number, kept in a short, which holds 32 767 at most"},
      {65536 * block, "a block's number, kept in an unsigned short, which holds 65 535 at most"},
      {2049 * block, "a block's number, kept in a half, which holds whole numbers up to 2 048"},
      {(std::size_t{1} << 24) + 1, "an index in a float, which holds whole numbers up to 16 777 216"},
      {std::size_t{1} << 29, "a byte offset (4 x index), kept in an int, which holds 2 147 483 647 at most"},
      {std::size_t{1} << 30,
       "a byte offset (4 x index), kept in an unsigned int, which holds 4 294 967 295 at most"}};
  for (const std::size_t number : {last_right, last_right + 1})
    if (const int line = number == block ? 0 : line_with_limit(lesson, text, number))
      return {fmt::format(", and line {} has the number {}", line, grouped(number)), line,
              "constant-for-size"};
  const source::Code code(text);
  if (const Cause narrow = narrow_index(code, source::local_variables(code), last_right + 1))
    return {": " + narrow->text, narrow->line};
  for (const auto& [limit, number_and_type] : known)
    if (last_right + 1 >= limit && last_right <= limit + 1)
      return {std::string(": consistent with ") + number_and_type};
  return {};
}

std::optional<SizeLimit> size_limit(const std::vector<TriedSettings>& tried) {
  SizeLimit limit{0, std::numeric_limits<std::size_t>::max()};
  for (const auto& [settings, right] : tried) {
    if (right) limit.last_right = std::max(limit.last_right, settings.size);
    if (!right) limit.first_wrong = std::min(limit.first_wrong, settings.size);
  }
  const bool is_limit = 0 < limit.last_right && limit.last_right < limit.first_wrong;
  return is_limit ? std::optional(limit) : std::nullopt;
}

std::string where_right(const Lesson& lesson, unsigned block_size, const std::vector<TriedSettings>& tried) {
  return RightAndWrong(lesson, block_size, tried).text();
}

}  // namespace gpulab::check
