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
  const std::string page =
      pictures_html("scale", {{"strided", true, {"all is well"}, fixtures::strided_variant()},
                              {"hostile", false, {"WRONG"}, hostile_variant()}});
  EXPECT_TRUE(contains(page, "<h3>line 8</h3>\n<pre><code>if (item &lt; size) output[item * 32]"));
  EXPECT_TRUE(contains(page, "<td>4</td>"));
  EXPECT_TRUE(contains(page, "<li class=\"good\">all is well") &&
              contains(page, "<li class=\"wrong\">WRONG"));
  EXPECT_TRUE(contains(page, "<title>line 8 · global store: 2 sectors"));
}

TEST(PicturesPage, RunsNothingAndLoadsNothing) {
  EXPECT_TRUE(
      contains(pictures_html("scale", {{"strided", true, {"13 sectors"}, fixtures::strided_variant(), true}}),
               "<li class=\"warning\">13 sectors"));
  const std::string page = pictures_html("<script>", {{"<script>", false, {"<script>"}, hostile_variant()}});
  EXPECT_TRUE(contains(page, "default-src 'none'; style-src 'unsafe-inline'"));
  EXPECT_FALSE(std::regex_search(page, std::regex("<(script|link|img|iframe|i>)")));
}

}  // namespace
}  // namespace gpulab::bench::page
