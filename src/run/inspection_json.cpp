#include <set>

#include "lesson/json_fields.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "source/source_parts.hpp"

namespace gpulab::run {
namespace {

using LinesOf = std::vector<InspectedLine> (*)(const VariantInspection& variant);

Json access_json(const LineAccesses& accesses) {
  const AccessSums& sums = accesses.sums;
  const AccessPattern& pattern = accesses.pattern;
  const bool shared = is_shared(accesses.kind);
  const auto mean = [&](bool has_it, std::uint64_t sum) {
    return has_it ? Json(static_cast<double>(sum) / static_cast<double>(sums.requests)) : Json(nullptr);
  };
  return {{"kind", identifier(accesses.kind)},
          {"requests", sums.requests},
          {"active_lanes_per_request", mean(true, sums.active_lanes)},
          {"sectors_per_request", mean(!shared, sums.sectors)},
          {"min_sectors_per_request", mean(!shared, pattern.min_sectors)},
          {"efficiency", shared ? Json(nullptr) : Json(wanted_part_of_sectors(sums))},
          {"bank_conflict_ways", mean(shared, sums.bank_wavefronts)},
          {"min_bank_conflict_ways", mean(shared, pattern.min_bank_wavefronts)},
          {"lanes_at_one_address", mean(is_atomic(accesses.kind), sums.max_same_address)}};
}

Json inspected_lines_json(const VariantInspection& variant, LinesOf lines_of) {
  const std::vector<std::string> source = source::source_lines(variant.source);
  Json list = Json::array();
  for (const auto& [number, accesses] : lines_of(variant)) {
    Json of_line = Json::array();
    for (const LineAccesses& one : accesses) of_line.push_back(access_json(one));
    list.push_back({{"line", known_or_null(number)},
                    {"source", number > 0 ? Json(source::source_line(source, number)) : Json(nullptr)},
                    {"accesses", of_line}});
  }
  return list;
}

}  // namespace

Json lines_with_accesses_json(const VariantInspection& variant) {
  return inspected_lines_json(variant, inspected_lines);
}

Json worst_json(const VariantInspection& variant) {
  const auto costly = costliest_access(variant.counts);
  if (!costly) return nullptr;
  return {{"line", known_or_null(costly->accesses.line)},
          {"kind", identifier(costly->accesses.kind)},
          {"cost", identifier(costly->cost)},
          {"stride_bytes", value_or_null(stride_of(*costly))},
          {"text", costly_access_text(*costly)}};
}

namespace {

Json variant_json(const VariantInspection& variant, LinesOf lines_of) {
  const VariantResult& result = variant.result;
  return {{"name", result.name},
          {"kernels", inspected_kernels(variant)},
          {"file", variant.file},
          {"expected", identifier(result.expected)},
          {"observed", identifier(result.observed)},
          {"as_expected", result.as_expected()},
          {"explanation", text_or_null(result.explanation)},
          {"problem", variant.problem},
          {"size", result.size},
          {"launch", launch_json(result.launch)},
          {"launches", result.launches},
          {"counted", is_counted(variant)},
          {"lines", inspected_lines_json(variant, lines_of)},
          {"worst", worst_json(variant)},
          {"notes", result.notes},
          {"compiler_log", text_or_null(result.compiler_log)}};
}

std::string document(const Inspection& inspection, LinesOf lines_of) {
  Json document = {{"schema", "gpulab.inspect"},
                   {"schema_version", "3.0.0"},
                   {"lesson",
                    {{"name", inspection.lesson},
                     {"title", inspection.title},
                     {"seed", inspection.seed},
                     {"options", options_json(inspection.options)},
                     {"asked_size", inspection.asked_size}}},
                   {"variants", Json::array()},
                   {"exit_code", static_cast<int>(exit_code_of(inspection))}};
  for (const VariantInspection& variant : inspection.variants)
    document["variants"].push_back(variant_json(variant, lines_of));
  return document_text(document);
}

}  // namespace

std::string inspection_json(const Inspection& inspection) {
  return document(inspection, inspected_lines);
}

std::string annotated_json(const Inspection& inspection) {
  return document(inspection, inspected_functions);
}

namespace {

using Json = nlohmann::ordered_json;

constexpr double microseconds = 1e6;  // unit of the trace format

const char* category(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::kernel:
      return "kernel";
    case Span::Kind::to_device:
      return "copy to device";
    case Span::Kind::to_host:
      return "copy to host";
    case Span::Kind::other:
      break;
  }
  return "other";
}

Json named(const char* what, std::size_t process, int thread, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json event(const Span& span, std::size_t process) {
  Json arguments = Json::object();
  if (span.bytes > 0) arguments["bytes"] = span.bytes;
  return {{"ph", "X"},
          {"name", span.what},
          {"cat", category(span.kind)},
          {"pid", process},
          {"tid", span.stream},
          {"ts", span.start_s * microseconds},
          {"dur", (span.end_s - span.start_s) * microseconds},
          {"args", arguments}};
}

}  // namespace

std::string trace_json(const LessonResult& result) {
  Json events = Json::array();
  for (std::size_t i = 0; i < result.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    if (variant.timeline.empty()) continue;
    events.push_back(named("process_name", i, 0, variant.name));
    std::set<int> streams;
    for (const Span& span : variant.timeline) {
      if (streams.insert(span.stream).second)
        events.push_back(named("thread_name", i, span.stream,
                               span.stream < 0 ? "host" : "stream " + std::to_string(span.stream)));
      events.push_back(event(span, i));
    }
  }
  const Json document = {{"displayTimeUnit", "ms"},
                         {"otherData", {{"lesson", result.lesson}, {"device", result.device.name}}},
                         {"traceEvents", events}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulab::run
