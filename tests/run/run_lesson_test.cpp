#include "run/run_lesson.hpp"

#include "lesson/lesson.hpp"
#include "run/kernels_folder.hpp"
#include "run/variant_run.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace run_lesson_test {

VariantResult timed(const std::string& name, double median_s, std::optional<Interval> interval) {
  VariantResult variant{.name = name, .observed = Outcome::right};
  variant.kernel_cold = Timing{.samples_s = {median_s}, .median_s = median_s, .confidence_s = interval};
  return variant;
}

ClaimResult judged(double ratio, const VariantResult& fast, const VariantResult& slow,
                   const std::string& device = "cuda") {
  LessonResult result;
  result.device.kind = device;
  result.variants = {fast, slow};
  return judge_claims({at_least(ratio, "fast", "slow")}, result).at(0);
}

const VariantResult fast = timed("fast", 1, Interval{0.9, 1.1});
const VariantResult slow = timed("slow", 3, Interval{2.8, 3.2});

TEST(Claims, HoldWhenTheyDoOverBothIntervals) {
  EXPECT_EQ(judged(2.5, fast, slow).verdict, ClaimVerdict::holds);  // 2.8 / 1.1 = 2.55
  EXPECT_DOUBLE_EQ(*judged(2.5, fast, slow).ratio, 3);
}

TEST(Claims, AreInconclusiveInsideTheIntervals) {
  EXPECT_EQ(judged(2.6, fast, slow).verdict, ClaimVerdict::inconclusive);
  EXPECT_EQ(judged(3.5, fast, slow).verdict, ClaimVerdict::inconclusive);  // 3.2 / 0.9 = 3.56
}

TEST(Claims, DoNotHoldWhenTheyDoNowhereInTheIntervals) {
  EXPECT_EQ(judged(3.6, fast, slow).verdict, ClaimVerdict::does_not_hold);
}

TEST(Claims, AreInconclusiveWithoutAnInterval) {
  const ClaimResult result = judged(1, timed("fast", 1, std::nullopt), slow);
  EXPECT_EQ(result.verdict, ClaimVerdict::inconclusive);
  EXPECT_DOUBLE_EQ(*result.ratio, 3);
}

TEST(Claims, AreNotMeasuredWithoutATimeOfBoth) {
  const ClaimResult result = judged(1, fast, VariantResult{.name = "slow"});
  EXPECT_EQ(result.verdict, ClaimVerdict::not_measured);
  EXPECT_FALSE(result.ratio);
}

TEST(Claims, AreNotMeasuredWhereTheyAreNotMade) {
  const auto is_large = [](const LaunchContext& at) { return at.size() >= 1000; };
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {fast, slow};
  const auto verdict_at = [&](unsigned size) {
    return judge_claims({only_where(is_large, at_least(2.5, "fast", "slow"))}, result,
                        [&](const Claim&) { return LaunchContext{.work = {size}}; })
        .at(0)
        .verdict;
  };
  EXPECT_EQ(verdict_at(1000), ClaimVerdict::holds);
  EXPECT_EQ(verdict_at(999), ClaimVerdict::not_measured);
}

TEST(Claims, AreNotMeasuredBelowTheSizeFromWhichTheyAreMade) {
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {fast, slow};
  const auto verdict_at = [&](std::size_t size) {
    result.size = size;
    return judge_claims({from_size(1000, at_least(9, "fast", "slow"))}, result).at(0).verdict;
  };
  EXPECT_EQ(verdict_at(1000), ClaimVerdict::does_not_hold);
  EXPECT_EQ(verdict_at(999), ClaimVerdict::not_measured);
  result.device.kind = "simulator";
  EXPECT_EQ(verdict_at(999), ClaimVerdict::needs_gpu) << "at another size, too";
}

TEST(Claims, NeedAGpu) {
  EXPECT_EQ(judged(1, fast, slow, "simulator").verdict, ClaimVerdict::needs_gpu);
}

TEST(Claims, ThatSomethingIsNoFasterHoldForEqualTimes) {
  LessonResult result;
  result.device.kind = "cuda";
  result.variants = {fast, slow, timed("equal", 1.01, Interval{1.0, 1.02})};
  const auto verdict = [&](const std::string& slower, const std::string& faster) {
    return judge_claims({no_faster(slower, faster)}, result).at(0).verdict;
  };
  EXPECT_EQ(verdict("slow", "fast"), ClaimVerdict::holds);
  EXPECT_EQ(verdict("fast", "slow"), ClaimVerdict::does_not_hold);
  EXPECT_EQ(verdict("equal", "fast"), ClaimVerdict::inconclusive)
      << "fast may take as little as 0.9 s, or 1.1 s";
}

TEST(Claims, OfCountsAreTestedOnTheSimulator) {
  LessonResult result;
  result.size = 10'000;
  result.device.kind = "simulator";
  result.variants = {{.name = "fast"}, {.name = "slow"}};
  result.variants[0].findings.figures = {{"sectors per load", 4}};
  result.variants[1].findings.figures = {{"sectors per load", 32}};
  const auto judged_at = [&](double ratio) {
    return judge_claims({at_least_fewer(ratio, "sectors per load", "fast", "slow")}, result).at(0);
  };
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::holds);
  EXPECT_EQ(judged_at(9).verdict, ClaimVerdict::does_not_hold);
  EXPECT_DOUBLE_EQ(*judged_at(9).ratio, 8);
  result.device.kind = "cuda";
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::needs_simulator);
  result.device.kind = "simulator";
  result.variants[0].observed = Outcome::wrong;
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::not_measured) << "its figures are of other work";
  result.variants[0].observed = Outcome::right;
  result.variants[1].findings.figures.clear();
  EXPECT_EQ(judged_at(8).verdict, ClaimVerdict::not_measured);
}

