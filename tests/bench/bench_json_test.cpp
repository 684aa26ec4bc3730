#include "bench/bench_formats.hpp"

#include "bench/bench_fixtures.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace {

using nlohmann::json;

// Returns a document with a value in every field.
BenchResult full_bench() {
  BenchRow row = right_row({.lesson = "histogram",
                            .variant = "shared",
                            .size = 1024,
                            .seed = 7,
                            .options = {{"distribution", std::string("uniform")},
                                        {"bins", std::uint64_t{256}},
                                        {"sigma", 2.5},
                                        {"input", std::string()}},
                            .block_size = 128},
                           1);
  row.kind = BenchKind::library;
  row.position = 5;
  row.traffic.limited_by_operations = true;
  for (const BenchTime time : all_bench_times) row.times[time] = taking_us(10 + static_cast<int>(time));
  row.times[BenchTime::cold].clocks_hz = {1.98e9, 1.965e9};
  row.times[BenchTime::cold].stop = StopReason::sample_limit;
  row.energy = Energy{.joules_per_run = 1.5, .watts = 300, .seconds = 0.5};
  row.counts = {{"global_load_sectors", 12}, {"fiber_switches", 1ULL << 52}};
  row.warnings = {"too few samples"};
  BenchResult result = on_gpu({row, wrong_row(some_case(), "3 bins lost updates")});
  result.plan = {.processes = 3, .order_seed = 9, .time_budget_s = 60, .rows = 6};
  result.ceilings = {{"copy", 4e12}};
  result.claims = {{.lesson = "histogram",
                    .size = 1024,
                    .result = {.claim = {.ratio = 2, .better = "shared", .worse = "global-atomic"},
                               .verdict = ClaimVerdict::holds,
                               .ratio = 3.5}}};
  result.stopped_by = "SIGTERM";
  result.remarks = {"a remark"};
  return result;
}

BenchResult read_back(const BenchResult& result) {
  return read_bench_json(bench_json(result), "file.json");
}

std::string refusal_of(const std::string& text) {
  return message_thrown<UsageError>([&] { read_bench_json(text, "file.json"); }, "it was read");
}

std::string refusal_after(const std::function<void(json&)>& change) {
  json document = json::parse(bench_json(full_bench()));
  change(document);
  return refusal_of(document.dump());
}

TEST(BenchJson, IsReadBackWholeAsItWasWritten) {
  const std::string text = bench_json(full_bench());
  EXPECT_EQ(bench_json(read_bench_json(text, "file.json")), text);
}

TEST(BenchJson, IsReadBackFieldByField) {
  const BenchResult before = full_bench(), after = read_back(before);
  EXPECT_EQ(after.facts.argv, before.facts.argv);
  EXPECT_EQ(after.facts.hostname, "host");
  EXPECT_EQ(after.facts.build.revision, "abc1234");
  EXPECT_EQ(after.device.compute_capability(), "9.0");
  EXPECT_EQ(after.device.multiprocessors, 132);
  EXPECT_EQ(after.plan.time_budget_s, 60);
  EXPECT_EQ(after.plan.rows, 6u);
  EXPECT_EQ(after.stopped_by, "SIGTERM");
  EXPECT_EQ(after.claims.at(0).result.verdict, ClaimVerdict::holds);
  ASSERT_EQ(after.rows.size(), 2u);
  const BenchRow& row = after.rows[0];
  EXPECT_EQ(row.what, before.rows[0].what);
  EXPECT_EQ(row.kind, BenchKind::library);
  EXPECT_EQ(row.process, 1);
  EXPECT_EQ(row.times.size(), 6u);
  EXPECT_EQ(row.times.at(BenchTime::cold).clocks_hz, (std::vector<double>{1.98e9, 1.965e9}));
  EXPECT_EQ(row.times.at(BenchTime::cold).stop, StopReason::sample_limit);
  EXPECT_EQ(row.energy->watts, 300);
  EXPECT_EQ(row.counts, before.rows[0].counts);
  EXPECT_EQ(row.warnings, before.rows[0].warnings);
  EXPECT_FALSE(after.rows[1].valid);
  EXPECT_EQ(after.rows[1].observed, Outcome::wrong);
  EXPECT_EQ(after.rows[1].explanation, "3 bins lost updates");
}

TEST(BenchJson, IsReadBackFromLines) {
  const BenchResult before = full_bench();
  BenchResult after;
  EXPECT_FALSE(read_bench_line(bench_facts_line(before), "worker", after));
  for (const BenchRow& row : before.rows) EXPECT_FALSE(read_bench_line(bench_row_line(row), "worker", after));
  EXPECT_TRUE(read_bench_line(bench_end_line(before), "worker", after));
  EXPECT_EQ(bench_json(after), bench_json(before));
}

TEST(BenchJson, MayHaveFieldsThatAreNotKnown) {
  json document = json::parse(bench_json(full_bench()));
  document["schema_version"] = "1.9.0";
  document["weather"] = "fine";
  document["results"][0]["phase"] = {{"moon", 1}};
  document["results"][0]["observed"] = "an outcome of tomorrow";
  EXPECT_EQ(read_bench_json(document.dump(), "file.json").rows.size(), 2u);
}

TEST(BenchJson, IsRefusedByTheNameOfWhatIsMissing) {
  EXPECT_TRUE(contains(refusal_after([](json& document) { document.erase("plan"); }), "'plan'"));
  EXPECT_TRUE(
      contains(refusal_after([](json& document) { document["results"][0].erase("counts"); }), "'counts'"));
  EXPECT_TRUE(contains(
      refusal_after([](json& document) { document["results"][0]["cold"].erase("median_s"); }), "'median_s'"));
  EXPECT_TRUE(
      contains(refusal_after([](json& document) { document.erase("schema_version"); }), "'schema_version'"));
}

