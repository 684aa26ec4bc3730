#include "program/process.hpp"

#include "simulator/remote/mutated_messages.hpp"
#include "test.hpp"

namespace gpulab::program {
namespace {

using simulator::remote::BadMessage;
using simulator::remote::Reader;

ProgramReport some_report() {
  ProgramReport report{.launches = 1, .calls = 9, .sent = "abc", .brought_back = "def"};
  report.findings.push_back({.pattern = "memory-leak",
                             .place = {"", 12, "", 0, {{"", 40}}},
                             .text = "4 bytes are never freed",
                             .others = {{{"sum.cuh", 3}, "it was given here"}},
                             .call = "cudaMalloc"});
  report.counts.push_back({"add", 1, {{{.line = 3, .sums = {.requests = 4}}}}});
  report.timeline.push_back(
      {.name = "cudaMemcpy", .stream = 0, .end_s = 1, .kind = TimelineEntry::Kind::to_host});
  report.measured.push_back({.place = {"", 14}, .end_s = 1, .milliseconds = 1000});
  return report;
}

ProgramReport read(std::string bytes) {
  Reader reader(std::move(bytes));
  if (reader.next<FromProgram>() != FromProgram::reports) throw BadMessage();
  return read_report(reader);
}

TEST(ReportWire, ReadsWhatWasWritten) {
  const ProgramReport report = read(written_report(some_report()));
  EXPECT_EQ(report.findings.at(0).place, (SourcePlace{"", 12, "", 0, {{"", 40}}}));
  EXPECT_EQ(report.findings.at(0).others.at(0).place, (SourcePlace{"sum.cuh", 3}));
  EXPECT_EQ(report.counts.at(0).counts.lines.at(0).sums.requests, 4u);
  EXPECT_EQ(report.timeline.at(0).kind, TimelineEntry::Kind::to_host);
  EXPECT_EQ(report.measured.at(0).milliseconds, 1000);
  EXPECT_EQ(report.brought_back, "def");
}

TEST(ReportWire, RefusesAPatternThatIsASentence) {
  ProgramReport report = some_report();
  report.findings[0].pattern = "PASSED\ngpulab: good";
  EXPECT_THROW(read(written_report(report)), BadMessage);
  EXPECT_THROW(read(written_report(some_report()) + "x"), BadMessage);
}

TEST(ReportWire, SurvivesMutations) {
  const int count = 50'000, refused = simulator::remote::refused_mutations(
                                written_report(some_report()), count, [](std::string bytes) {
                                  for (const ProgramFinding& finding : read(std::move(bytes)).findings)
                                    EXPECT_EQ(finding.text.find('\n'), std::string::npos);
                                });
  EXPECT_GT(refused, count / 2);
  EXPECT_LT(refused, count);
}

std::string shown(const std::string& text) {
  TerminalText terminal;
  const std::string first = terminal.shown(text);
  return first + terminal.rest();
}

TEST(TerminalText, KeepsTextColoursAndTheCursorsMoves) {
  for (const char* text : {"text\n", "\rhalf\tdone\b\a", "\033[1;31mred\033[0m", "\033[2J\033[H",
                           "\033[10;20H\033[K", "größer λ 漢 🙂"})
    EXPECT_EQ(shown(text), text);
}

TEST(TerminalText, LeavesOutWhatMakesATerminalAnswerOrChange) {
  EXPECT_EQ(shown("\033[c"), "?[c") << "it answers as if somebody typed";
  EXPECT_EQ(shown("\033[6n"), "?[6n");
  EXPECT_EQ(shown("\033]52;c;cm0gLXJmIH4K\007"), "?]52;c;cm0gLXJmIH4K\a") << "the clipboard";
  EXPECT_EQ(shown("\033]0;title\033\\"), "?]0;title?\\");
  EXPECT_EQ(shown("\033P$q\"p\033\\"), "?P$q\"p?\\");
  EXPECT_EQ(shown("\033[?1049h"), "?[?1049h");
  EXPECT_EQ(shown("\033[21t"), "?[21t");
  EXPECT_EQ(shown("\033c"), "?c");
  EXPECT_EQ(shown("\u009b6n"), "?6n") << "the same in one character";
  EXPECT_EQ(shown("\x9b"
                  "6n"),
            "?6n");
  EXPECT_EQ(shown("\x05\x0e\x7f"), "???");
  EXPECT_EQ(shown("\u202ereversed"), "?reversed");
}

TEST(TerminalText, WaitsForTheRestOfASequenceOrACharacter) {
  for (const std::string text :
       {"\033[1;31mred\033[0m\n", "größer 漢🙂\n", "a\033[c\033]0;b\a", "\033[1\033[2m\n"}) {
    TerminalText terminal;
    std::string pieces;
    for (const char letter : text) pieces += terminal.shown({&letter, 1});
    EXPECT_EQ(pieces + terminal.rest(), shown(text)) << text;
  }
}

TEST(TerminalText, EndsWithWhatHasWaited) {
  EXPECT_EQ(shown("text\033["), "text?[");
  EXPECT_EQ(shown("text\xe6\xbc"), "text??");
  EXPECT_EQ(shown("\033[" + std::string(100, '1') + "m"), "?[" + std::string(100, '1') + "m");
}

}  // namespace
}  // namespace gpulab::program
