#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/demo.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// A demo on a projector: pure functions of what there is to show.

// A kernel as a step of a demo shows it, and what it is compared with.
struct DemoSource {
  std::string text;         // of the file
  std::string kernel;       // empty: the whole file
  std::string base;         // empty for nothing to compare with
  std::string base_kernel;  // its name counts as the same
  std::string shown_as;     // what the kernel is called on the screen; empty for its own name
  std::vector<std::string> look_at;
};

// Its lines, without the comment above the kernel, which may tell the answer. Lines of the body that differ,
// and those to look at, matter.
std::vector<DemoLine> demo_lines(const DemoSource& source);

// As many of the lines as fit into so many rows of that width, as they stand on the screen: number, mark,
// text. What matters stays, with the lines around it; "..." stands for what is left out between them.
std::vector<std::string> demo_source_rows(const std::vector<DemoLine>& lines, std::size_t width,
                                          std::size_t rows);

// The whole screen: at most so many rows, each at most as wide as the style. From 120 columns on the source
// stands beside the rest.
std::vector<std::string> demo_screen(const DemoScene& scene, const TextStyle& style, std::size_t rows);

// The same for a log: everything, one below the other.
std::string demo_text(const DemoScene& scene, const TextStyle& style);

// A list of the steps: number, name, question.
std::string demo_steps_text(const Demo& demo, const TextStyle& style);

// What the instructor may say at a step, as text to be appended to a file.
std::string demo_notes(const Demo& demo, std::size_t step, const DemoReveal* reveal);

// The keys, each with what it does.
std::string demo_keys_text();

// A line of a demo's screen. It has one ink, so that two can stand beside each other.
struct ScreenLine {
  std::string text;
  Ink ink = Ink::plain;
};
using ScreenLines = std::vector<ScreenLine>;

// How many have voted, whatever for.
unsigned votes_of(const DemoScene& scene);

enum class Room { ample, tight, scarce };

// What is said beside the source, in lines of that width: the question, and when it has run its answer. Where
// room is tight, without the wrong choices that nobody has voted for; where it is scarce, only the question
// or the answer, whichever counts then.
ScreenLines demo_talk(const DemoScene& scene, std::size_t width, Room room = Room::ample);

// The answer alone, with what has run.
ScreenLines demo_answer(const DemoScene& scene, std::size_t width);

}  // namespace gpulab::report
