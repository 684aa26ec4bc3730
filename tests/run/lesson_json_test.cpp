#include "lesson/words.hpp"
#include "lesson_fixtures.hpp"
#include "run/documents.hpp"
#include "test.hpp"

namespace gpulab::run {
namespace {

nlohmann::json parsed(const LessonResult& result) {
  return nlohmann::json::parse(lesson_json(result, fixtures::run_facts()));
}

TEST(LessonJson, NamesItsSchema) {
  const auto document = parsed(fixtures::measured_lesson());
  EXPECT_EQ(document["schema"], "gpulab.run");
  EXPECT_EQ(document["schema_version"], "3.3.0");
}

TEST(LessonJson, SaysWhoMeasuredWhatAndWhere) {
  const auto document = parsed(fixtures::measured_lesson());
  EXPECT_EQ(document["tool"]["revision"], "abc1234");
  EXPECT_EQ(document["run"]["argv"].size(), 4);
  EXPECT_EQ(document["host"]["cores"], 16);
  EXPECT_EQ(document["device"]["peak_bytes_per_s"], 4.8e12);
  EXPECT_EQ(document["lesson"]["size"], 33'554'432);
  EXPECT_EQ(document["lesson"]["options"]["distribution"], "uniform");
}

TEST(LessonJson, IncludesEverySample) {
  const auto cold = parsed(fixtures::measured_lesson())["variants"][1]["timings"]["kernel_cold"];
  EXPECT_EQ(cold["samples_s"].size(), 30);
  EXPECT_EQ(cold["median_s"], 8.66e-3);
  EXPECT_EQ(cold["stop"], "converged");
}

TEST(LessonJson, DerivesFiguresFromMedians) {
  const auto derived = parsed(fixtures::measured_lesson())["variants"][1]["derived"];
  EXPECT_DOUBLE_EQ(derived["effective_bytes_per_s"], (134'217'728.0 + 1024.0) / 8.66e-3);
  EXPECT_DOUBLE_EQ(derived["fraction_of_peak"], (134'217'728.0 + 1024.0) / 8.66e-3 / 4.8e12);
  EXPECT_DOUBLE_EQ(derived["with_copies_s"], 8.66e-3 + 2.44e-3 + 6e-6);
  EXPECT_EQ(derived["speedups"][1]["reference"], "reference, OpenMP");
  EXPECT_DOUBLE_EQ(derived["speedups"][1]["kernel"], 1.9e-3 / 8.66e-3);
  EXPECT_DOUBLE_EQ(derived["speedups"][1]["with_copies"], 1.9e-3 / (8.66e-3 + 2.44e-3 + 6e-6));
}

TEST(LessonJson, DerivesNothingForAResultThatIsWrong) {
  LessonResult result = fixtures::failing_lesson();
  ASSERT_TRUE(result.variants[2].kernel_cold.has_value());
  const auto derived = parsed(result)["variants"][2]["derived"];
  EXPECT_TRUE(derived["effective_bytes_per_s"].is_null());
  EXPECT_TRUE(derived["speedups"][0]["kernel"].is_null());
}

TEST(LessonJson, WritesNullForNotANumber) {
  const auto difference = parsed(fixtures::measured_lesson())["variants"][0]["first_differences"][1];
  EXPECT_EQ(difference["expected"], 130'998);
  EXPECT_TRUE(difference["actual"].is_null());
}

TEST(LessonJson, WritesNullForWhatIsAbsent) {
  const auto document = parsed(fixtures::simulated_lesson());
  EXPECT_TRUE(document["transfers"].is_null());
  EXPECT_TRUE(document["host"]["cpu"].is_null());
  EXPECT_TRUE(document["device"]["architecture"].is_null());
  EXPECT_TRUE(document["device"]["peak_bytes_per_s"].is_null());
  EXPECT_TRUE(document["variants"][1]["timings"]["kernel_cold"].is_null());
  EXPECT_TRUE(document["variants"][1]["explanation"].is_null());
  EXPECT_TRUE(document["claims"][0]["measured_ratio"].is_null());
  EXPECT_TRUE(parsed(fixtures::failing_lesson())["variants"][3]["launch"].is_null());
}

TEST(LessonJson, ComparesWhatWasStatedWithWhatWasObserved) {
  const auto variants = parsed(fixtures::failing_lesson())["variants"];
  EXPECT_EQ(variants[0]["expected"], "wrong");
  EXPECT_EQ(variants[0]["as_expected"], false);
  EXPECT_EQ(variants[1]["as_expected"], true);
  EXPECT_EQ(variants[3]["observed"], "fails_to_compile");
}

TEST(LessonJson, KeepsTheSimulatorsTimeApart) {
  const auto variant = parsed(fixtures::simulated_lesson())["variants"][1];
  EXPECT_EQ(variant["simulation_s"], 0.412);
  EXPECT_TRUE(variant["derived"]["effective_bytes_per_s"].is_null());
}

TEST(LessonJson, SaysWhyTheSimulatorTookThePlaceOfAGpu) {
  EXPECT_TRUE(parsed(fixtures::simulated_lesson())["device"].at("fallback").is_null());
  RunFacts facts = fixtures::run_facts();
  facts.fallback = "no GPU can be used (no NVIDIA driver)";
  const auto document = nlohmann::json::parse(lesson_json(fixtures::simulated_lesson(), facts));
  EXPECT_EQ(document["device"]["fallback"], "no GPU can be used (no NVIDIA driver)");
}

TEST(LessonJson, OfSeveralSizesIsAnArrayOfTheSameDocuments) {
  LessonResult small = fixtures::simulated_lesson();
  small.size = 1000;
  const auto documents =
      nlohmann::json::parse(lessons_json({small, fixtures::measured_lesson()}, fixtures::run_facts()));
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0], parsed(small));
  EXPECT_EQ(documents[1], parsed(fixtures::measured_lesson()));
}

TEST(LessonJson, GivesTheExitCode) {
  EXPECT_EQ(parsed(fixtures::measured_lesson())["exit_code"], 0);
  EXPECT_EQ(parsed(fixtures::failing_lesson())["exit_code"], 3);
}

TEST(LessonJson, SurvivesBytesThatAreNotUtf8) {
  LessonResult result = fixtures::failing_lesson();
  result.variants[3].compiler_log = "caf\xe9.cu(7): error";
  EXPECT_EQ(parsed(result)["variants"][3]["compiler_log"], "caf\xef\xbf\xbd.cu(7): error");
}

TEST(TraceJson, HasAProcessForEachVariantAndAThreadForEachStream) {
  LessonResult result;
  result.lesson = "streams";
  result.variants = {{.name = "silent"}, {.name = "chunked"}};
  result.variants[1].timeline = {
      {.stream = 1, .kind = Span::Kind::to_device, .what = "A", .start_s = 1e-6, .end_s = 3e-6, .bytes = 400},
      {.stream = 2, .kind = Span::Kind::kernel, .what = "add", .start_s = 3e-6, .end_s = 4e-6}};
  const auto trace = nlohmann::json::parse(trace_json(result));
  const auto& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 5u) << "names of the process and two threads, and two events";
  EXPECT_EQ(events[0]["args"]["name"], "chunked");
  EXPECT_EQ(events[1]["args"]["name"], "stream 1");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["name"], "A");
  EXPECT_EQ(events[2]["cat"], "copy to device");
  EXPECT_DOUBLE_EQ(events[2]["ts"], 1.0) << "microseconds";
  EXPECT_DOUBLE_EQ(events[2]["dur"], 2.0);
  EXPECT_EQ(events[2]["args"]["bytes"], 400.0);
  EXPECT_EQ(events[4]["tid"], 2);
}

