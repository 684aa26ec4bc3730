#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "lesson/exercise.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"

namespace gpulab::check {

// The sizes and options that a kernel is tried with, and what separates right settings from wrong ones.

// Returns settings to try a learner's kernel with: first those at which most mistakes show, then edge sizes
// and the lesson's other choices.
std::vector<Settings> check_settings(const Lesson& lesson, unsigned block_size);

// Returns the work of a kernel that is checked at these settings, in memory accesses and operations of every
// thread that is launched, in whole blocks and tiles.
double work_of(const Lesson& lesson, const Settings& settings, unsigned block_size);

// Work of all drawn settings together, about half a second on a slow machine. It is work, not time, so that
// every machine gives the same verdict.
constexpr double work_to_draw = 13e6;
constexpr double work_for_the_largest = 6e6;   // part of that work, for a few very large settings
constexpr double largest_part_of_work = 0.18;  // fraction of that work that one drawn Settings may take

// Returns the largest number, up to `max`, that is a whole number in the text, or a product or shift of two
// of these; 0 if there is none.
std::uint64_t largest_number_in(const std::string& text, std::uint64_t max);

// Returns how many accesses a launch may make. A kernel needs more only if it repeats work: for instance,
// every thread does the work of all. A check tries dozens of settings, so each has only a part of a second.
std::size_t max_accesses(const Lesson& lesson, const Settings& settings, unsigned block_size);
constexpr std::size_t always_allowed_accesses = 1'500'000;

// Returns a larger limit, for a block size that the user has chosen: small blocks may repeat more work.
std::size_t max_accesses_in_chosen_blocks(const Traffic& traffic);

// Work that a check has done with a kernel. It is counted in steps, so that every machine gives the same
// verdict; only a kernel whose loops access no memory is measured by the CPU's clock.
class SpentWork {
 public:
  // Returns whether settings are still tried in all orders of threads.
  bool leaves_room_for_all_orders() const;

  // Returns whether settings with that work, as work_of() computes it, are tried at all. The time of a slow
  // kernel may grow as the square of that work.
  bool leaves_room_for(double work) const;

  // Returns the seconds that a usual machine takes for the work so far.
  double seconds() const { return spent_s_; }

  // Adds a launch at settings with that work.
  void add(const device::LaunchWork& done, double work);

 private:
  double spent_s_ = 0;
  double slowest_s_ = 0, slowest_work_ = 0;  // time and work of the launch with the most time for its work
  bool is_growing_ = false;                  // the kernel's time grows faster than the expected work
};

// Returns a seed that is always the same for the same text.
std::uint64_t seed_of(const std::string& text);

// Number in the settings: "size", or one of the lesson's counts.
struct SizeOrCount {
  std::string name;
  std::uint64_t min = 1, max = 0;

  std::uint64_t of(const Settings& settings) const;
  void set(Settings& settings, std::uint64_t value) const;
};

std::vector<SizeOrCount> sizes_and_counts(const Lesson& lesson);

// Random settings, to be tried after those of check_settings: values around the constants in the learner's
// text, the course's kernel and the block, values of any magnitude, and options that are equal to each other.
// The same text and seed make the same settings.
class DrawnSettings {
 public:
  DrawnSettings(const Lesson& lesson, unsigned block_size, const std::string& text, std::uint64_t seed);

  // Returns other settings; none when no work is left, or there is nothing new.
  std::optional<Settings> next();

 private:
  std::uint64_t random(std::uint64_t below);
  std::uint64_t draw_count(std::uint64_t min, std::uint64_t max, const std::vector<std::uint64_t>& others);
  bool add(const Settings& settings, double& work_left);
  void add_largest(const std::set<std::uint64_t>& own);
  Settings with_value(const SizeOrCount& dimension, std::uint64_t value, std::uint64_t extra) const;
  void add_past_16_bits();
  void add_corners();
  void add_sizes_of_lesson();
  void add_past_numbers_of_text(const std::string& text, const std::set<std::uint64_t>& own);
  Settings draw();
  bool is_new(const Settings& settings) const;

  const Lesson& lesson_;
  const unsigned block_size_;
  const std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  double work_left_ = work_to_draw - work_for_the_largest;
  std::size_t next_value_ = 0, next_drawn_ = 0;  // indices into values_ and drawn_
  std::vector<std::uint64_t> values_;
  std::vector<Settings> fixed_, drawn_;
};

// Returns settings that differ from these in one value: the default, or one of the smallest.
std::vector<Settings> simpler_settings(const Lesson& lesson, const Settings& settings);

// Returns settings that differ little from these, to see where else a kernel is wrong: those of
// check_settings(), whole blocks and tiles, arrays as high as wide, other inputs.
std::vector<Settings> settings_around(const Lesson& lesson, unsigned block_size, const Settings& settings);

struct TriedSettings {
  Settings settings;
  bool right = false;
};

// Sizes between which a kernel goes from right to wrong.
struct SizeLimit {
  std::size_t last_right = 0, first_wrong = 0;
};

// Returns the limit, if the kernel has one.
std::optional<SizeLimit> size_limit(const std::vector<TriedSettings>& tried);

// Returns whether the lesson has a problem for these settings.
bool accepts(const Lesson& lesson, const Settings& settings);

// Returns what separates the settings at which a kernel is right from the others: "right where size is a
// multiple of 256, wrong elsewhere". Empty if nothing does, or too little was tried.
std::string where_right(const Lesson& lesson, unsigned block_size, const std::vector<TriedSettings>& tried);

// Returns what a report says of these settings: the size, the seed, edge inputs, and the options that differ
// from the lesson's defaults or from the first settings of a check.
TriedWith tried_with(const Lesson& lesson, unsigned block_size, const Settings& settings);

// Settings that a user wants a kernel to be tried with.
struct Trial {
  std::optional<Settings> settings = {};    // if absent, all settings of a check
  std::optional<unsigned> block_size = {};  // if absent, the solution's
  std::optional<std::uint64_t> seed = {};   // to draw settings with; if absent, made from the file's text

  // Returns whether the trial leaves settings out, so that a wrong kernel may pass.
  bool is_limited() const { return settings || block_size; }
};

}  // namespace gpulab::check
