#include "bench/bench_fixtures.hpp"
#include "bench/bench_json.hpp"
#include "program_fixture.hpp"

namespace gpulab::cli {
namespace {

class ReportFormats : public ProgramTest {
 protected:
  ReportFormats() { write("bench.json", bench::bench_json(bench::cold_in({100, 101, 99}))); }
};

const std::map<std::string, std::string> begins_of_formats = {
    {"csv", "id,lesson,variant,kind,size,seed,"},
    {"md", "**Some GPU**, host, gpulab 1.0.0"},
    {"junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"},
    {"bmf", "{\n  \"histogram shared size=1024 distribution=uniform seed=42\": {\n    \"latency\""},
    {"gha", "[\n  {\n    \"name\""},
    {"gbench", "{\n  \"context\""}};

TEST_F(ReportFormats, AreWrittenByTheirNames) {
  for (const auto& [format, begin] : begins_of_formats) {
    const ProgramRun written = run({"report", "bench.json", "--format", format});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_TRUE(written.out.starts_with(begin)) << written.out.substr(0, 200);
  }
}

TEST_F(ReportFormats, AreToldByTheEndingOfTheOutput) {
  for (const auto& [file, format] :
       std::map<std::string, std::string>{{"r.csv", "csv"}, {"r.md", "md"}, {"r.xml", "junit"}}) {
    EXPECT_EQ(run({"report", "bench.json", "-o", file}).exit_code, 0);
    EXPECT_TRUE(read(folder / file).starts_with(begins_of_formats.at(format))) << file;
  }
}

TEST_F(ReportFormats, RefuseADocumentWithNothingForThem) {
  write("wrong.json",
        bench::bench_json(bench::on_gpu({bench::wrong_row(bench::some_case(), "lost updates")})));
  expect_refusal({"report", "wrong.json", "--format", "gha"}, 2,
                 "there is nothing to write: no result is right");
}

}  // namespace
}  // namespace gpulab::cli
