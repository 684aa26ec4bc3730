#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/compare.hpp"
#include "bench/page/chart.hpp"
#include "bench/result.hpp"
#include "lesson/result.hpp"

namespace gpulab::bench::page {

// Parts of the page that are the same in every report; the build embeds them (cmake/embed_page.cmake). Beside
// each is its hash, "sha256-...": a browser applies only those whose hash the page's policy lists.
struct PageAssets {
  const char* style;  // page.css
  const char* style_hash;
  const char* charts;  // Chart.js; empty where the build did not find it
  const char* charts_hash;
  const char* script;  // page.js
  const char* script_hash;
};

const PageAssets& page_assets();

// Content-Security-Policy of a page that loads nothing and runs no script.
constexpr const char* policy_without_scripts =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

// Returns a whole document, with the style of all pages; `policy` is its Content-Security-Policy.
std::string document(const std::string& title, const std::string& policy, const std::string& head,
                     const std::string& body, const std::string& foot);

// Returns a table with a caption. The first cell of a row is its heading; a wide table scrolls sideways.
std::string table_markup(const ChartTable& table, const std::string& caption);

// Contents of a report: documents of gpulab bench, and how they compare.
struct BenchReport {
  std::vector<std::string> files;  // their names, in the order of the results
  std::vector<BenchResult> results;
  std::size_t before_count = 1;  // how many results, from the first on, the rest are compared with
  // Comparison of the first `before_count` results with the rest. If it is set, charts show the rest,
  // and curves the earlier ones, too.
  std::optional<Comparison> comparison = {};
  std::string not_compared = {};  // reason why several results were not compared
};

// Part of a page of pictures: a kernel, with a verdict on it in sentences.
struct PicturePart {
  std::string heading;
  bool is_right = true;
  std::vector<std::string> sentences;
  VariantInspection variant;
  bool is_costly = false;  // some line asks for much more memory than it needs
};

// Returns a page of kernels' lines with pictures of their accesses. It loads nothing and runs no script.
std::string pictures_html(const std::string& title, const std::vector<PicturePart>& parts);

// Returns whether the program was built with Chart.js, which draws; without it, bench_html() throws.
bool has_chart_library();

// Returns a page with texts, charts, a table for each chart, and the documents themselves. The page loads
// nothing. Throws Error with ExitCode::device if the program was built without Chart.js.
std::string bench_html(const BenchReport& report);

}  // namespace gpulab::bench::page