TEST(Claims, OfCountsAllowForTheLastWarpAndNeedSomeWarps) {
  LessonResult result;
  result.size = 10'000;
  result.device.kind = "simulator";
  result.variants = {{.name = "fast"}, {.name = "slow"}};
  result.variants[0].findings.figures = {{"sectors per load", 4.02}};
  result.variants[1].findings.figures = {{"sectors per load", 31.8}};
  const auto verdict = [&] {
    return judge_claims({at_least_fewer(8, "sectors per load", "fast", "slow")}, result).at(0).verdict;
  };
  EXPECT_EQ(verdict(), ClaimVerdict::holds);
  result.size = 100;
  EXPECT_EQ(verdict(), ClaimVerdict::not_measured);
}

TEST(Claims, AreNotMeasuredOnAResultThatIsWrong) {
  VariantResult wrong = fast;
  wrong.observed = Outcome::wrong;
  EXPECT_EQ(judged(1, wrong, slow).verdict, ClaimVerdict::not_measured);
}

const std::string right_kernel =
    "__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) {\n"
    "  const int item = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (item < size) C[item] = A[item] + B[item];\n}\n";

Lesson first_kernel() {
  for (const Lesson& lesson : all_lessons())
    if (lesson.kernels == "first_kernel.cu") return lesson;
  throw std::logic_error("there is no first kernel");
}

class RepeatedRunTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!simulator::simulator_with("")) GTEST_SKIP() << "no C++ compiler is installed";
    save(right_kernel);
    options_ = {.settings = lesson_.default_settings(), .variants = {"global-index"}};
    options_.kernels = folder_.path();
    options_.time_budget_s = 1e-9;
    options_.progress = [this](const std::string& what) { begun_.push_back(what); };
    repeated_.emplace(lesson_, options_, *simulator::simulator_with(""));
  }

  void save(const std::string& text) const { folder_.write(lesson_.kernels, text); }
  void save_with(const std::string& added) const {
    std::string text = right_kernel;
    save(text.insert(text.rfind('}'), added));
  }

  static Outcome outcome(const LessonResult& result) { return result.variants.at(0).observed; }

  const Lesson lesson_ = first_kernel();
  KernelsFolder folder_;
  RunOptions options_;
  std::vector<std::string> begun_;
  std::optional<RepeatedRun> repeated_;
};

TEST_F(RepeatedRunTest, RunsWhatHasChangedAndMeasuresNoReferenceAgain) {
  const LessonResult first = repeated_->run();
  EXPECT_EQ(outcome(first), Outcome::right);
  EXPECT_EQ(begun_, (std::vector<std::string>{"reference", "global-index"}));
  repeated_->run();
  EXPECT_EQ(begun_.size(), 2u) << "nothing has changed";

  save_with("  C[0] = 1;\n");
  const LessonResult second = repeated_->run();
  EXPECT_EQ(begun_, (std::vector<std::string>{"reference", "global-index", "global-index"}));
  ASSERT_EQ(second.variants.size(), 1u);
  EXPECT_EQ(outcome(second), Outcome::defect) << second.variants[0].explanation;
  EXPECT_EQ(second.references.at(0).timing.median_s, first.references.at(0).timing.median_s);

  save(right_kernel);
  EXPECT_EQ(outcome(repeated_->run()), Outcome::right);
  repeated_->run(/*all=*/true);
  EXPECT_EQ(begun_.size(), 5u);
}

TEST_F(RepeatedRunTest, GoesOnAfterAFileThatDoesNotCompileOrIsNoText) {
  save_with("  no\n");
  EXPECT_EQ(outcome(repeated_->run()), Outcome::fails_to_compile);
  save(std::string("a\0b", 3));
  EXPECT_THROW(repeated_->run(), UsageError);
  save(right_kernel);
  std::vector<Outcome> so_far;
  options_.on_result = [&](const LessonResult& result) {
    if (!result.variants.empty()) so_far.push_back(outcome(result));
    return true;
  };
  EXPECT_EQ(outcome(repeated_->run()), Outcome::right);
  EXPECT_EQ(so_far, std::vector<Outcome>{Outcome::right}) << "what did not compile is forgotten";
}

Span copy(Span::Kind kind, double start_s, double end_s, double bytes) {
  return {.stream = 1, .kind = kind, .what = "A", .start_s = start_s, .end_s = end_s, .bytes = bytes};
}

TEST(CopyRates, AreOverTheTimeThatCopiesInThatDirectionTookTogether) {
  const auto rates =
      copy_rate_figures({copy(Span::Kind::to_device, 0, 1, 1e9), copy(Span::Kind::to_device, 0.5, 2, 3e9),
                         copy(Span::Kind::to_host, 5, 6, 7e9)});
  ASSERT_EQ(rates.size(), 2u);
  EXPECT_DOUBLE_EQ(rates[0].value, 2) << "4 GB in the two seconds in which one or the other was going on";
  EXPECT_DOUBLE_EQ(rates[1].value, 7);
}

TEST(CopyRates, ArePercentsOfTheMeasuredLink) {
  const TransferResult link{.bytes_to_device = 8e9,
                            .bytes_to_host = 10e9,
                            .to_device = {.median_s = 1},
                            .to_host = {.median_s = 1}};
  const auto rates =
      copy_rate_figures({copy(Span::Kind::to_device, 0, 1, 2e9), copy(Span::Kind::to_host, 1, 2, 5e9)});
  const auto percents = link_figures(rates, link);
  ASSERT_EQ(percents.size(), 2u);
  EXPECT_DOUBLE_EQ(percents[0].value, 25);
  EXPECT_DOUBLE_EQ(percents[1].value, 50);
}

}  // namespace run_lesson_test
}  // namespace gpulab::run