TEST(BenchJson, IsRefusedWhereAWrongResultIsCalledValid) {
  for (const char* field : {"expected", "observed"}) {
    const std::string refusal =
        refusal_after([&](json& document) { document["results"][0][field] = "wrong"; });
    EXPECT_TRUE(contains(refusal, "'valid' contradicts 'expected' and 'observed'")) << refusal;
  }
  for (const json& none : {json(nullptr), json::object()})
    EXPECT_TRUE(
        contains(refusal_after([&](json& document) { document["results"] = none; }), "'results' is no list"));
}

TEST(BenchJson, IsRefusedWithAnotherMajorVersion) {
  const std::string refusal = refusal_after([](json& document) { document["schema_version"] = "2.0.0"; });
  EXPECT_EQ(
      refusal,
      "file.json has version 2.0.0 of the schema, and this gpulab reads version 1; use the gpulab that wrote "
      "it, or measure again");
  for (const char* no_version : {"new", "1", "1.0", "1.0.0-beta", ""})
    EXPECT_EQ(refusal_after([&](json& document) { document["schema_version"] = no_version; }),
              "file.json has the schema_version \"" + std::string(no_version) +
                  "\", which is not written like 1.0.0; measure again, or restore the document");
}

TEST(BenchJson, IsRefusedWhereItIsAnotherDocument) {
  EXPECT_TRUE(contains(refusal_of(R"({"schema": "gpulab.run"})"),
                       "is a document of another command, \"gpulab.run\""));
  EXPECT_EQ(refusal_of("{}"), "file.json is not a document of gpulab bench");
  EXPECT_EQ(refusal_of(R"({"schema": 5})"), "file.json is not a document of gpulab bench");
}

TEST(BenchJson, IsRefusedWhereItIsNoWholeJson) {
  EXPECT_EQ(refusal_of(""), "file.json is empty");
  EXPECT_EQ(refusal_of("\n\n"), "file.json is empty");
  for (const char* other : {"lesson,variant\n", "null", "[1, 2]"})
    EXPECT_EQ(refusal_of(other), "file.json is not a document of gpulab bench, which would begin with {");
  const std::string text = bench_json(full_bench());
  EXPECT_TRUE(contains(refusal_of(text.substr(0, text.size() / 2)), "it is cut off or damaged at byte"));
}

TEST(BenchJson, IsRefusedWhereAFieldHasAnotherType) {
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, json>>{{"size", -1},
                                                 {"size", "many"},
                                                 {"seed", 1.5},
                                                 {"lesson", nullptr},
                                                 {"cold", 3},
                                                 {"options", {{"bins", nullptr}}},
                                                 {"counts", {{"sectors", -1}}}}) {
    const std::string refusal = refusal_after([&](json& document) { document["results"][0][field] = value; });
    EXPECT_TRUE(contains(refusal, "file.json is a damaged document of gpulab bench: ")) << field << value;
    EXPECT_EQ(refusal.find("json.exception"), refusal.npos) << refusal;
  }
}

TEST(BenchJson, IsRefusedWhereATimeCannotHaveBeenMeasured) {
  const auto refusal = [](const char* field, const json& value) {
    return refusal_after([&](json& document) { document["results"][0]["cold"][field] = value; });
  };
  const std::string head =
      "file.json is a damaged document of gpulab bench: " + id_of(full_bench().rows[0].what) + ": cold has ";
  EXPECT_EQ(refusal("samples_s", {1e-6, 0.0}), head + "a sample that is not above 0");
  EXPECT_EQ(refusal("samples_s", {1e-6, -1e-6}), head + "a sample that is not above 0");
  EXPECT_EQ(refusal("median_s", 0.0), head + "a median that is not above 0");
  EXPECT_EQ(refusal("low_s", 1e9), head + "low_s above high_s");
}

TEST(BenchJson, IsRefusedWhereAProcessMeasuredACaseTwice) {
  const std::string id = id_of(full_bench().rows[0].what);
  const auto refusal_of_copy_in = [](int process) {
    return refusal_after([&](json& document) {
      document["results"].push_back(document["results"][0]);
      document["results"].back()["process"] = process;
    });
  };
  EXPECT_EQ(refusal_of_copy_in(1),
            "file.json is a damaged document of gpulab bench: " + id + " is in it twice for process 1");
  EXPECT_EQ(refusal_of_copy_in(7), "it was read");
}

// bench_schema_test.py names the file and compares it with the published schema.
TEST(BenchJson, IsWrittenForTheTestOfItsSchema) {
  const char* file = std::getenv("GPULAB_BENCH_DOCUMENT");
  if (!file) GTEST_SKIP() << "run by bench_schema_test.py";
  std::ofstream(file) << bench_json(full_bench());
  BenchResult interrupted = full_bench();
  interrupted.stopped_by = "it was interrupted by SIGTERM";
  interrupted.ended_with = static_cast<ExitCode>(128 + 15);
  std::ofstream(std::string(file) + ".interrupted") << bench_json(interrupted);
  interrupted.plan.order = {"reduction tree size=1024"};
  std::ofstream(std::string(file) + ".planned") << bench_plan_json(interrupted, 2.5);
}

}  // namespace
}  // namespace gpulab::bench
