#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>

#include "core/error.hpp"
#include "core/inputs.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"
#include "learn/checks.hpp"
#include "run/run_options.hpp"

namespace gpulab::learn {
namespace {

constexpr unsigned warp = 32;

// Larger ones are the sizes of memories, not of anything that a kernel counts.
constexpr std::uint64_t largest_constant = std::uint64_t{1} << 24;

// Instead of what is out of the range of an option, one of so many values at its beginning.
constexpr std::uint64_t among_too_many = 4096;

constexpr std::uint64_t past_16_bits = (1 << 16) + 1;

// So many draws in a row that are too much work, or not new, and there is nothing left to draw.
constexpr int fruitless_draws = 300;

// The whole numbers in a text of C++, without those in comments and in names: 256, 0x7fff, and 16 of 1 << 16.
std::set<std::uint64_t> constants_in(std::string_view text) {
  std::set<std::uint64_t> constants;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    const bool in_a_word = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) ||
                                     text[i - 1] == '_' || text[i - 1] == '.');
    if (!std::isdigit(static_cast<unsigned char>(text[i])) || in_a_word) continue;
    constexpr std::size_t most_digits = 18;
    std::size_t length = 0;
    const std::string digits(text.substr(i, most_digits));
    const std::uint64_t value = std::stoull(digits, &length, 0);
    i += length;
    const bool is_whole = i >= text.size() || (text[i] != '.' && text[i] != 'f' && text[i] != 'e');
    if (is_whole && value >= 2 && value <= largest_constant) constants.insert(value);
  }
  return constants;
}

// Where a kernel may go from right to wrong: around constants, their multiples, and powers of two.
std::vector<std::uint64_t> telling_values(const std::set<std::uint64_t>& constants) {
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

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

double work_of(const Problem& problem, unsigned block_size) {
  constexpr double of_any_launch = 3000, of_a_thread = 4, of_a_tile = 64;
  const Traffic traffic = problem.min_traffic();
  const Extent work = problem.work_items();
  const double items = std::max<double>(1, static_cast<double>(work.volume()));
  double for_each = (traffic.bytes_read + traffic.bytes_written) / sizeof(float) / items +
                    problem.work_to_check.value_or(traffic.operations) / items;
  if (traffic.limited_by_operations) for_each = std::max(for_each, of_a_tile);
  const unsigned width = std::min(block_size, warp);
  const std::uint64_t threads = work.y > 1 || problem.work_items().x < work.volume()
                                    ? rounded_up(work.x, width) * rounded_up(work.y, block_size / width)
                                    : rounded_up(work.x, block_size);
  return of_any_launch + static_cast<double>(threads) * (of_a_thread + for_each);
}

int line_with_constant(const std::string& text, std::uint64_t number) {
  const std::vector<std::string> lines = lines_of(text);
  const auto has_it = [&](const std::string& line) { return constants_in(line).contains(number); };
  const auto found = std::ranges::find_if(lines, has_it);
  return found == lines.end() ? 0 : static_cast<int>(found - lines.begin()) + 1;
}

std::uint64_t seed_of(const std::string& text) {
  return hash_of(text);
}

DrawnSettings::DrawnSettings(const Lesson& lesson, unsigned block_size, const std::string& text,
                             std::uint64_t seed)
    : lesson_(lesson), block_size_(block_size), seed_(seed) {
  std::set<std::uint64_t> constants = constants_in(text);
  for (const EmbeddedFile& file : embedded_kernels())
    if (file.name == lesson.file_of(run::find_variant(lesson, lesson.solution)))
      constants.merge(constants_in(file.text));
  constants.insert({block_size, warp});
  values_ = telling_values(constants);
  // First what only a large size shows, and what stands in the learner's own text.
  const std::set<std::uint64_t> own = constants_in(text);
  const auto is_first = [&](std::uint64_t value) {
    return value == past_16_bits || own.contains(value) || own.contains(value - 1) || own.contains(value + 1);
  };
  std::ranges::stable_partition(values_, is_first);
  fixed_ = check_settings(lesson, block_size);
  if (lesson.has_size()) add_large_ones();
}

// Past 16 bits, with each word of each choice, where that is little work.
void DrawnSettings::add_large_ones() {
  constexpr double little = 0.1;
  for (Settings settings : fixed_) {
    settings.size = past_16_bits;
    const bool is_known = std::ranges::find(first_, settings) != first_.end();
    if (!is_known && is_taken(lesson_, settings) &&
        work_of(lesson_.problem(settings), block_size_) <= little * work_to_draw)
      first_.push_back(settings);
  }
}

std::uint64_t DrawnSettings::random(std::uint64_t below) {
  return random_bits(seed_, draws_++) % below;
}

std::uint64_t DrawnSettings::count(std::uint64_t min, std::uint64_t max,
                                   const std::vector<std::uint64_t>& others) {
  std::uint64_t value = 0;
  switch (random(8)) {
    case 0:
    case 1: {  // of any magnitude
      const double magnitude = static_cast<double>(random(1 << 16)) / (1 << 16);
      value = static_cast<std::uint64_t>(std::exp2(16 * magnitude));
      break;
    }
    case 2:  // the same as another, or nearly
      if (!others.empty()) {
        value = others[random(others.size())] + random(3);
        value -= value > 0;
        break;
      }
      [[fallthrough]];
    case 3:
      value = min + random(8);
      break;
    default:
      value = values_[random(values_.size())];
  }
  return value < min || value > max ? min + random(std::min(max - min, among_too_many) + 1) : value;
}

Settings DrawnSettings::draw() {
  if (!first_.empty()) {
    const Settings settings = first_.back();
    first_.pop_back();
    return settings;
  }
  Settings settings = fixed_[random(fixed_.size())];
  std::vector<std::uint64_t> others;
  if (lesson_.has_size()) {
    settings.size = next_value_ < values_.size() && drawn_.size() % 4 != 3
                        ? values_[next_value_++]
                        : count(1, lesson_.largest_size, {});
    others.push_back(settings.size);
  }
  for (const Option& option : lesson_.options) {
    OptionValue& value = settings.options.at(option.name);
    if (const auto* choice = std::get_if<Choice>(&option.kind); choice && random(2) == 0)
      value = choice->words[random(choice->words.size())];
    const auto* range = std::get_if<Count>(&option.kind);
    if (!range || random(8) == 0) continue;
    value = count(range->min, range->max, others);
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
  for (int attempt = 0; attempt < fruitless_draws && work_left_ > 0; ++attempt) {
    Settings settings = draw();
    if (!is_new(settings)) continue;
    try {
      const Problem problem = lesson_.problem(settings);
      const double work = work_of(problem, block_size_);
      if (work > largest_part_of_work * work_to_draw || work > work_left_) continue;
      if (!problem.edges) settings.edge_inputs = false;
      work_left_ -= work;
      drawn_.push_back(settings);
      return settings;
    } catch (const UsageError&) {  // options that make no sense together
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::learn
