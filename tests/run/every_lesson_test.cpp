#include "base/table.hpp"
#include "check/settings.hpp"
#include "lesson/lesson.hpp"
#include "run/lesson_cases.hpp"
#include "run/problems.hpp"
#include "run/run_lesson.hpp"
#include "run/variant_run.hpp"
#include "simulator/simulator_fixture.hpp"
#include "simulator/watch/checked_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace every_lesson_test {

struct LessonVariant {
  Lesson lesson;
  Variant variant;
};

void PrintTo(const LessonVariant& variant, std::ostream* out) {
  *out << variant.lesson.name << " " << variant.variant.name;
}

// Number of devices unless a test asks for more.
constexpr int simulated_devices = 4;

std::vector<LessonVariant> every_variant() {
  std::vector<LessonVariant> variants;
  for (const Lesson& lesson : all_lessons())
    for (const Variant& variant : lesson.variants)
      if (!variant.needs && variant.ranks <= simulated_devices) variants.push_back({lesson, variant});
  return variants;
}

std::string name_of_variant(const testing::TestParamInfo<LessonVariant>& info) {
  std::string name = info.param.lesson.name + "_" + info.param.variant.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The simulator with each of the compilers that are installed.
std::vector<device::Device*> every_simulator() {
  std::vector<device::Device*> devices;
  for (const char* compiler : {"g++", "clang++"})
    if (device::Device* device = simulator::simulator_with(compiler)) devices.push_back(device);
  return devices;
}

class EveryLesson : public testing::TestWithParam<LessonVariant> {
 protected:
  void SetUp() override {
    if (every_simulator().empty()) GTEST_SKIP() << "neither g++ nor clang++ is installed";
  }

  void expect_stated_outcomes(const Settings& settings, unsigned block_size,
                              const std::vector<device::Device*>& devices) {
    RunOptions options;
    options.settings = settings;
    options.variants = {GetParam().variant.name};
    options.block_size = block_size;
    options.time_budget_s = 1e-9;
    const std::string where = text_of(settings) + ", block size " + std::to_string(block_size);
    for (device::Device* device : devices) {
      if (GetParam().variant.is_program && device != every_simulator().front())
        break;  // every device would compile it with the same compiler
      SCOPED_TRACE(where + ", " + device->properties().compiler_version);
      const LessonResult result = run_lesson(GetParam().lesson, options, *device);
      ASSERT_EQ(result.variants.size(), 1u);
      const VariantResult& variant = result.variants[0];
      EXPECT_TRUE(variant.as_expected()) << "expected " << name_of(variant.expected) << ", observed "
                                         << name_of(variant.observed) << ", " << variant.explanation;
      const bool plainly_right = variant.observed == Outcome::right && variant.expected == Outcome::right;
      EXPECT_EQ(variant.explanation.empty(), plainly_right) << variant.explanation;
      EXPECT_EQ(exit_code_of(result), ExitCode::ok);
      EXPECT_EQ(result.references.size(), 2u);
    }
  }
};

// Uses all compilers only at the last settings, to save time; the test of small blocks always uses all.
TEST_P(EveryLesson, DoesWhatItStatesAtEdgeSizes) {
  const unsigned block_size = GetParam().variant.block.threads;
  const std::vector<Settings> all = edge_settings(GetParam().lesson, block_size);
  ASSERT_FALSE(all.empty());
  for (const Settings& settings : all)
    expect_stated_outcomes(settings, block_size,
                           &settings == &all.back()
                               ? every_simulator()
                               : std::vector<device::Device*>{every_simulator().front()});
}

TEST_P(EveryLesson, DoesWhatItStatesInSmallBlocks) {
  const BlockSizes& block = GetParam().variant.block;
  for (const unsigned block_size : {1u, 32u, 96u, 1000u}) {
    if (!block.allows(block_size)) continue;
    const OptionValues options = every_choice(GetParam().lesson).front();
    if (!GetParam().lesson.has_size()) {
      expect_stated_outcomes({.options = edge_counts(GetParam().lesson, options).back()}, block_size,
                             every_simulator());
      continue;
    }
    for (const std::size_t size : {std::size_t{1}, std::size_t{97}, std::size_t{2003}})
      expect_stated_outcomes({.size = size, .options = options}, block_size, every_simulator());
  }
}

INSTANTIATE_TEST_SUITE_P(Course, EveryLesson, testing::ValuesIn(every_variant()), name_of_variant);

TEST(TableOfLessons, HasUniqueNamesAndSolutionsAndClaimsThatExist) {
  std::set<std::string> names;
  for (const Lesson& lesson : all_lessons()) {
    EXPECT_TRUE(names.insert(lesson.name).second) << lesson.name;
    for (const std::string& alias : lesson.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    std::set<std::string> variants;
    for (const Variant& variant : lesson.variants) EXPECT_TRUE(variants.insert(variant.name).second);
    EXPECT_TRUE(variants.contains(lesson.solution)) << lesson.name;
    for (const Claim& claim : lesson.claims) {
      EXPECT_TRUE(variants.contains(claim.better) && variants.contains(claim.worse)) << lesson.name;
      const auto shows = [&](AccessMetric metric) { return name_of(metric) == claim.figure; };
      EXPECT_TRUE(claim.figure.empty() || std::ranges::any_of(lesson.shows.accesses, shows)) << claim.figure;
    }
  }
}

// The texts are wrapped as the program wraps them.
TEST(TableOfLessons, HasTextsOfAtMostFifteenLines) {
  for (const Lesson& lesson : all_lessons()) {
    const std::vector<std::string> lines = wrapped(lesson.text, 78);
    EXPECT_LE(lines.size(), 15u) << lesson.name;
    EXPECT_GE(lines.size(), 4u) << lesson.name << " has no lesson.txt that says anything";
    EXPECT_FALSE(lesson.page.empty()) << lesson.name;
  }
}

// A problem's names are strings, so this finds a wrong one before somebody runs the variant.
TEST(TableOfLessons, UsesOnlyArraysAndScalarsThatItsProblemsHave) {
  for (const Lesson& lesson : all_lessons())
    for (const OptionValues& options : every_choice(lesson)) {
      const Settings settings{.size = lesson.has_size() ? std::size_t{1000} : 0, .options = options};
      EXPECT_NO_THROW(lesson.require_consistent(lesson.problem(settings))) << lesson.name;
    }
}

// Claims about counts hold on the simulator with either compiler.
TEST(ClaimsAboutCounts, Hold) {
  for (device::Device* device : every_simulator()) {
    for (const Lesson& lesson : all_lessons()) {
      const auto is_about_counts = [](const Claim& claim) {
        return claim.kind == Claim::Kind::fewer_counted;
      };
      if (std::ranges::none_of(lesson.claims, is_about_counts)) continue;
      RunOptions options;
      options.settings.options = default_values(lesson);
      if (lesson.has_size()) options.settings.size = 65536;
      options.time_budget_s = 1e-9;
      for (const ClaimResult& result : run_lesson(lesson, options, *device).claims)
        EXPECT_TRUE(!is_about_counts(result.claim) || result.verdict == ClaimVerdict::holds)
            << lesson.name << ": " << result.claim.better << " against " << result.claim.worse << ", "
            << result.ratio.value_or(0) << ", " << device->properties().compiler_version;
    }
  }
}

// The course's own right kernels have no defects when they are watched.

Settings small_settings(const Lesson& lesson) {
  constexpr std::uint64_t largest_count = 50;
  Settings settings = check::check_settings(lesson, 256).front();
  for (auto& [name, value] : settings.options)
    if (auto* count = std::get_if<std::uint64_t>(&value)) *count = std::min(*count, largest_count);
  return settings;
}

using EveryLessonChecked = simulator::NeedsGcc<testing::TestWithParam<Lesson>>;

TEST_P(EveryLessonChecked, HasNoDefectInWhatItStatesToBeRight) {
  device::Device& device = *simulator::simulator_with("g++");
  const Lesson& lesson = GetParam();
  const KernelFiles files(lesson, std::nullopt);
  ProblemCache problems(lesson, files, device);
  const Settings settings = small_settings(lesson);
  const RunContext& context = problems.make(lesson.problem(settings), settings);
  device.instruments()->take_defects();
  for (const Variant& variant : lesson.variants) {
    if (variant.on_each_rank) continue;  // tests/run/ranks/ has these
    if (variant.is_program) continue;    // tests/check/every_program_test.cpp runs whole programs
    if (variant.max_size || variant.needs) continue;  // it takes too long, or the simulator cannot
    if (variant.expects.at(context.launch_context(variant.block.threads)) != Outcome::right) continue;
    for (const device::ThreadOrder& order : {simulator::watch::forward, simulator::watch::preempted}) {
      SCOPED_TRACE(variant.name);
      device.instruments()->begin_run(order);
      const VariantResult result =
          run_variant(context, {.variant = variant,
                                .block_size = variant.block.threads,
                                .instrumentation = device::Instrumentation::checked});
      EXPECT_EQ(result.observed, Outcome::right) << result.explanation;
      std::vector<Defect> defects = device.instruments()->take_defects();
      std::erase_if(defects, &Defect::is_note);
      EXPECT_TRUE(simulator::watch::are_none(defects));
    }
  }
  device.instruments()->begin_run(simulator::watch::forward);
}

INSTANTIATE_TEST_SUITE_P(Course, EveryLessonChecked, testing::ValuesIn(all_lessons()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace every_lesson_test
}  // namespace gpulab::run
