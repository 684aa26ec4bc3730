#include "lesson/lesson.hpp"
#include "lessons/radio_astronomy/every_steps.hpp"
#include "lessons/radio_astronomy/masks.hpp"
#include "radio_astronomy/labelling.hpp"
#include "radio_astronomy/sky_arrays.hpp"
#include "radio_astronomy/sky_problem.hpp"
#include "run/lesson_cases.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_lesson_test {

// Image and mask of the next problem, in place of the synthetic sky; a lesson's problem is a plain function.
std::vector<float> next_image;
Mask next_mask;

Problem problem_with_image(const Settings& settings) {
  Problem problem = sky_problem(settings);
  const auto image = next_image;
  problem.fill = [image](Inputs& inputs, std::uint64_t) { std::ranges::copy(image, inputs[sky].begin()); };
  return problem;
}

Problem problem_with_mask(const Settings& settings) {
  Problem problem = sky_problem(settings);
  const Mask mask = next_mask;
  problem.fill = [mask](Inputs& inputs, std::uint64_t) {
    std::ranges::copy(mask.pixels, inputs[known_mask].begin());
  };
  problem.references.plain = problem.references.openmp = [mask](const Inputs& inputs, Outputs& outputs) {
    for (Array& output : outputs) std::ranges::fill(output.bytes(), std::byte{});
    label(inputs[known_mask], mask.width, outputs[labels]);
  };
  return problem;
}

class RadioAstronomy : public simulator::SimulatorTest {
 protected:
  RadioAstronomy() {
    const std::vector<Lesson> lessons = all_lessons();
    lesson_ = *std::ranges::find(lessons, "radio-astronomy", &Lesson::name);
  }

  LessonResult run(std::size_t width, std::size_t height, const std::vector<std::string>& variants = {},
                   std::optional<unsigned> block_size = {}) {
    run::RunOptions options;
    options.settings.options = run::default_values(lesson_);
    options.settings.options["width"] = width;
    options.settings.options["height"] = height;
    options.variants = variants;
    options.block_size = block_size;
    options.time_budget_s = 1e-9;
    LessonResult result = run::run_lesson(lesson_, options, device());
    for (const VariantResult& variant : result.variants)
      EXPECT_EQ(variant.observed, Outcome::right)
          << variant.name << " of " << width << " x " << height << ": " << variant.explanation;
    for (const ReferenceResult& reference : result.references)
      EXPECT_EQ(reference.observed, Outcome::right) << reference.name << ": " << reference.explanation;
    return result;
  }

  LessonResult run_on_image(const std::vector<float>& image, std::size_t width,
                            const std::vector<std::string>& variants = {
                                "clipping", "pipeline", "clipping-on-chip", "pipeline-on-chip"}) {
    lesson_.problem = problem_with_image;
    next_image = image;
    return run(width, image.size() / width, variants);
  }

  void label_mask(const Mask& mask, unsigned block_size) {
    lesson_.problem = problem_with_mask;
    next_mask = mask;
    run(mask.width, mask.pixels.size() / mask.width, {"labelling"}, block_size);
  }

  Lesson lesson_;
};

TEST_P(RadioAstronomy, IsRightForImagesOfAnyShape) {
  EXPECT_EQ(run(1, 1).variants.size(), lesson_.variants.size());
  run(1, 700);
  run(700, 1);
  run(37, 53);
  run(500, 500);
}

TEST_P(RadioAstronomy, IsRightInBlocksOfAnyNumberOfWarps) {
  for (const unsigned block_size : {32u, 96u, 1024u})
    run(101, 67, {"clipping", "segmentation", "labelling", "measurement", "pipeline"}, block_size);
}

