#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/documents.hpp"
#include "report/figures.hpp"
#include "report/layout.hpp"
#include "report/lesson_parts.hpp"
#include "report/quantity_text.hpp"
#include "report/words.hpp"

namespace gpulab::report {
namespace {

std::string heading(const LessonResult& result, const TextStyle& style) {
  std::string device = result.device.name;
  if (const std::string architecture = result.device.architecture(); !architecture.empty())
    device += " (" + architecture + ")";
  if (result.simulated()) device = "simulated on the CPU";
  const std::string text =
      fmt::format("{} · {}, seed {} · {}", result.lesson, result.problem, result.seed, device);
  return paragraph(text, Ink::bold, style);
}

std::string differences(const VariantResult& variant) {
  std::string result;
  for (const Difference& one : variant.first_differences)
    result += fmt::format("{}[{}] expected {}, {}", result.empty() ? "" : "; ", one.index,
                          element_text(one.expected), actual_text(one));
  return result;
}

// What is said about variants below the table. The same remark on several of them is made once.
struct Remark {
  std::string label;
  Ink ink;
  std::string variants;
  std::string text;
};

void add(std::vector<Remark>& remarks, const std::string& label, Ink ink, const VariantResult& variant,
         const std::string& text) {
  for (Remark& remark : remarks) {
    if (remark.label != label || remark.text != text) continue;
    remark.variants += ", " + variant.name;
    return;
  }
  remarks.push_back({label, ink, variant.name, text});
}

std::string remarks_text(const LessonResult& result, const TextStyle& style) {
  std::vector<Remark> remarks;
  for (const VariantResult& variant : result.variants) {
    for (const std::string& warning : variant.warnings)
      add(remarks, "warning", Ink::yellow, variant, " " + warning);
    for (const std::string& note : variant.notes) add(remarks, "note", Ink::blue, variant, " " + note);
    if (variant.as_expected()) continue;
    if (variant.observed == Outcome::wrong && !variant.first_differences.empty())
      add(remarks, "differs", Ink::red, variant, " " + differences(variant));
    if (!variant.compiler_log.empty())
      add(remarks, "compiler", Ink::red, variant, "\n" + variant.compiler_log);
  }
  std::string text;
  for (const Remark& remark : remarks)
    text += labelled(remark.label, remark.ink, remark.variants + ":" + remark.text, style);
  return text;
}

std::string claim_line(const ClaimResult& claim, const LessonResult& result, const TextStyle& style) {
  const Cell verdict = verdict_words(claim.verdict);
  std::string text = claim_text(claim.claim);
  if (claim.ratio) text += " (" + factor_text(*claim.ratio) + ")";
  if (claim.verdict == ClaimVerdict::not_measured && result.size < claim.claim.from)
    text += " (said of size " + grouped(claim.claim.from) + " and more)";
  return labelled(verdict.text, verdict.ink, text, style);
}

std::string copy_text(double bytes, const Timing& timing) {
  return fmt::format("{} in {} at {} GB/s", bytes_text(bytes), duration_text(timing.median_s),
                     three_digits(bytes / timing.median_s * 1e-9));
}

// The fastest variant with its copies beside the fastest reference: where the work is better done.
std::string end_to_end(const LessonResult& result) {
  std::pair<double, std::string> variant{HUGE_VAL, ""}, reference{HUGE_VAL, ""};
  for (const VariantResult& candidate : result.variants)
    if (const auto seconds = with_copies_s(result, problem_median_s(result, candidate)))
      variant = std::min(variant, {*seconds, candidate.name});
  for (const ReferenceResult& candidate : result.references)
    if (const auto seconds = reference_median_s(candidate))
      reference = std::min(reference, {*seconds, candidate.name});
  if (variant.second.empty() || reference.second.empty()) return "";
  return fmt::format("; end to end {} takes {} (medians added up) against {} of {}", variant.second,
                     duration_text(variant.first), duration_text(reference.first), reference.second);
}

std::string transfer_line(const LessonResult& result, const TextStyle& style) {
  if (!result.transfers) return "";
  const TransferResult& transfers = *result.transfers;
  return labelled("copies", Ink::bold,
                  copy_text(transfers.bytes_to_device, transfers.to_device) + " to the device, " +
                      copy_text(transfers.bytes_to_host, transfers.to_host) + " back" + end_to_end(result),
                  style);
}

}  // namespace

namespace {

Table table_of(const LessonResult& result, const TextStyle& style, const LessonChanges& changes) {
  return result.simulated() ? simulated_table(result, true, changes) : measured_table(result, style, changes);
}

}  // namespace

std::string lesson_rows(const LessonResult& so_far, const TextStyle& style, const LessonResult* before) {
  return heading(so_far, style) + "\n" + table_of(so_far, style, LessonChanges(before)).text(style);
}

std::string lesson_text(const LessonResult& result, const TextStyle& style, const LessonResult* before) {
  const LessonChanges changes(before);
  const Table table = table_of(result, style, changes);
  std::string text = heading(result, style) + "\n" + table.text(style);
  if (const std::string legend = table.legend(style); !legend.empty())
    text += "\n" + paragraph(legend, Ink::faint, style);
  for (const std::string& block :
       {figures_table(result, style, changes), timelines_text(result, style), records_text(result, style)})
    if (!block.empty()) text += "\n" + block;
  std::string findings = remarks_text(result, style);
  for (const std::string& remark : result.remarks) findings += paragraph(remark, Ink::plain, style);
  for (const ClaimResult& claim : result.claims) findings += claim_line(claim, result, style);
  findings += transfer_line(result, style);
  return findings.empty() ? text : text + "\n" + findings;
}

}  // namespace gpulab::report