TEST(Identifiers, AreWordsWithoutSpaces) {
  for (const Outcome outcome :
       {Outcome::right, Outcome::wrong, Outcome::race, Outcome::out_of_bounds, Outcome::fails_to_launch,
        Outcome::fails_to_compile, Outcome::faults, Outcome::not_run})
    EXPECT_EQ(identifier(outcome).find(' '), std::string::npos) << identifier(outcome);
  EXPECT_EQ(identifier(Outcome::fails_to_launch), "fails_to_launch");
}

TEST(Identifiers, AreThoseOfTheSchema) {
  EXPECT_EQ(identifier(StopReason::converged), "converged");
  EXPECT_EQ(identifier(StopReason::time_budget), "time_budget");
  EXPECT_EQ(identifier(StopReason::sample_limit), "sample_limit");
  EXPECT_EQ(identifier(ClaimVerdict::holds), "holds");
  EXPECT_EQ(identifier(ClaimVerdict::does_not_hold), "does_not_hold");
  EXPECT_EQ(identifier(ClaimVerdict::inconclusive), "inconclusive");
  EXPECT_EQ(identifier(ClaimVerdict::needs_gpu), "needs_gpu");
  EXPECT_EQ(identifier(ClaimVerdict::not_measured), "not_measured");
}

}  // namespace
}  // namespace gpulab::run
