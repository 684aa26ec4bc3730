#include "check/check_formats.hpp"
#include "lesson/json_fields.hpp"
#include "run/inspection_json.hpp"

namespace gpulab::check {
namespace {

Json place_json(const ProgramResult& result, const SourcePlace& place) {
  return {{"file", place.file.empty() ? result.file : place.file},
          {"line", known_or_null(place.line)},
          {"source", text_or_null(place.source)}};
}

Json finding_json(const ProgramResult& result, const ProgramFinding& finding) {
  Json related = Json::array();
  for (const ProgramFinding::Other& other : finding.others) {
    Json one = place_json(result, other.place);
    one["text"] = other.text;
    related.push_back(one);
  }
  Json json = {{"pattern", finding.pattern}, {"kind", finding.is_note ? "note" : "defect"}};
  json.update(place_json(result, finding.place));
  json["text"] = finding.text;
  json["instead"] = text_or_null(finding.instead);
  json["related"] = related;
  json["count"] = finding.count;
  return json;
}

Json kernel_json(const ProgramResult& result, const KernelCounts& counts) {
  const VariantInspection inspection = as_inspection(result, counts);
  return {{"name", counts.kernel},
          {"launches", counts.launches},
          {"lines", run::lines_with_accesses_json(inspection)},
          {"worst", run::worst_json(inspection)}};
}

Json timeline_json(const std::vector<TimelineEntry>& timeline) {
  Json list = Json::array();
  for (const TimelineEntry& entry : timeline)
    list.push_back({{"name", entry.name},
                    {"stream", entry.stream >= 0 ? Json(entry.stream) : Json(nullptr)},
                    {"line", known_or_null(entry.place.line)},
                    {"start_s", entry.start_s},
                    {"end_s", entry.end_s},
                    {"bytes", known_or_null(entry.bytes)}});
  return list;
}

constexpr const char* words[] = {"nothing", "defects", "accesses"};

}  // namespace

std::string program_json(const ProgramResult& result) {
  Json document = {
      {"schema", "gpulab.program"},    {"schema_version", "1.0.0"},
      {"file", result.file},           {"watched", words[static_cast<int>(result.watch)]},
      {"status", result.status},       {"signal", result.signal ? Json(result.signal) : Json(nullptr)},
      {"reported", result.has_report}, {"launches", result.report.launches},
      {"calls", result.report.calls},  {"findings", Json::array()},
      {"kernels", Json::array()},      {"timeline", timeline_json(result.report.timeline)},
      {"seconds", result.seconds},     {"exit_code", result.exit_code()}};
  for (const ProgramFinding& finding : result.report.findings)
    document["findings"].push_back(finding_json(result, finding));
  for (const KernelCounts& counts : result.report.counts)
    document["kernels"].push_back(kernel_json(result, counts));
  return document_text(document);
}

}  // namespace gpulab::check
