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

TEST(ReportWire, RefusesAPatternThatIsASentenceAndTrailingBytes) {
  ProgramReport report = some_report();
  report.findings[0].pattern = "PASSED\ngpulab: good";
  EXPECT_THROW(read(written_report(report)), BadMessage);
  EXPECT_THROW(read(written_report(some_report()) + "x"), BadMessage);
}

TEST(ReportWire, SurvivesMutations) {
  const int count = 50'000;
  const auto read_findings = [](std::string bytes) {
    for (const ProgramFinding& finding : read(std::move(bytes)).findings)
      EXPECT_EQ(finding.text.find('\n'), std::string::npos);
  };
  const int refused =
      simulator::remote::refused_mutations(written_report(some_report()), count, read_findings);
  EXPECT_GT(refused, count / 2);
  EXPECT_LT(refused, count);
}

}  // namespace
}  // namespace gpulab::program
