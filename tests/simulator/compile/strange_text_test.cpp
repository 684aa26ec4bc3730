#include <random>

#include "base/error.hpp"
#include "base/text.hpp"
#include "check/judging.hpp"
#include "device/device.hpp"
#include "device/libraries.hpp"
#include "expected_text.hpp"
#include "lesson/finding.hpp"
#include "program/names.hpp"
#include "program/toolkit_headers.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/compile/kernel_loops.hpp"
#include "source/cuda_text.hpp"
#include "source/device_code.hpp"
#include "source/launch_text.hpp"
#include "source/statements.hpp"
#include "test.hpp"

namespace gpulab::simulator::compile {
namespace {

// Calls every function that reads a file before the compiler, and those that read the compiler's messages.
void read_in_every_way(const std::string& text) {
  std::string joined;
  for (const source::Token& token : source::cuda_tokens(text)) joined += token.text;
  ASSERT_EQ(joined, text);
  source::with_lines_joined(text);
  source::scan_source(text);
  loops_for(text, "test.cu");
  macros_that_stay(text);
  source::needs_preprocessing(text);
  source::refused_name(text);
  source::refused_in_text(text);
  source::own_text_in(text, "a.cu", {});
  source::refused_in_program(text, {"a.cu"});
  device::library_for(text);
  device::included_headers(text);
  device::error_in_file("a.cu", text);
  source::loops_around(text, {3});
  check::unset_variable_in(text);
  CheckResult wrong{.verdict = Verdict::wrong};
  check::blame_slip(text, wrong);
  const std::vector<source::SourceFile> sources{
      {.name = "a.cu", .path = "a.cu", .code = text, .is_unit = true}};
  program::missing_in(sources, program::ToolkitHeaders({}, /*may_use=*/true));
  try {
    source::rewritten("a.cu", text);
    source::check_sides(sources);
  } catch (const CompileError&) {
  }
}

std::string repeated(const std::string& piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

TEST(StrangeText, IsReadWhateverItsLengthAndDepth) {
  constexpr std::size_t bytes = std::size_t{1} << 15;
  std::istringstream pieces(source_text("tests/simulator/compile/strange_pieces.txt"));
  for (std::string piece; std::getline(pieces, piece);) {
    std::ranges::replace(piece, '$', '\n');
    const auto begin = std::chrono::steady_clock::now();
    read_in_every_way(repeated(piece, bytes));
    read_in_every_way("typedef int" + repeated(piece, bytes) + ";\n__global__ void k() {}\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << piece;
  }
}

TEST(StrangeText, IsReadAfterRandomChanges) {
  std::vector<std::string> texts;
  for (const char* folder : {"tests/simulator/compile/attacks", "tests/program/attacks"})
    for (const ExpectedText& attack : expected_texts(folder)) texts.push_back(attack.text);
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(end, 1));
  };
  for (int i = 0; i < 3000; ++i) {
    std::string text = texts[below(texts.size())];
    for (std::size_t changes = 1 + below(6); changes-- > 0;) {
      const std::string& other = texts[below(texts.size())];
      const std::size_t at = below(text.size()), from = below(other.size());
      switch (below(4)) {
        case 0:
          text.insert(at, other.substr(from, below(40)));
          break;
        case 1:
          text.erase(at, 1 + below(20));
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        default:
          text[at] = "(){}[]<>\"'\\#\n ;/*R"[below(18)];
      }
      if (text.empty()) text = " ";
    }
    read_in_every_way(text);
  }
}

}  // namespace
}  // namespace gpulab::simulator::compile
