#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/lists.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "run/picture/picture.hpp"
#include "source/source_parts.hpp"

namespace gpulab::run {
namespace {

using TableOfVariant = Table (*)(const VariantInspection& variant, const AccessColumns& columns);

// Returns the variant counted at the largest size; some run at smaller ones.
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

std::string variant_heading(const VariantInspection& variant, const std::string& default_problem,
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

// Describes a variant that is not simply right.
std::string outcome(const VariantInspection& variant, const TextStyle& style) {
  const VariantResult& result = variant.result;
  const Cell verdict = result_cell(result);
  if (result.expected == Outcome::race && is_counted(variant))
    return labelled(verdict.text, verdict.ink, "its threads race; here they ran one after another", style);
  std::string text;
  if (const std::string words = outcome_and_reason(result, result.size); !words.empty())
    text += labelled(verdict.text, verdict.ink, words, style);
  if (!result.as_expected() && !result.compiler_log.empty())
    text += labelled("compiler", Ink::red, "\n" + result.compiler_log, style);
  return text;
}

std::string counted_at(const Inspection& inspection, const TextStyle& style) {
  const std::size_t size = largest(inspection).result.size;
  if (size >= inspection.asked_size) return "";
  return paragraph(fmt::format("counted at {} of {} work items, in a smaller problem of the same shape",
                               grouped(size), grouped(inspection.asked_size)),
                   Ink::plain, style);
}

// Returns the columns for everything that the variants access, so that all tables have the same columns.
AccessColumns columns_for(const Inspection& inspection) {
  AccessCounts all;
  for (const VariantInspection& variant : inspection.variants)
    for (const LineAccesses& accesses : variant.counts.lines) all.add(accesses);
  return AccessColumns(all);
}

std::string text_with(TableOfVariant table_of, const Inspection& inspection, const TextStyle& style,
                      const TextStyle& table_style, bool with_pictures = false) {
  const AccessColumns columns = columns_for(inspection);
  std::string text = heading(inspection, style), legend;
  for (const VariantInspection& variant : inspection.variants) {
    text += "\n" + variant_heading(variant, largest(inspection).problem, style);
    if (is_counted(variant)) {
      const Table table = table_of(variant, columns);
      text += table.text(table_style) + worst_access_text(variant.counts, style);
      // All tables have the same columns, but one with longer cells may show fewer. Its legend is shorter.
      if (std::string of_table = table.legend(table_style); of_table.size() > legend.size())
        legend = std::move(of_table);
    }
    text += outcome(variant, style) + printed_text("the kernel", variant.result.printed, 5, style);
    if (with_pictures) text += picture::pictures_text(variant, style);
  }
  if (legend.empty()) return text;
  const bool has_constants =
      std::ranges::any_of(inspection.variants, have_constants, &VariantInspection::source);
  return text + "\n" + paragraph(legend, Ink::faint, style) + uncounted_text(has_constants, style) +
         counted_at(inspection, style);
}

}  // namespace

bool have_constants(const std::string& kernels) {
  return kernels.find("__constant__") != std::string::npos;
}

std::string uncounted_text(bool has_constants, const TextStyle& style) {
  if (!has_constants) return "";
  return paragraph(
      "loads of constant memory are not counted: each takes as many steps as its lanes want different words",
      Ink::faint, style);
}

// Entries of the glossary.
constexpr Named<AccessCost> terms_of_costs[] = {{AccessCost::sectors, "coalesced-access"},
                                                {AccessCost::bank_conflicts, "bank-conflict"},
                                                {AccessCost::same_address, "atomic-operation"},
                                                {AccessCost::idle_lanes, "divergence"}};
static_assert(names_every(terms_of_costs, AccessCost::idle_lanes));

std::string_view term_of(AccessCost cost) {
  return name_in(terms_of_costs, cost);
}

std::string worst_access_words(const AccessCounts& counts) {
  if (const auto costly = costliest_access(counts)) return costly_access_text(*costly);
  std::string text = "no line asks for much more than it needs";
  if (const auto small = costliest_access(counts, /*min_part_of_total=*/0))
    text += fmt::format(", except {}: its excess is less than {:.0f} % of all traffic",
                        line_text(small->accesses.line, small->accesses.file), 100 * part_of_total_that_matters);
  return text;
}

std::string worst_access_text(const AccessCounts& counts, const TextStyle& style) {
  if (counts.lines.empty()) return paragraph("it accesses no memory", Ink::plain, style);
  if (const auto costly = costliest_access(counts))
    return labelled(
        "worst", Ink::yellow,
        fmt::format("{} gpulab explain {} says more.", costly_access_text(*costly), term_of(costly->cost)),
        style);
  return labelled("worst", Ink::green, worst_access_words(counts), style);
}

std::string inspection_text(const Inspection& inspection, const TextStyle& style, bool with_pictures) {
  return text_with(table_of_accesses, inspection, style, style, with_pictures);
}

namespace {

// Returns red from twice the minimum on, and yellow from a fifth above it on.
Ink ink_of(std::uint64_t actual, std::uint64_t min) {
  if (actual >= 2 * min) return Ink::red;
  return 5 * actual >= 6 * min ? Ink::yellow : Ink::plain;
}

Cell mean_cell(std::uint64_t sum, std::uint64_t min, const AccessSums& sums) {
  return {mean_text(sum, sums.requests), ink_of(sum, min)};
}

// Formats a percentage without decimals if it is a whole number, otherwise with three digits, so that an
// eighth, 12.5 %, is recognisable.
std::string efficiency_text(double part) {
  const double percent = 100 * part;
  return (percent == std::round(percent) ? with_decimals(percent, 0) : three_digits(percent)) + " %";
}

std::uint64_t min_of(const LineAccesses& accesses) {
  return is_shared(accesses.kind) ? accesses.pattern.min_bank_wavefronts : accesses.pattern.min_sectors;
}

}  // namespace

AccessColumns::AccessColumns(const AccessCounts& counts) {
  for (const LineAccesses& accesses : counts.lines) {
    has_shared_ = has_shared_ || is_shared(accesses.kind);
    has_global_ = has_global_ || !is_shared(accesses.kind);
    has_atomics_ = has_atomics_ || is_atomic(accesses.kind);
    warp_size_ = accesses.warp_size;
  }
}

std::vector<Column> AccessColumns::columns() const {
  std::vector<Column> columns{
      {"access"}, {"requests", Align::right, 5, "requests: one for each time that a warp runs the line"}};
  if (has_global_)
    columns.push_back(
        {"sectors", Align::right, 0, "sectors: 32-byte pieces of global memory for each request"});
  if (has_shared_)
    columns.push_back(
        {"ways", Align::right, 0, "ways: passes over the banks of shared memory for each request"});
  columns.push_back({"best", Align::right, 3, "best: the fewest that are needed"});
  if (has_global_)
    columns.push_back({"used", Align::right, 1, "used: share of the fetched bytes that is used"});
  if (has_atomics_)
    columns.push_back(
        {"same", Align::right, 2, "same: lanes of an atomic that meet at one address; 1 is best"});
  columns.push_back({"lanes", Align::right, 4, fmt::format("lanes: active lanes of {}", warp_size_)});
  return columns;
}

std::vector<Cell> AccessColumns::cells(const LineAccesses& accesses) const {
  const AccessSums& sums = accesses.sums;
  const bool shared = is_shared(accesses.kind), atomic = is_atomic(accesses.kind);
  const std::uint64_t min = min_of(accesses);
  std::vector<Cell> cells{{std::string(name_of(accesses.kind))}, {grouped(sums.requests)}};
  if (has_global_) cells.push_back(shared ? Cell{} : mean_cell(sums.sectors, min, sums));
  if (has_shared_) cells.push_back(shared ? mean_cell(sums.bank_wavefronts, min, sums) : Cell{});
  cells.push_back({mean_text(min, sums.requests)});
  if (has_global_)
    cells.push_back(shared ? Cell{}
                           : Cell{efficiency_text(sector_efficiency(sums)), ink_of(sums.sectors, min)});
  if (has_atomics_) cells.push_back(atomic ? mean_cell(sums.max_same_address, sums.requests, sums) : Cell{});
  // Active lanes are good, so all lanes are compared with the active ones: red if at most half are active.
  const std::uint64_t all_lanes = accesses.warp_size * sums.requests;
  cells.push_back({mean_text(sums.active_lanes, sums.requests), ink_of(all_lanes, sums.active_lanes)});
  return cells;
}

namespace {

std::vector<source::PartLines> inspected_parts(const VariantInspection& variant) {
  std::vector<source::PartLines> parts = source::lines_of_parts(variant.source);
  std::erase_if(parts, [&](const source::PartLines& part) {
    return part.name != variant.result.kernel &&
           std::ranges::none_of(variant.counts.lines, [&](const LineAccesses& accesses) {
             return accesses.file.empty() && accesses.line >= part.first && accesses.line <= part.last;
           });
  });
  return parts;
}

}  // namespace

std::vector<InspectedLine> inspected_lines(const VariantInspection& variant) {
  const std::vector<std::string> source = source::source_lines(variant.source);
  std::vector<InspectedLine> lines;
  for (const LineAccesses& accesses : variant.counts.lines) {
    const auto& [number, file] = std::tie(accesses.line, accesses.file);
    if (lines.empty() || std::tie(lines.back().number, lines.back().file) != std::tie(number, file))
      lines.push_back({number, file.empty() ? source::source_line(source, number) : accesses.source, file});
    lines.back().accesses.push_back(accesses);
  }
  return lines;
}

std::vector<InspectedLine> inspected_functions(const VariantInspection& variant) {
  std::vector<InspectedLine> accessing = inspected_lines(variant);
  std::erase_if(accessing, [](const InspectedLine& line) { return !line.file.empty(); });
  const std::vector<std::string> source = source::source_lines(variant.source);
  const int last = static_cast<int>(source.size());
  std::vector<InspectedLine> lines;
  for (const source::PartLines& part : inspected_parts(variant))
    for (int number = part.first; number <= std::min(part.last, last); ++number) {
      const auto found = std::ranges::find(accessing, number, &InspectedLine::number);
      lines.push_back(found == accessing.end() ? InspectedLine{number, source::source_line(source, number)}
                                               : *found);
    }
  return lines;
}

std::vector<std::string> inspected_kernels(const VariantInspection& variant) {
  std::vector<std::string> names;
  for (const source::PartLines& part : inspected_parts(variant))
    if (part.is_kernel) names.push_back(part.name);
  return names;
}

namespace {

Cell number_cell(const InspectedLine& line) {
  const std::string file = line.file.empty() ? "" : line.file + ":";
  return {line.number > 0 ? file + std::to_string(line.number) : "?", Ink::faint};
}

std::string without_indentation(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace

Table table_of_accesses(const VariantInspection& variant, const AccessColumns& columns) {
  std::vector<Column> all{{"line", Align::right}};
  append(all, columns.columns());
  all.push_back({.title = "source", .cut_to = 16, .wraps = true});
  Table table(std::move(all));
  for (const InspectedLine& line : inspected_lines(variant))
    for (const LineAccesses& accesses : line.accesses) {
      const bool is_new = &accesses == &line.accesses.front();
      std::vector<Cell> cells{is_new ? number_cell(line) : Cell{}};
      append(cells, columns.cells(accesses));
      if (is_new) cells.push_back({without_indentation(line.source)});
      table.add(std::move(cells));
    }
  return table;
}

namespace {

// Makes a row per line of the variant's kernel and of other functions with accesses. Figures are those of
// table_of_accesses().
Table table_of_source(const VariantInspection& variant, const AccessColumns& columns) {
  std::vector<Column> all = columns.columns();
  all.push_back({"line", Align::right});
  all.push_back({.title = "source", .cut_to = 48, .wraps = true});
  Table table(std::move(all));
  int last = 0;
  for (const InspectedLine& line : inspected_functions(variant)) {
    if (last > 0 && line.number > last + 1) table.add({});
    last = line.number;
    std::vector<Cell> cells = line.accesses.empty() ? std::vector<Cell>(columns.columns().size())
                                                    : columns.cells(line.accesses.front());
    cells.push_back(number_cell(line));
    cells.push_back({line.source});
    table.add(std::move(cells));
    for (std::size_t i = 1; i < line.accesses.size(); ++i) table.add(columns.cells(line.accesses[i]));
  }
  return table;
}

}  // namespace

std::string annotated_text(const Inspection& inspection, const TextStyle& style,
                           const TextStyle& source_style) {
  return text_with(table_of_source, inspection, style, source_style);
}

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t label_width = 10;  // "stream 0  "
constexpr int host = -1;                 // stream of host calls
constexpr std::size_t max_spans_listed = 8;

constexpr Named<Span::Kind> marks_of_kinds[] = {{Span::Kind::kernel, "█"},
                                                {Span::Kind::to_device, "▼"},
                                                {Span::Kind::to_host, "▲"},
                                                {Span::Kind::other, "▒"}};
static_assert(names_every(marks_of_kinds, Span::Kind::other));

// Draws each operation at least one column wide. One that ends at the edge of a column stays in that column.
std::string bar(const Timeline& timeline, int stream, double whole_s, std::size_t columns) {
  std::vector<std::string_view> marks(columns, "·");
  for (const Span& span : timeline) {
    if (span.stream != stream) continue;
    const auto column = [&](double at_s) {
      const double columns_before = whole_s > 0 ? at_s / whole_s * static_cast<double>(columns) : 0;
      return std::min(static_cast<std::size_t>(std::max(columns_before, 0.0)), columns - 1);
    };
    const std::size_t last = std::max(column(span.start_s), column(span.end_s - 1e-12));
    for (std::size_t i = column(span.start_s); i <= last; ++i) marks[i] = name_in(marks_of_kinds, span.kind);
  }
  return fmt::format("{}", fmt::join(marks, ""));
}

// Lists the operations one by one, if they are few and not a program's.
std::string spans_text(const Timeline& timeline, const TextStyle& style) {
  if (timeline.size() > max_spans_listed || timeline.front().stream == host) return "";
  std::string text;
  for (const Span& span : timeline)
    text += fmt::format("{}{} in stream {} from {} to {}", text.empty() ? "" : "; ", span.what, span.stream,
                        duration_text(span.start_s), duration_text(span.end_s));
  std::string lines;
  for (const std::string& line : wrapped(text, style.width - indent, indent))
    lines += std::string(indent, ' ') + painted(line, Ink::faint, style) + "\n";
  return lines;
}

std::string timeline_text(const VariantResult& variant, const TextStyle& style) {
  const double whole_s = std::ranges::max_element(variant.timeline, {}, &Span::end_s)->end_s;
  std::map<int, std::string> bars;
  for (const Span& span : variant.timeline)
    bars.try_emplace(span.stream,
                     bar(variant.timeline, span.stream, whole_s, style.width - indent - label_width));
  std::string text = fmt::format("{}: {}\n", painted(variant.name, Ink::bold, style), duration_text(whole_s));
  for (const auto& [stream, marks] : bars)
    text += fmt::format("  {:<{}}{}\n", stream == host ? "host" : fmt::format("stream {}", stream),
                        label_width, marks);
  return text + spans_text(variant.timeline, style);
}

}  // namespace

std::string timelines_text(const LessonResult& result, const TextStyle& style) {
  std::string text;
  for (const VariantResult& variant : result.variants)
    if (!variant.timeline.empty()) text += timeline_text(variant, style);
  if (text.empty()) return "";
  const bool are_programs = std::ranges::any_of(result.variants, [](const VariantResult& variant) {
    return !variant.timeline.empty() && variant.timeline.front().stream == host;
  });
  const std::string legend =
      are_programs
          ? "█ kernel  ▼ copy to the device  ▲ copy back  ▒ call of the host; times are from a simple model of a GPU, not from this machine"
      : result.simulated()
          ? "█ kernel  ▼ copy to the device  ▲ copy back; CPU time: the simulator does one thing at a time"
          : "█ kernel  ▼ copy to the device  ▲ copy back";
  return text + paragraph(legend, Ink::faint, style);
}

}  // namespace gpulab::run
