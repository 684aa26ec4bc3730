#include "check/settings.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "base/cpu_vectors.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "check/judging.hpp"
#include "lesson/arrays.hpp"
#include "lesson/lesson.hpp"
#include "run/run_options.hpp"
#include "source/cuda_text.hpp"

namespace gpulab::check {
namespace {

// Size that is not a whole number of blocks, with enough blocks that a part of the result can be right.
constexpr std::size_t boundary_size = 10007;

std::vector<Settings> with_sizes(const Lesson& lesson, unsigned block_size) {
  const std::size_t block = block_size;
  std::vector<Settings> all;
  for (const std::size_t size : {std::min(boundary_size, lesson.largest_size), std::size_t{1},
                                 std::size_t{33}, block - 1, block, block + 1, 2 * block}) {
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

// Adds the other words of every choice, one at a time.
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
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;  // the shortest exact text
    return {text, end};
  }
};

}  // namespace

bool accepts(const Lesson& lesson, const Settings& settings) {
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
  std::erase_if(all, [&](const Settings& settings) { return !accepts(lesson, settings); });
  if (all.empty()) all.push_back(lesson.default_settings());
  return all;
}

TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings) {
  const Settings defaults = lesson.default_settings(), first = check_settings(lesson, block_size).front();
  TriedWith tried{.size = settings.size, .seed = settings.seed, .edge_inputs = settings.edge_inputs};
  for (const auto& [name, value] : settings.options)
    if (value != defaults.options.at(name) || value != first.options.at(name))
      tried.options[name] = std::visit(AsTyped{}, value);
  // The work items follow from all counts together, where there is no size.
  const auto is_listed_count = [&](const Option& option) {
    return std::holds_alternative<Count>(option.kind) && tried.options.contains(option.name);
  };
  if (!lesson.has_size() && std::ranges::any_of(lesson.options, is_listed_count))
    for (const Option& option : lesson.options)
      if (std::holds_alternative<Count>(option.kind))
        tried.options[option.name] = std::to_string(settings.count(option.name));
  return tried;
}

namespace {

constexpr unsigned warp = 32;

// Largest constant to consider: larger ones are the sizes of memories, not of anything that a kernel counts.
constexpr std::uint64_t largest_constant = std::uint64_t{1} << 24;

// Number of values at a range's beginning. A value out of range is replaced by one that is drawn from these.
constexpr std::uint64_t values_to_redraw_from = 4096;

constexpr std::uint64_t past_16_bits = (1 << 16) + 1;

// Largest size that is tried without a reason in the text.
constexpr std::size_t largest_usual_size = 100'000;

// Number of draws for the next settings: if none of them is new and within the limit of work, drawing ends.
constexpr int max_draws = 300;

// Returns the whole numbers in C++ text outside of comments and names, such as 256 and 0x7fff; also the
// results of 3 * 4 and 1 << 16.
std::set<std::uint64_t> constants_in(std::string_view text) {
  std::set<std::uint64_t> constants;
  std::uint64_t previous = 0;    // the number before an operator
  std::size_t previous_end = 0;  // where it ended
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    const bool in_a_word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) ||
                                     text[i - 1] == '_' || text[i - 1] == '.');
    if (!std::isdigit(static_cast<unsigned char>(text[i])) || in_a_word) continue;
    constexpr std::size_t max_digits = 18;  // so that the value fits 64 bits
    std::size_t length = 0;
    const std::string digits(text.substr(i, max_digits));
    const std::uint64_t value = std::stoull(digits, &length, 0);
    i += length;
    const bool is_whole = i >= text.size() || (text[i] != '.' && text[i] != 'f' && text[i] != 'e');
    const auto add = [&](std::uint64_t number) {
      if (number >= 2 && number <= largest_constant) constants.insert(number);
    };
    if (!is_whole) continue;
    add(value);
    const std::size_t begin = i - length;
    const std::string between =
        previous > 0 && previous_end < begin ? trimmed(text.substr(previous_end, begin - previous_end)) : "";
    if (previous > 0 && between == "<<" && value < 32 && previous <= largest_constant) add(previous << value);
    if (previous > 0 && between == "*" && previous <= largest_constant && value <= largest_constant)
      add(previous * value);
    previous = value;
    previous_end = std::min(text.find_first_not_of("uUlL", i), text.size());
  }
  return constants;
}

