#include <gtest/gtest.h>

#include "lesson/lesson.hpp"
#include "run/kernels_folder.hpp"
#include "run/run_lesson.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::run {
namespace repeated_run_test {

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

}  // namespace repeated_run_test
}  // namespace gpulab::run
