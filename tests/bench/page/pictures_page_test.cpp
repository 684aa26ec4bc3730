#include <regex>

#include "bench/page/page.hpp"
#include "run/inspection_fixtures.hpp"
#include "test.hpp"

namespace gpulab::bench::page {
namespace {

VariantInspection hostile_variant() {
  VariantInspection variant = fixtures::strided_variant();
  variant.source = "\n\n\n\n\n\n\n  x = 1; // </code><script>alert(1)</script>\n";
  for (LineAccesses& accesses : variant.counts.lines) {
    accesses.costliest = {.addresses = {3, {0, 128}}, .bytes = 4};
    accesses.element = "<i>[0]";
  }
  return variant;
}

TEST(PicturesPage, HasTheSourceTheCountsAndAPictureOfEachLine) {
  const std::string page = pictures_html(
      "scale",
      {{.heading = "strided", .sentences = {"all is well"}, .variant = fixtures::strided_variant()},
       {.heading = "hostile", .is_right = false, .sentences = {"WRONG"}, .variant = hostile_variant()}});
  EXPECT_TRUE(contains(page, "<h3>line 8</h3>\n<pre><code>if (item &lt; size) output[item * 32]"));
  EXPECT_TRUE(contains(page, "<td>4</td>"));
  EXPECT_TRUE(contains(page, "<li class=\"good\">all is well") &&
              contains(page, "<li class=\"wrong\">WRONG"));
  EXPECT_TRUE(contains(page, "<title>line 8 · global store: 2 sectors"));
}

TEST(PicturesPage, RunsNothingAndLoadsNothing) {
  EXPECT_TRUE(contains(pictures_html("scale", {{.sentences = {"13 sectors"},
                                                .variant = fixtures::strided_variant(),
                                                .is_costly = true}}),
                       "<li class=\"warning\">13 sectors"));
  const std::string page = pictures_html(
      "<script>",
      {{.heading = "<script>", .is_right = false, .sentences = {"<script>"}, .variant = hostile_variant()}});
  EXPECT_TRUE(contains(page, "default-src 'none'; style-src 'unsafe-inline'"));
  EXPECT_FALSE(std::regex_search(page, std::regex("<(script|link|img|iframe|i>)")));
}

}  // namespace
}  // namespace gpulab::bench::page