// Returns whether a float or a half is initialized with threadIdx or blockIdx.
bool has_float_index(const std::string& text) {
  bool in_float_declaration = false, in_float_value = false;
  int brackets = 0;  // an element of an array is not an index
  std::string_view last;
  for (const source::Token& token : source::cuda_tokens(text)) {
    if (token.kind == source::TokenKind::space || token.kind == source::TokenKind::comment) continue;
    if (last == "float" || last == "half" || last == "__half")
      in_float_declaration = token.kind == source::TokenKind::word;
    else if (token.text == ";" || token.text == "{")
      in_float_declaration = in_float_value = false;
    else if (token.text == "[" || token.text == "]")
      brackets += token.text == "[" ? 1 : -1;
    else if (token.text == "=")
      in_float_value = in_float_declaration;
    else if (in_float_value && brackets == 0 && (token.text == "threadIdx" || token.text == "blockIdx"))
      return true;
    last = token.text;
  }
  return false;
}

// Returns the constants of the course's kernel and of the starter.
std::set<std::uint64_t> given_constants(const Lesson& lesson) {
  std::set<std::uint64_t> given = constants_in(lesson.kernels_text);
  for (const EmbeddedFile& file : embedded_kernels())
    if (file.name == lesson.file_of(run::find_variant(lesson, lesson.solution)))
      given.merge(constants_in(file.text));
  for (const Exercise& exercise : all_exercises())
    if (exercise.lesson == lesson.name) given.merge(constants_in(exercise.starter));
  return given;
}

// Returns values where kernels may go wrong: around constants, their multiples, and powers of two.
std::vector<std::uint64_t> boundary_values(const std::set<std::uint64_t>& constants) {
  std::set<std::uint64_t> values{2, 3};
  const auto around = [&](std::uint64_t value) { values.insert({value - 1, value, value + 1}); };
  for (const std::uint64_t constant : constants) {
    around(constant);
    around(2 * constant);
    values.insert({3 * constant, 5 * constant + 1, 7 * constant});
  }
  for (unsigned bit = 5; bit <= 16; ++bit) around(std::uint64_t{1} << bit);
  return {values.begin(), values.end()};
}

}  // namespace

double work_of(const Lesson& lesson, const Settings& settings, unsigned block_size) {
  const Problem problem = lesson.problem(settings);
  constexpr double launch_work = 3000, thread_work = 4, tile_work = 64;
  const Traffic traffic = problem.min_traffic();
  const Extent work = problem.work_items();
  const double items = std::max<double>(1, static_cast<double>(work.volume()));
  double work_per_item = (traffic.bytes_read + traffic.bytes_written) / sizeof(float) / items +
                         problem.work_to_check.value_or(traffic.operations) / items;
  if (traffic.limited_by_operations) work_per_item = std::max(work_per_item, tile_work);
  const unsigned width = std::min(block_size, warp);
  // Blocks lie in rows and columns if there is a width and a height but no size, even for a single row.
  const std::uint64_t threads = work.y > 1 || !lesson.has_size()
                                    ? rounded_up(work.x, width) * rounded_up(work.y, block_size / width)
                                    : rounded_up(work.x, block_size);
  return launch_work + static_cast<double>(threads) * (thread_work + work_per_item);
}

