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

enum class Room { ample, tight, scarce };

// What is said beside the source, in lines of that width: the question, and when it has run its answer. Where
// room is tight, without the wrong choices that nobody has voted for; where it is scarce, only the question
// or the answer, whichever counts then.
ScreenLines demo_talk(const DemoScene& scene, std::size_t width, Room room = Room::ample);

// The answer alone, with what has run.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width);

}  // namespace gpulab::report
