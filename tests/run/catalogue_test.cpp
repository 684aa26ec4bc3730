#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/documents.hpp"

namespace gpulab::run {
namespace {

Variant variant(const std::string& name, const std::string& kernel) {
  Variant result;
  result.name = name;
  result.kernel = kernel;
  return result;
}

std::vector<Lesson> lessons() {
  Lesson histogram;
  histogram.name = "shared-histogram";
  histogram.aliases = {"histogram"};
  histogram.title = "Count in shared memory, merge once";
  histogram.place = {5, 2};
  histogram.default_size = 33'554'432;
  histogram.variants = {variant("global-atomic", "histogram_global_atomic"),
                        variant("shared", "histogram_shared")};
  histogram.claims = {at_least(2, "shared", "global-atomic")};
  Lesson add;
  add.name = "vector-add";
  add.title = "One thread for every element";
  add.default_size = 1024;
  add.variants = {variant("one-thread", "vector_add")};
  return {histogram, add};
}

TEST(CatalogueText, ListsLessonsInTheOrderGiven) {
  EXPECT_EQ(catalogue_text(lessons(), {.width = 100}),
            R"(lesson                       default size  what it shows, and its variants
shared-histogram, histogram    33 554 432  Count in shared memory, merge once
                                           global-atomic, shared
vector-add                          1 024  One thread for every element
                                           one-thread
)");
}

TEST(CatalogueText, PutsTitlesBelowNamesOnANarrowTerminal) {
  EXPECT_EQ(catalogue_text({lessons()[1]}, {.width = 40}), R"(lesson      default size
vector-add         1 024
    One thread for every element
    one-thread
)");
}

TEST(CatalogueJson, DescribesEveryLesson) {
  const auto document = nlohmann::json::parse(catalogue_json(lessons()));
  EXPECT_EQ(document["schema"], "gpulab.list");
  EXPECT_EQ(document["schema_version"], "3.0.0");
  ASSERT_EQ(document["lessons"].size(), 2);
  const auto& histogram = document["lessons"][0];
  EXPECT_EQ(histogram["aliases"], nlohmann::json::array({"histogram"}));
  EXPECT_EQ(histogram["episode"], 5);
  EXPECT_EQ(histogram["variants"][1]["kernel"], "histogram_shared");
  EXPECT_EQ(histogram["claims"][0]["min_ratio"], 2);
  EXPECT_EQ(document["lessons"][1]["options"], nlohmann::json::array());
}

}  // namespace
}  // namespace gpulab::run