int line_with_limit(const Lesson& lesson, const std::string& text, std::uint64_t number) {
  if (given_constants(lesson).contains(number)) return 0;
  const std::vector<std::string> lines = lines_of(text);
  const auto divides_by_number = [&](const std::string& line) {
    for (source::Scanner scanner(line); !scanner.is_at_end();) {
      scanner.up_to_one_of("%/");
      if (!scanner.take_one_of("%/")) continue;
      scanner.take("=");
      scanner.skip_blanks();
      if (source::Scanner divisor = scanner; divisor.take_word() == std::to_string(number)) return true;
    }
    return false;
  };
  const auto has_limit = [&](const std::string& line) {
    return constants_in(line).contains(number) && !divides_by_number(line);
  };
  const auto found = std::ranges::find_if(lines, has_limit);
  return found == lines.end() ? 0 : static_cast<int>(found - lines.begin()) + 1;
}

std::uint64_t largest_number_in(const std::string& text, std::uint64_t max) {
  const std::set<std::uint64_t> numbers = constants_in(text);
  const auto above = numbers.upper_bound(max);
  return above == numbers.begin() ? 0 : *std::prev(above);
}

std::uint64_t seed_of(const std::string& text) {
  return fnv1a(text);
}

DrawnSettings::DrawnSettings(const Lesson& lesson, unsigned block_size, const std::string& text,
                             std::uint64_t seed)
    : lesson_(lesson), block_size_(block_size), seed_(seed) {
  std::set<std::uint64_t> known = given_constants(lesson);
  known.insert({block_size, warp});
  const std::set<std::uint64_t> own = constants_in(text);
  std::set<std::uint64_t> constants = own;
  constants.insert(known.begin(), known.end());
  values_ = boundary_values(constants);
  // Puts first the value that only a large size shows, and the learner's own constants.
  const auto is_first = [&](std::uint64_t value) {
    return value == past_16_bits || own.contains(value) || own.contains(value - 1) || own.contains(value + 1);
  };
  std::ranges::stable_partition(values_, is_first);
  fixed_ = check_settings(lesson, block_size);
  std::set<std::uint64_t> only_own;
  std::ranges::set_difference(own, known, std::inserter(only_own, only_own.end()));
  if (lesson.has_size()) add_past_16_bits();
  if (lesson.has_size() && lesson.checked_far.sizes.empty()) add_past_numbers_of_text(text, only_own);
  add_largest(only_own);
  add_corners();
  add_sizes_of_lesson();
}

bool DrawnSettings::add(const Settings& settings, double& work_left) {
  if (!accepts(lesson_, settings) || !is_new(settings)) return false;
  const double work = work_of(lesson_, settings, block_size_);
  if (work > work_left) return false;
  work_left -= work;
  drawn_.push_back(settings);
  return true;
}

// Adds sizes with more blocks than 8 bits can number, or than a constant of the learner's; and the default
// size. Adds values of each count while the other counts are small, so that the work is little: past the
// learner's constants, the largest value, and one past 1024.
void DrawnSettings::add_largest(const std::set<std::uint64_t>& own) {
  double work_left = work_for_the_largest;
  std::vector<SizeOrCount> dimensions = sizes_and_counts(lesson_);
  std::ranges::reverse(dimensions);  // the terms of a sum before the number of sums
  for (const SizeOrCount& dimension : dimensions) {
    std::vector<std::uint64_t> values(own.rbegin(), own.rend());
    if (dimension.name == "size") {
      const std::uint64_t past_8_bits = 256 * std::uint64_t{block_size_} + warp + 1;
      for (std::uint64_t& value : values) value = value * block_size_ + warp + 1;
      std::erase_if(values, [&](std::uint64_t value) { return value <= past_8_bits; });
      if (past_8_bits > past_16_bits + block_size_) values.push_back(past_8_bits);
      if (lesson_.default_size <= largest_usual_size) values.push_back(lesson_.default_size);
    } else {
      for (std::uint64_t& value : values) ++value;
      values.insert(values.end(), {dimension.max, 1025});
    }
    std::erase_if(values, [&](auto value) { return value < dimension.min || value > dimension.max; });
    for (const std::uint64_t value : values) {
      for (Settings settings : fixed_) {
        if (!lesson_.has_size() || dimension.name == "size") break;
        settings.size = value;  // for lessons in which a large filter over few elements is little work
        dimension.set(settings, value);
        add(settings, work_left);
      }
      for (const std::uint64_t extra : {2, 0}) add(with_value(dimension, value, extra), work_left);
    }
  }
}

