#include <cctype>

#include "cli/demo_stage.hpp"
#include "lesson/lesson.hpp"
#include "simulator/simulator_fixture.hpp"
#include "teach/demo.hpp"
#include "test.hpp"

namespace gpulab::teach {
namespace {

class EveryDemo : public testing::TestWithParam<std::string> {};

constexpr std::size_t rows = 24;
constexpr TextStyle projector{.colour = false, .width = 80};

void expect_one_screen(const DemoScene& scene) {
  const std::vector<std::string> lines = demo_screen(scene, projector, rows);
  EXPECT_EQ(lines.size(), rows) << scene.demo->lesson << " step " << scene.step + 1;
  for (const std::string& line : lines) {
    EXPECT_LE(display_width(line), projector.width) << line;
    if (!scene.reveal) {
      EXPECT_EQ(line.find("... t shows"), std::string::npos) << scene.step + 1;
    }
  }
}

// On the simulator, each computed answer is among the choices, and the demo explains it.
TEST_P(EveryDemo, PlaysAndExplainsTheAnswersThatComeOut) {
  ASSERT_NE(simulator::simulator_with(""), nullptr);
  const Lesson lesson = cli::find_lesson(GetParam());
  cli::DemoStage stage(lesson, std::nullopt, demo_of(lesson), {.device = "simulator"}, std::nullopt);
  EXPECT_GE(stage.demo().steps.size(), 4U);
  EXPECT_LE(stage.demo().steps.size(), 10U);
  do {
    const DemoStep& step = stage.demo().steps[stage.step()];
    EXPECT_FALSE(step.say.empty() && step.expect.empty() && step.minutes == 0) << step.name;
    expect_one_screen(stage.scene());
    if (!stage.has_to_run()) continue;
    stage.run([](const std::string&) {}, [] { return true; });
    expect_one_screen(stage.scene());
    if (!step.question || !stage.reveal()->unknown.empty()) continue;
    ASSERT_TRUE(stage.reveal()->choice) << step.name << ": " << stage.reveal()->answer;
    EXPECT_NE(step.question->choices[*stage.reveal()->choice].because, "") << step.name;
  } while (stage.go_on());
  EXPECT_EQ(stage.step() + 1, stage.demo().steps.size());
}

std::vector<std::string> lessons() {
  std::vector<std::string> names;
  for (const Lesson& lesson : all_lessons()) names.push_back(lesson.name);
  return names;
}

std::string name_of_case(const testing::TestParamInfo<std::string>& lesson) {
  std::string name = lesson.param;
  std::erase_if(name, [](unsigned char letter) { return !std::isalnum(letter); });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Lessons, EveryDemo, testing::ValuesIn(lessons()), name_of_case);

}  // namespace
}  // namespace gpulab::teach