TEST_P(RadioAstronomy, FindsASourceWhereItWasPut) {
  std::vector<float> image(60 * 40);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = random_float(1, i) - 0.5f;
  image[20 * 60 + 30] += 10, image[20 * 60 + 31] += 30, image[21 * 60 + 31] += 20;
  const LessonResult result = run_on_image(image, 60);
  ASSERT_TRUE(result.records);
  ASSERT_EQ(result.records->rows.size(), 1u);
  const std::vector<double>& source = result.records->rows[0];  // label, x, y, flux, peak, pixels
  EXPECT_EQ(source[0], 1);
  EXPECT_NEAR(source[1], 30 + 50.0 / 60, 0.05);
  EXPECT_NEAR(source[2], 20 + 20.0 / 60, 0.05);
  EXPECT_NEAR(source[3], 60, 1.5);
  EXPECT_EQ(source[5], 3);
}

TEST_P(RadioAstronomy, LeavesBlanksOut) {
  std::vector<float> image(50 * 50);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = i % 3 == 0 ? blank : random_float(2, i) - 0.5f;
  image[25 * 50 + 25] = 9, image[25 * 50 + 26] = blank, image[25 * 50 + 27] = 9;
  const LessonResult result = run_on_image(image, 50);
  ASSERT_TRUE(result.records);
  EXPECT_EQ(result.records->rows.size(), 2u);
}

TEST_P(RadioAstronomy, TakesImagesWithoutNoiseOrWithoutSources) {
  run_on_image(std::vector<float>(700, 0.1f), 70);
  run_on_image(std::vector<float>(700, -0.1f), 70);
  run_on_image(std::vector<float>(700, 0.0f), 70);
  std::vector<float> two_values(701, -1);
  for (std::size_t i = 0; i < 350; ++i) two_values[2 * i] = 1;
  run_on_image(two_values, 701);
}

// The source has rows from edge to edge, ten apart, which are joined at their right and left ends in turn.
TEST_P(RadioAstronomy, FindsASourceThatWindsThroughTheImage) {
  constexpr std::size_t width = 101, height = 191;
  std::vector<float> image(width * height);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t x = i % width, y = i / width, end = y / 10 % 2 == 0 ? width - 1 : 0;
    if (y % 10 == 0 || x == end) image[i] = 1;
  }
  const LessonResult result = run_on_image(image, width);
  ASSERT_TRUE(result.records);
  EXPECT_EQ(result.records->rows.size(), 1u);
}

TEST_P(RadioAstronomy, LabelsComponentsOfAnyForm) {
  for (const unsigned block_size : {32u, 512u}) {
    label_mask(spiral(), block_size);
    label_mask(checkerboard(101, 77), block_size);
    for (const unsigned percent : {0u, 5u, 59u, 80u, 100u})
      label_mask(random_mask(203, 97, percent, percent), block_size);
  }
}

// Threads that are interrupted between their memory accesses meet at the same roots.
TEST_P(RadioAstronomy, LabelsTheSameWhenThreadsAreInterrupted) {
  for (Variant& variant : lesson_.variants) variant.races = true;
  label_mask(random_mask(203, 97, 59, 3), 96);
  label_mask(random_mask(64, 64, 100, 3), 1024);
}

// Every eighth pixel is an outlier, and all other pixels are equal.
TEST_P(RadioAstronomy, MeasuresAsManySourcesAsTheCatalogueHasRoomFor) {
  std::vector<float> image(std::size_t{8} * 65546);
  for (std::size_t i = 0; i < image.size(); i += 8) image[i] = 1;
  const LessonResult result = run_on_image(image, image.size(), {"pipeline"});
  run_on_image(image, image.size(), {"pipeline-on-chip"});
  ASSERT_TRUE(result.records);
  EXPECT_EQ(result.records->rows.size(), 65536u);
  EXPECT_EQ(result.remarks.back(), "there are 65 546 sources; the catalogue has the first 65 536");
}

INSTANTIATE_TEST_SUITE_P(Compilers, RadioAstronomy, simulator::both_compilers, simulator::name_of_compiler);

TEST(RadioAstronomyProblem, RefusesMorePixelsThanAKernelCanIndex) {
  const Settings settings{.options = {{"input", std::string()},
                                      {"width", std::uint64_t{65536}},
                                      {"height", std::uint64_t{32768}}}};
  EXPECT_THROW(sky_problem(settings), UsageError);
}

}  // namespace radio_astronomy_lesson_test
}  // namespace gpulab::lessons::radio_astronomy