// Adds a size past the largest number in the text or, if the text has an index in a float, past the whole
// numbers that a float holds. Such a size is much work, but few texts need it.
void DrawnSettings::add_past_numbers_of_text(const std::string& text, const std::set<std::uint64_t>& own) {
  constexpr std::uint64_t max_number = std::uint64_t{1} << 22, past_a_float = (std::uint64_t{1} << 24) + 1025;
  std::uint64_t size = 0;
  for (const std::uint64_t value : own)
    if (value > largest_usual_size && value <= max_number)
      size = value + value / 2;  // a sum that ends at the number lacks a third of the terms
  if (has_float_index(text)) size = past_a_float;
  Settings settings = fixed_.front();
  settings.size = size;
  if (size > 0 && accepts(lesson_, settings)) drawn_.push_back(settings);
}

// Adds the lesson's own sizes, even if they are much work for all ranks: only a few ranks do their part.
void DrawnSettings::add_sizes_of_lesson() {
  if (!lesson_.has_size()) return;
  for (const auto& values : lesson_.checked_at) {
    Settings settings = lesson_.default_settings();
    settings.only_some_ranks = true;
    for (const SizeOrCount& dimension : sizes_and_counts(lesson_))
      if (const auto value = values.find(dimension.name); value != values.end())
        dimension.set(settings, std::get<std::uint64_t>(value->second));
    if (!values.empty()) drawn_.push_back(settings);
  }
}

// Returns usual settings with that size, or with that count and all other counts `extra` above their minimum.
Settings DrawnSettings::with_value(const SizeOrCount& dimension, std::uint64_t value,
                                   std::uint64_t extra) const {
  Settings settings = fixed_.front();
  if (dimension.name != "size")
    for (const SizeOrCount& other : sizes_and_counts(lesson_)) other.set(settings, other.min + extra);
  dimension.set(settings, value);
  return settings;
}

// Adds a size past 16 bits, with each word of each choice, if that is little work.
void DrawnSettings::add_past_16_bits() {
  constexpr double part_of_work = 0.06;
  for (Settings settings : fixed_) {
    settings.size = past_16_bits;
    double work_left = std::min(work_left_, part_of_work * work_to_draw);
    const double work_before = work_left;
    if (add(settings, work_left)) work_left_ -= work_before - work_left;
  }
}

// Adds corners, with each word of each choice: first settings in which one, several or all of the size and
// the counts are at their minimum (one row, one column, a single element), then settings in which all are
// equal.
void DrawnSettings::add_corners() {
  const std::vector<SizeOrCount> dimensions = sizes_and_counts(lesson_);
  if (dimensions.size() < 2) return;
  constexpr std::uint64_t common_value = 21;  // no multiple of a warp
  constexpr std::uint64_t much_larger = 60;   // for a row, or a column, that is longer than a warp
  double work_left = work_left_ / 2;
  const double work_before = work_left;
  const Settings& usual = fixed_[lesson_.has_size() ? 0 : std::min<std::size_t>(1, fixed_.size() - 1)];
  // A set bit means that its dimension has its smallest value; no set bit, that all are equal.
  for (std::size_t min_mask = std::size_t{1} << dimensions.size(); min_mask-- > 0;)
    for (Settings settings : fixed_) {
      const bool is_row_or_column = std::popcount(min_mask) + 1 == std::ssize(dimensions);
      for (const std::uint64_t more : {std::uint64_t{0}, is_row_or_column ? much_larger : 0}) {
        for (std::size_t i = 0; i < dimensions.size(); ++i)
          dimensions[i].set(settings, min_mask == 0       ? common_value
                                      : min_mask >> i & 1 ? dimensions[i].min
                                                          : dimensions[i].of(usual) + more);
        add(settings, work_left);
      }
    }
  work_left_ -= work_before - work_left;
}

