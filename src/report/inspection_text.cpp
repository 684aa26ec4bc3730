#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "core/text.hpp"
#include "report/documents.hpp"
#include "report/inspection_parts.hpp"
#include "report/layout.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

using TableOfVariant = Table (*)(const VariantInspection& variant, const AccessColumns& columns);

// What the most was counted at; some variants are run at smaller sizes.
const VariantInspection& largest(const Inspection& inspection) {
  return *std::ranges::max_element(inspection.variants, {},
                                   [](const VariantInspection& variant) { return variant.result.size; });
}

std::string heading(const Inspection& inspection, const TextStyle& style) {
  return paragraph(fmt::format("{} · {}, seed {} · accesses counted on the simulator", inspection.lesson,
                               largest(inspection).problem, inspection.seed),
                   Ink::bold, style);
}

std::string launch_text(const VariantResult& result) {
  if (!result.launch) return "";
  if (result.launches > 1) return fmt::format(" · {} launches", grouped(result.launches));
  const Extent &grid = result.launch->grid, &block = result.launch->block;
  return fmt::format(" · {} {} of {} threads", text_of(grid), grid.volume() == 1 ? "block" : "blocks",
                     text_of(block));
}

std::string heading(const VariantInspection& variant, const std::string& default_problem,
                    const TextStyle& style) {
  const VariantResult& result = variant.result;
  const std::vector<std::string> kernels = inspected_kernels(variant);
  std::string text =
      fmt::format("{} · {} in {}{}", result.name,
                  kernels.empty() ? result.kernel : fmt::format("{}", fmt::join(kernels, ", ")), variant.file,
                  launch_text(result));
  if (variant.problem != default_problem) text += " · " + variant.problem;
  text = paragraph(text, Ink::plain, style);
  return text.replace(0, result.name.size(), painted(result.name, Ink::bold, style));
}

// What is to be said of a variant that is not simply right.
std::string outcome(const VariantInspection& variant, const TextStyle& style) {
  const VariantResult& result = variant.result;
  const Cell verdict = result_cell(result);
  if (result.expected == Outcome::race && is_counted(variant))
    return labelled(verdict.text, verdict.ink, "its threads race; here they ran one after another", style);
  std::string text;
  if (const std::string words = story(result, result.size); !words.empty())
    text += labelled(verdict.text, verdict.ink, words, style);
  if (!result.as_expected() && !result.compiler_log.empty())
    text += labelled("compiler", Ink::red, "\n" + result.compiler_log, style);
  return text;
}

std::string counted_at(const Inspection& inspection, const TextStyle& style) {
  const std::size_t size = largest(inspection).result.size;
  if (size >= inspection.asked_size) return "";
  return paragraph(fmt::format("counted at {} of {} work items: more would show the same", grouped(size),
                               grouped(inspection.asked_size)),
                   Ink::plain, style);
}

std::string text_with(TableOfVariant table_of, const Inspection& inspection, const TextStyle& style,
                      const TextStyle& of_tables) {
  const AccessColumns columns = columns_for(inspection);
  std::string text = heading(inspection, style), legend;
  for (const VariantInspection& variant : inspection.variants) {
    text += "\n" + heading(variant, largest(inspection).problem, style);
    if (is_counted(variant)) {
      const Table table = table_of(variant, columns);
      text += table.text(of_tables) + worst_access_text(variant.counts, style);
      // The same columns, of which a table with longer cells may show fewer.
      if (std::string other = table.legend(of_tables); other.size() > legend.size())
        legend = std::move(other);
    }
    text += outcome(variant, style);
  }
  if (legend.empty()) return text;
  return text + "\n" + paragraph(legend, Ink::faint, style) + counted_at(inspection, style);
}

}  // namespace

std::string worst_access_text(const AccessCounts& counts, const TextStyle& style) {
  if (counts.lines.empty()) return paragraph("nothing is asked of memory", Ink::plain, style);
  if (const auto costly = costliest_access(counts))
    return labelled("worst", Ink::yellow, costly_access_text(*costly), style);
  return labelled("worst", Ink::green, "no line asks for much more than it needs", style);
}

std::string inspection_text(const Inspection& inspection, const TextStyle& style) {
  return text_with(table_of_accesses, inspection, style, style);
}

std::string annotated_text(const Inspection& inspection, const TextStyle& style,
                           const TextStyle& of_sources) {
  return text_with(table_of_source, inspection, style, of_sources);
}

}  // namespace gpulab::report
