#include <fmt/format.h>

#include "base/test_report.hpp"
#include "base/text.hpp"
#include "bench/page/page.hpp"
#include "run/documents.hpp"
#include "run/picture/picture.hpp"

namespace gpulab::bench::page {
namespace {

std::string figures(const std::vector<run::picture::Picture>& pictures) {
  std::string text;
  for (const run::picture::Picture& picture : pictures)
    text += "<figure class=\"picture\">\n" + run::picture::picture_svg(picture) + "</figure>\n";
  return text;
}

// Returns a line of the kernel: its source, its counts and a picture of each kind of access.
std::string line_markup(const run::InspectedLine& line) {
  const run::AccessColumns columns(AccessCounts{.lines = line.accesses});
  ChartTable table;
  for (const Column& column : columns.columns()) table.titles.push_back(column.title);
  std::string pictures;
  for (const LineAccesses& accesses : line.accesses) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Cell& cell : columns.cells(accesses)) row.push_back(cell.text);
    pictures += figures(run::picture::pictures_of(accesses));
  }
  return fmt::format("<h3>{}</h3>\n<pre><code>{}</code></pre>\n{}<div class=\"figures\">\n{}</div>\n",
                     xml_text(line_text(line.number, line.file)), xml_text(trimmed(line.source)),
                     table_markup(table, ""), pictures);
}

std::string part_markup(const PicturePart& part) {
  const VariantInspection& variant = part.variant;
  std::string text = fmt::format("<section>\n<h2>{}</h2>\n<ul class=\"findings\">\n", xml_text(part.heading));
  for (const std::string& sentence : part.sentences)
    text += fmt::format("<li class=\"{}\">{}</li>\n", part.is_right ? "good" : "wrong", xml_text(sentence));
  text += "</ul>\n";
  if (variant.defect) text += figures(run::picture::pictures_of(*variant.defect, variant.source));
  for (const run::InspectedLine& line : run::inspected_lines(variant)) text += line_markup(line);
  const auto arrays = run::picture::pictures_of_arrays(variant);
  if (!arrays.empty())
    text += "<h3>shared memory</h3>\n<div class=\"figures\">\n" + figures(arrays) + "</div>\n";
  return text + "</section>\n";
}

}  // namespace

std::string pictures_html(const std::string& title, const std::vector<PicturePart>& parts) {
  std::string body;
  for (const PicturePart& part : parts) body += part_markup(part);
  return document(title, policy_without_scripts, "<h1>" + xml_text(title) + "</h1>\n", body,
                  "<footer><p>Drawn by gpulab from the accesses of a run on its simulator.</p></footer>\n");
}

}  // namespace gpulab::bench::page