std::uint64_t DrawnSettings::random(std::uint64_t below) {
  return random_bits(seed_, draws_++) % below;
}

std::uint64_t DrawnSettings::draw_count(std::uint64_t min, std::uint64_t max,
                                        const std::vector<std::uint64_t>& others) {
  std::uint64_t value = 0;
  switch (random(8)) {
    case 0:
    case 1: {  // a value of any magnitude
      const double magnitude = static_cast<double>(random(1 << 16)) / (1 << 16);
      value = static_cast<std::uint64_t>(std::exp2(16 * magnitude));
      break;
    }
    case 2:  // the same as another, or nearly
      if (!others.empty()) {
        value = others[random(others.size())] + random(3);
        if (value > 0) --value;
        break;
      }
      [[fallthrough]];
    case 3:
      value = min + random(8);
      break;
    default:
      value = values_[random(values_.size())];
  }
  const bool is_in_range = min <= value && value <= max;
  return is_in_range ? value : min + random(std::min(max - min, values_to_redraw_from) + 1);
}

namespace {

// Numbers are drawn from the ends of a range and those between, in steps of equal length.
constexpr std::size_t max_number_steps = 1000;

// Returns a number with few digits, so that it is easy to read and to type.
double drawn_number(const Number& range, std::size_t step) {
  const double drawn =
      range.min + (range.max - range.min) * static_cast<double>(step) / double{max_number_steps};
  return std::clamp(std::stod(fmt::format("{:.4g}", drawn)), range.min, range.max);
}

}  // namespace

Settings DrawnSettings::draw() {
  Settings settings = fixed_[random(fixed_.size())];
  std::vector<std::uint64_t> others;
  if (lesson_.has_size()) {
    // Takes three of four sizes from the boundary values, in their order, and draws the fourth.
    settings.size = next_value_ < values_.size() && drawn_.size() % 4 != 3
                        ? values_[next_value_++]
                        : draw_count(1, lesson_.largest_size, {});
    others.push_back(settings.size);
  }
  for (const Option& option : lesson_.options) {
    OptionValue& value = settings.options.at(option.name);
    if (const auto* choice = std::get_if<Choice>(&option.kind); choice && random(2) == 0)
      value = choice->words[random(choice->words.size())];
    if (const auto* number = std::get_if<Number>(&option.kind); number && random(8) != 0)
      value = drawn_number(*number, random(max_number_steps + 1));
    const auto* range = std::get_if<Count>(&option.kind);
    if (!range || random(8) == 0) continue;
    value = draw_count(range->min, range->max, others);
    others.push_back(std::get<std::uint64_t>(value));
  }
  settings.seed = 1 + random(9999);
  settings.edge_inputs = random(2) == 0;
  return settings;
}

bool DrawnSettings::is_new(const Settings& settings) const {
  return std::ranges::none_of(drawn_, [&](const Settings& other) {
    return settings.size == other.size && settings.options == other.options;
  });
}

std::optional<Settings> DrawnSettings::next() {
  if (next_drawn_ < drawn_.size()) return drawn_[next_drawn_++];
  for (int attempt = 0; attempt < max_draws && work_left_ > 0; ++attempt) {
    Settings settings = draw();
    if (!is_new(settings)) continue;
    try {
      const double work = work_of(lesson_, settings, block_size_);
      if (work > largest_part_of_work * work_to_draw || work > work_left_) continue;
      if (!lesson_.problem(settings).edges) settings.edge_inputs = false;
      work_left_ -= work;
      drawn_.push_back(settings);
      ++next_drawn_;
      return settings;
    } catch (const UsageError&) {  // options that make no sense together
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::check
