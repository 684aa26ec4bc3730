#include "cuda/support.hpp"
#include "expected_text.hpp"
#include "kernels_folder.hpp"
#include "lesson/lesson.hpp"
#include "lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

// Kernels that try to be timed without doing their work: timing_cheats/FILE/NAME.cu, in place of FILE.cu. The
// first line has the expected outcome: "// expect: right", or "// expect: OUTCOME: words of the explanation";
// a line "// on a GPU: ..." has the one on a GPU, if it differs. A kernel that is expected to be right would
// store wrong results if it found what it looks for.

namespace gpulab::run {
namespace timing_cheats_test {

class TimingCheat : public testing::TestWithParam<ExpectedText> {
 protected:
  LessonResult run(const Measured& measured, device::Device& device) {
    const std::string file = GetParam().file.parent_path().filename().string() + ".cu";
    folder.write(file, GetParam().text);
    for (const Lesson& lesson : all_lessons()) {
      if (lesson.kernels != file) continue;
      RunOptions options;
      options.settings = lesson.default_settings();
      options.settings.size = 3000;
      // Runs the kernels of the file, in the lesson's order.
      for (const Variant& variant : lesson.variants)
        if (variant.expects.is_always(Outcome::right) && contains(GetParam().text, variant.kernel + "("))
          options.variants.push_back(variant.name);
      // On a GPU hundreds of launches are timed, so that a kernel that works in nine of ten is found.
      options.time_budget_s = device.properties().simulated() ? 1e-3 : 0.05;
      options.kernels = folder.path();
      options.measured = measured;
      return run_lesson(lesson, options, device);
    }
    throw std::logic_error("no lesson has " + file);
  }

  void expect(const ExpectedText& expected, device::Device& device) {
    const Measured as_lesson{.simulation = true},
        as_bench{.steady = true, .counts = true, .simulation = true};
    for (const Measured& measured : {as_lesson, as_bench}) {
      const VariantResult result = run(measured, device).variants.back();
      EXPECT_EQ(name_of(result.observed), expected.pattern()) << result.explanation;
      EXPECT_TRUE(contains(result.explanation, expected.sentence()));
      EXPECT_TRUE(result.observed == Outcome::right || !result.kernel_cold);
    }
  }

  KernelsFolder folder;
};

TEST_P(TimingCheat, IsRefusedOrHarmlessOnTheSimulator) {
  if (!simulator::simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
  expect(GetParam(), *simulator::simulator_with(""));
}

class TimingCheatsOnGpu : public TimingCheat {};

TEST_P(TimingCheatsOnGpu, IsRefusedOrHarmless) {
  if (const cuda::Status status = cuda::support().status(); status.devices == 0)
    GTEST_SKIP() << status.driver_problem;
  ExpectedText expected = GetParam();
  const std::string mark = "// on a GPU: ";
  if (const std::size_t at = expected.text.find(mark); at != std::string::npos)
    expected.words = expected.text.substr(at + mark.size(), expected.text.find('\n', at) - at - mark.size());
  device::CompileCache cache;
  expect(expected, *cuda::support().open(0, cache));
}

const auto name_of_case = [](const auto& info) { return info.param.file.stem().string(); };
const auto cheats = testing::ValuesIn(expected_texts("tests/run/timing_cheats"));
INSTANTIATE_TEST_SUITE_P(All, TimingCheat, cheats, name_of_case);
INSTANTIATE_TEST_SUITE_P(All, TimingCheatsOnGpu, cheats, name_of_case);

}  // namespace timing_cheats_test
}  // namespace gpulab::run
