#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/compare.hpp"
#include "bench/page/figure.hpp"
#include "bench/result.hpp"

namespace gpulab::bench::page {

// The parts of the page that are the same in every report; the build embeds them (cmake/embed_page.cmake). A
// hash is what a browser must find before it uses the text: "sha256-...".
struct PageAssets {
  const char* style;  // page.css
  const char* style_hash;
  const char* charts;  // Chart.js; empty where the build did not find it
  const char* charts_hash;
  const char* script;  // page.js
  const char* script_hash;
};

const PageAssets& page_assets();

// As text between tags or as an attribute in quotes.
std::string escaped(std::string_view text);

// <tag>text</tag>, the text escaped; none for an empty text.
std::string element(const std::string& tag, const std::string& text);

// With a caption; the first cell of each row is its heading. It can be scrolled sideways where it is too
// wide.
std::string table_markup(const FigureTable& table, const std::string& caption);

// The heading, the place to draw in, the note, and the table to unfold.
std::string figure_markup(const Figure& figure);

// What a report is made of: documents of gpulab bench, and how they compare.
struct BenchReport {
  std::vector<std::string> files;  // their names, in the order of the results
  std::vector<BenchResult> results;
  std::size_t before = 1;                     // so many of them come before the others
  std::optional<Comparison> comparison = {};  // these with the others; then figures are of the others
  std::string not_compared = {};              // why there are several results and no comparison
};

// Whether the program was built with the library that draws; bench_html() throws without.
bool has_chart_library();

// One page that needs nothing else: texts, figures with a table for each, and the documents themselves. It
// loads nothing from anywhere. Throws Error (4) when the program was built without Chart.js.
std::string bench_html(const BenchReport& report);

// What stands above the figures, and in the page's title.

// "matmul, reduction on NVIDIA H200"
std::string page_title(const BenchReport& report);

// Where, when and by what it was measured: a column for each document.
std::string facts_markup(const BenchReport& report);

// What must be known before any figure is read: what is missing, wrong or to be taken with care, and what
// regressed.
std::string findings_markup(const BenchReport& report);

}  // namespace gpulab::bench::page
