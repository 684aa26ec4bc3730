#pragma once

#include <string>
#include <vector>

#include "core/demo.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// A line of a demo's screen. It has one ink, so that two can stand beside each other.
struct ScreenLine {
  std::string text;
  Ink ink = Ink::plain;
};
using ScreenLines = std::vector<ScreenLine>;

// What is said beside the source, in lines of that width: the question, and when it has run its answer. Where
// there is little room, only the one of them that counts then.
ScreenLines demo_talk(const DemoScene& scene, std::size_t width, bool is_short = false);

// The answer alone, with what has run.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width);

}  // namespace gpulab::report
