#include <fmt/format.h>
#include <algorithm>

#include "report/demo.hpp"

namespace gpulab::report {

std::string demo_steps_text(const Demo& demo, const TextStyle& style) {
  std::size_t widest = 0;
  for (const DemoStep& step : demo.steps) widest = std::max(widest, display_width(step.name));
  std::string text;
  double minutes = 0;
  for (std::size_t i = 0; i < demo.steps.size(); ++i) {
    const DemoStep& step = demo.steps[i];
    const std::string name = step.name + std::string(widest - display_width(step.name), ' ');
    const std::string what = step.question ? step.question->text : step.text;
    std::string lines;
    for (const std::string& line :
         wrapped(fmt::format("{:>2}  {}  {}", i + 1, name, what), style.width, widest + 6))
      lines += line + "\n";
    text += lines;
    minutes += step.minutes;
  }
  if (minutes > 0) text += fmt::format("about {:g} minutes\n", minutes);
  return text;
}

std::string demo_notes(const Demo& demo, std::size_t index, const DemoReveal* reveal) {
  const DemoStep& step = demo.steps[index];
  std::string text =
      fmt::format("== {}, step {} of {}: {}", demo.lesson, index + 1, demo.steps.size(), step.name);
  if (step.minutes > 0) text += fmt::format(" ({:g} minutes)", step.minutes);
  text += "\n";
  const auto add_part = [&](const char* label, const std::string& part) {
    if (part.empty()) return;
    for (const std::string& line : wrapped(fmt::format("{}: {}", label, part), 76, 2)) text += line + "\n";
  };
  if (reveal) {
    add_part("the answer", reveal->unknown.empty() ? reveal->answer : "none here, " + reveal->unknown);
    return text + "\n";
  }
  add_part("say", step.say);
  if (step.question) {
    add_part("ask", step.question->text);
    for (const DemoChoice& choice : step.question->choices) add_part("  choice", choice.text);
  }
  add_part("expect", step.expect);
  return text + "\n";
}

std::string demo_keys_text() {
  return "space, Enter  next: run this step, then go to the next one\n"
         "b             back\n"
         "1 to 9        one more vote for that choice\n"
         "0             take the votes back\n"
         "r             run again\n"
         "+ -           twice, or half, the size\n"
         "e             edit this kernel in $VISUAL or $EDITOR, and run it\n"
         "u             undo the edits\n"
         "d             what has changed since the kernel before\n"
         "s             the whole source\n"
         "t             the whole result\n"
         "q             quit\n";
}

}  // namespace gpulab::report
