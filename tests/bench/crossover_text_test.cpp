#include "bench/crossover.hpp"

#include "base/text.hpp"
#include "bench/bench_fixtures.hpp"
#include "test.hpp"

namespace gpulab::bench {
namespace {

BenchResult measured() {
  std::vector<BenchRow> rows;
  for (const std::size_t size : {1000u, 100000u}) {
    const auto n = static_cast<double>(size);
    const auto add = [&](const std::string& variant, BenchKind kind, std::map<BenchTime, double> us) {
      rows.push_back(right_row(some_case(variant, size)));
      rows.back().kind = kind;
      for (const auto& [time, value] : us) rows.back().times[time] = taking_us(value);
    };
    add(plain_reference, BenchKind::cpu, {{BenchTime::cpu, n / 100}});
    add(openmp_reference, BenchKind::cpu, {{BenchTime::cpu, n / 1600 + 5}});
    add("shared", BenchKind::kernel,
        {{BenchTime::launch, 20}, {BenchTime::to_device, n / 1000}, {BenchTime::to_host, 80}});
  }
  BenchResult result = on_gpu(std::move(rows));
  result.facts.cores = 16;
  return result;
}

TEST(CrossoverText, SaysFromWhichSizeOnTheGpuWinsAndWhereItNeverDoes) {
  const BenchResult result = measured();
  const std::string text = crossover_text(crossovers(result).at(0), result, {.width = 80});
  EXPECT_TRUE(contains(text, "crossover · histogram · distribution uniform · Some GPU"));
  EXPECT_TRUE(contains(
      text, "the GPU beats one CPU thread\n  with the data on the GPU: from about 2 000 elements on"));
  EXPECT_TRUE(contains(text, "the GPU beats 16 CPU threads"));
  EXPECT_TRUE(contains(text, "with copies there and back: at no size up to 100 000"));
}

TEST(CrossoverText, HasNoLongLine) {
  const BenchResult result = measured();
  for (const unsigned width : {40u, 80u})
    for (const std::string& text : {crossover_text(crossovers(result).at(0), result, {.width = width}),
                                    crossover_plot(crossovers(result).at(0), {.width = width})})
      for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), width) << line;
}

TEST(CrossoverJson, HasEveryPointAndCrossing) {
  const BenchResult result = measured();
  const auto document = nlohmann::json::parse(crossover_json(crossovers(result), result));
  EXPECT_EQ(document.at("schema"), "gpulab.crossover");
  const auto& crossover = document.at("crossovers").at(0);
  EXPECT_EQ(crossover.at("points").size(), 2u);
  EXPECT_EQ(crossover.at("one_thread").at("gpu_wins"), "from");
  EXPECT_EQ(crossover.at("all_threads_with_copies").at("gpu_wins"), "never");
  EXPECT_TRUE(crossover.at("all_threads_with_copies").at("from_size").is_null());
}

TEST(CrossoverJson, IsWrittenForTheTestOfItsSchema) {
  const char* file = std::getenv("GPULAB_CROSSOVER_DOCUMENT");
  if (!file) GTEST_SKIP() << "bench_schema_test.py runs it";
  const BenchResult result = measured();
  std::ofstream(file) << crossover_json(crossovers(result), result);
}

}  // namespace
}  // namespace gpulab::bench
