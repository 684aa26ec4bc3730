#include <set>

#include "lesson/json_fields.hpp"
#include "lesson/lesson.hpp"
#include "lesson/result.hpp"
#include "lesson/words.hpp"
#include "run/documents.hpp"
#include "run/inspection_json.hpp"
#include "source/source_parts.hpp"

namespace gpulab::run {
namespace {

Json difference_json(const Difference& difference) {
  return {{"index", difference.index}, {"expected", difference.expected}, {"actual", difference.actual}};
}

Json figure_json(const Figure& figure) {
  return {{"name", figure.name}, {"value", figure.value}, {"unit", text_or_null(figure.unit)}};
}

Json span_json(const Span& span) {
  return {{"stream", span.stream},   {"kind", identifier(span.kind)}, {"what", span.what},
          {"start_s", span.start_s}, {"end_s", span.end_s},           {"bytes", span.bytes}};
}

Json records_json(const std::optional<Records>& records) {
  if (!records) return nullptr;
  return {{"columns", records->columns}, {"units", records->units}, {"rows", records->rows}};
}

Json derived_json(const LessonResult& result, const VariantResult& variant) {
  const auto kernel_s = problem_median_s(result, variant);
  const auto bytes_per_s = effective_bytes_per_s(result.traffic, kernel_s);
  const auto whole_s = with_copies_s(result, kernel_s);
  const auto speed_up_json = [&](const ReferenceResult& reference) -> Json {
    return {{"reference", reference.name},
            {"threads", reference.threads},
            {"kernel", value_or_null(speed_up(reference, kernel_s))},
            {"with_copies", value_or_null(speed_up(reference, whole_s))}};
  };
  return {{"effective_bytes_per_s", value_or_null(bytes_per_s)},
          {"operations_per_s", value_or_null(operations_per_s(result.traffic, kernel_s))},
          {"fraction_of_peak", value_or_null(fraction_of_peak(result, variant, kernel_s))},
          {"with_copies_s", value_or_null(whole_s)},
          {"speedups", list_json(result.references, speed_up_json)}};
}

// Leaves out the launches, which are a page each.
Json estimate_summary_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json summary = json_of(*estimate);
  summary.erase("launches");
  return summary;
}

Json variant_json(const LessonResult& result, const VariantResult& variant) {
  const Timing cold = variant.kernel_cold.value_or(Timing{});
  return {{"name", variant.name},
          {"kernel", variant.kernel},
          {"expected", identifier(variant.expected)},
          {"observed", identifier(variant.observed)},
          {"as_expected", variant.as_expected()},
          {"size", variant.size},
          {"launch", launch_json(variant.launch)},
          {"explanation", text_or_null(variant.explanation)},
          {"wrong_elements", variant.wrong_elements},
          {"first_differences", list_json(variant.first_differences, difference_json)},
          {"timings", {{"kernel_cold", timing_json(cold)}}},
          {"simulation_s", value_or_null(variant.simulation_s)},
          {"estimate", estimate_summary_json(variant.estimate)},
          {"ranks", json_of(variant.ranks)},
          {"computes_all", variant.computes_all},
          {"launches", variant.launches},
          {"figures", list_json(variant.findings.figures, figure_json)},
          {"timeline", list_json(variant.timeline, span_json)},
          {"derived", derived_json(result, variant)},
          {"notes", variant.notes},
          {"warnings", variant.warnings},
          {"compiler_log", text_or_null(variant.compiler_log)}};
}

Json reference_json(const LessonResult& result, const ReferenceResult& reference) {
  const auto bytes_per_s = effective_bytes_per_s(result.traffic, reference_median_s(reference));
  return {{"name", reference.name},
          {"threads", reference.threads},
          {"observed", identifier(reference.observed)},
          {"explanation", text_or_null(reference.explanation)},
          {"timing", timing_json(reference.timing)},
          {"effective_bytes_per_s", value_or_null(bytes_per_s)}};
}

Json transfers_json(const std::optional<TransferResult>& transfers) {
  if (!transfers) return nullptr;
  return {{"bytes_to_device", transfers->bytes_to_device},
          {"bytes_to_host", transfers->bytes_to_host},
          {"to_device", timing_json(transfers->to_device)},
          {"to_host", timing_json(transfers->to_host)}};
}

Json lesson_facts_json(const LessonResult& result) {
  return {{"name", result.lesson},
          {"title", result.title},
          {"problem", result.problem},
          {"size", result.size},
          {"seed", result.seed},
          {"options", options_json(result.options)},
          {"tolerance", {{"relative", result.tolerance.relative}, {"absolute", result.tolerance.absolute}}},
          {"traffic",
           {{"bytes_read", result.traffic.bytes_read},
            {"bytes_written", result.traffic.bytes_written},
            {"operations", result.traffic.operations}}}};
}

Json used_device_json(const LessonResult& result, const RunFacts& facts) {
  Json device = device_json(result.device);
  device["fallback"] = text_or_null(facts.fallback);
  return device;
}

Json document_of(const LessonResult& result, const RunFacts& facts) {
  const auto of_reference = [&](const auto& reference) { return reference_json(result, reference); };
  const auto of_variant = [&](const auto& variant) { return variant_json(result, variant); };
  return {{"schema", "gpulab.run"},
          {"schema_version", "3.3.0"},
          {"tool", tool_json(facts.build)},
          {"run", run_json(facts)},
          {"host", host_json(facts)},
          {"device", used_device_json(result, facts)},
          {"lesson", lesson_facts_json(result)},
          {"references", list_json(result.references, of_reference)},
          {"variants", list_json(result.variants, of_variant)},
          {"claims", json_of(result.claims)},
          {"transfers", transfers_json(result.transfers)},
          {"records", records_json(result.records)},
          {"remarks", result.remarks},
          {"exit_code", static_cast<int>(exit_code_of(result))}};
}

}  // namespace

std::string estimate_json(const LessonResult& result) {
  Json variants = Json::array();
  for (const VariantResult& variant : result.variants)
    variants.push_back(
        {{"name", variant.name},
         {"observed", identifier(variant.observed)},
         {"explanation", text_or_null(variant.explanation)},
         {"estimate", variant.estimate ? json_of(*variant.estimate) : Json(nullptr)},
         {"measured_s", variant.kernel_cold ? Json(variant.kernel_cold->median_s) : Json(nullptr)}});
  return document_text({{"schema", "gpulab.estimate"},
                        {"schema_version", "2.0.0"},
                        {"tool", tool_json(build_facts())},
                        {"lesson", lesson_facts_json(result)},
                        {"variants", variants}});
}

std::string lesson_json(const LessonResult& result, const RunFacts& facts) {
  return document_text(document_of(result, facts));
}

std::string lessons_json(const std::vector<LessonResult>& results, const RunFacts& facts) {
  return document_text(
      list_json(results, [&](const LessonResult& result) { return document_of(result, facts); }));
}

std::string packed(const std::vector<RankResult>& ranks) {
  return gpulab::packed({{"ranks", json_of(ranks)}});
}

std::vector<RankResult> unpacked_ranks(const std::string& bytes) {
  const Json document = gpulab::unpacked(bytes);
  std::vector<RankResult> ranks;
  JsonReader reader(document);
  reader("ranks", ranks);
  return ranks;
}

namespace {

struct KindJson {
  Json operator()(const Choice& choice) const { return {{"kind", "choice"}, {"choices", choice.words}}; }
  Json operator()(const Count& count) const {
    return {{"kind", "count"}, {"default", count.default_value}, {"min", count.min}, {"max", count.max}};
  }
  Json operator()(const Number& number) const {
    return {{"kind", "number"}, {"default", number.default_value}, {"min", number.min}, {"max", number.max}};
  }
  Json operator()(const InputFile&) const { return {{"kind", "input_file"}}; }
  Json operator()(const OutputFile&) const { return {{"kind", "output_file"}}; }
};

Json option_json(const Option& option) {
  Json json = {{"name", option.name}, {"help", option.help}};
  json.update(std::visit(KindJson{}, option.kind));
  return json;
}

Json lesson_json(const Lesson& lesson) {
  Json variants = Json::array(), claims = Json::array();
  for (const Variant& variant : lesson.variants)
    variants.push_back({{"name", variant.name}, {"kernel", variant.kernel}, {"idea", variant.idea}});
  for (const Claim& claim : lesson.claims)
    claims.push_back({{"text", claim_text(claim)},
                      {"better", claim.better},
                      {"worse", claim.worse},
                      {"min_ratio", claim.ratio}});
  return {{"name", lesson.name},
          {"aliases", lesson.aliases},
          {"title", lesson.title},
          {"episode", lesson.place.episode},
          {"step", lesson.place.step},
          {"page", lesson.page},
          {"kernels", lesson.kernels},
          {"default_size", lesson.has_size() ? Json(lesson.default_size) : Json(nullptr)},
          {"largest_size", lesson.has_size() ? Json(lesson.largest_size) : Json(nullptr)},
          {"options", list_json(lesson.options, option_json)},
          {"variants", variants},
          {"claims", claims},
          {"solution", lesson.solution}};
}

}  // namespace

std::string catalogue_json(const std::vector<Lesson>& lessons) {
  return document_text(
      {{"schema", "gpulab.list"},
       {"schema_version", "3.0.0"},
       {"lessons", list_json(lessons, [](const Lesson& lesson) { return lesson_json(lesson); })}});
}

namespace {

Json whole_device_json(const DeviceProperties& device) {
  return device_json(
      device,
      {"kind", "index", "name", "compute_capability", "multiprocessors", "max_threads_per_block",
       "max_threads_per_multiprocessor", "memory_bytes", "free_memory_bytes", "l2_bytes",
       "shared_bytes_per_block", "shared_bytes_per_multiprocessor", "clock_hz", "memory_clock_hz",
       "memory_bus_bits", "peak_bytes_per_s", "driver_version", "runtime_version", "compiler_version"});
}

}  // namespace

std::string machine_json(const Diagnosis& diagnosis, const std::vector<DeviceProperties>& devices,
                         const std::vector<DeviceLink>& links, const AllReduceTimes& all_reduce) {
  Json document = {{"schema", "gpulab.doctor"},
                   {"schema_version", "1.0.0"},
                   {"can_simulate", diagnosis.can_simulate},
                   {"can_use_gpu", diagnosis.can_use_gpu},
                   {"findings", Json::array()},
                   {"devices", list_json(devices, whole_device_json)},
                   {"links", Json::array()}};
  for (const Component& component : diagnosis.components)
    document["findings"].push_back({{"what", component.what},
                                    {"found", component.found},
                                    {"is_optional", component.is_optional},
                                    {"detail", component.detail},
                                    {"fix", text_or_null(component.fix)}});
  for (const DeviceLink& link : links)
    document["links"].push_back({{"from", link.from},
                                 {"to", link.to},
                                 {"reaches", link.has_peer_access},
                                 {"nvlinks", link.nvlinks},
                                 {"one_way_bytes_per_s", value_or_null(link.one_way_bytes_per_s)},
                                 {"both_ways_bytes_per_s", value_or_null(link.both_ways_bytes_per_s)},
                                 {"latency_s", value_or_null(link.latency_s)}});
  Json sizes = Json::array();
  for (const auto& [bytes, seconds] : all_reduce.sizes)
    sizes.push_back({{"bytes", bytes},
                     {"called_s", seconds},
                     {"algorithm_bytes_per_s", algorithm_bandwidth(bytes, seconds)},
                     {"bus_bytes_per_s", bus_bandwidth(bytes, seconds, all_reduce.devices)}});
  document["all_reduce"] = {{"library", text_or_null(all_reduce.library)},
                            {"bytes", 1024},
                            {"called_s", value_or_null(all_reduce.called_s)},
                            {"in_graph_s", value_or_null(all_reduce.in_graph_s)},
                            {"devices", all_reduce.devices},
                            {"sizes", sizes}};
  return document_text(document);
}

namespace {

using LinesOf = std::vector<InspectedLine> (*)(const VariantInspection& variant);

Json access_json(const LineAccesses& accesses) {
  const AccessSums& sums = accesses.sums;
  const AccessPattern& pattern = accesses.pattern;
  const bool shared = is_shared(accesses.kind);
  const auto mean_if = [&](bool applies, std::uint64_t sum) {
    return applies ? Json(static_cast<double>(sum) / static_cast<double>(sums.requests)) : Json(nullptr);
  };
  return {{"kind", identifier(accesses.kind)},
          {"requests", sums.requests},
          {"active_lanes_per_request", mean_if(true, sums.active_lanes)},
          {"sectors_per_request", mean_if(!shared, sums.sectors)},
          {"min_sectors_per_request", mean_if(!shared, pattern.min_sectors)},
          {"efficiency", shared ? Json(nullptr) : Json(sector_efficiency(sums))},
          {"bank_conflict_ways", mean_if(shared, sums.bank_wavefronts)},
          {"min_bank_conflict_ways", mean_if(shared, pattern.min_bank_wavefronts)},
          {"lanes_at_one_address", mean_if(is_atomic(accesses.kind), sums.max_same_address)}};
}

Json inspected_lines_json(const VariantInspection& variant, LinesOf lines_of) {
  Json list = Json::array();
  for (const auto& [number, source, file, accesses] : lines_of(variant)) {
    list.push_back({{"line", known_or_null(number)},
                    {"source", number > 0 ? Json(source) : Json(nullptr)},
                    {"accesses", list_json(accesses, access_json)}});
    if (!file.empty()) list.back()["file"] = file;
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
  Json json{{"line", known_or_null(costly->accesses.line)},
            {"kind", identifier(costly->accesses.kind)},
            {"cost", identifier(costly->cost)},
            {"stride_bytes", value_or_null(stride_of(*costly))},
            {"text", costly_access_text(*costly)}};
  if (const std::string& file = costly->accesses.file; !file.empty()) json["file"] = file;
  return json;
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

std::string inspection_document(const Inspection& inspection, LinesOf lines_of) {
  const auto of_variant = [&](const auto& variant) { return variant_json(variant, lines_of); };
  return document_text({{"schema", "gpulab.inspect"},
                        {"schema_version", "3.0.0"},
                        {"lesson",
                         {{"name", inspection.lesson},
                          {"title", inspection.title},
                          {"seed", inspection.seed},
                          {"options", options_json(inspection.options)},
                          {"asked_size", inspection.asked_size}}},
                        {"variants", list_json(inspection.variants, of_variant)},
                        {"exit_code", static_cast<int>(exit_code_of(inspection))}});
}

}  // namespace

std::string inspection_json(const Inspection& inspection) {
  return inspection_document(inspection, inspected_lines);
}

std::string annotated_json(const Inspection& inspection) {
  return inspection_document(inspection, inspected_functions);
}

namespace {

constexpr double microseconds_per_s = 1e6;  // for the unit of the trace format

constexpr Named<Span::Kind> categories[] = {{Span::Kind::kernel, "kernel"},
                                            {Span::Kind::to_device, "copy to device"},
                                            {Span::Kind::to_host, "copy to host"},
                                            {Span::Kind::other, "other"}};
static_assert(names_every(categories, Span::Kind::other));

Json name_event(const char* what, std::size_t process, int thread, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json event(const Span& span, std::size_t process) {
  Json arguments = Json::object();
  if (span.bytes > 0) arguments["bytes"] = span.bytes;
  return {{"ph", "X"},
          {"name", span.what},
          {"cat", name_in(categories, span.kind)},
          {"pid", process},
          {"tid", span.stream},
          {"ts", span.start_s * microseconds_per_s},
          {"dur", (span.end_s - span.start_s) * microseconds_per_s},
          {"args", arguments}};
}

}  // namespace

std::string trace_json(const LessonResult& result) {
  Json events = Json::array();
  for (std::size_t i = 0; i < result.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    if (variant.timeline.empty()) continue;
    events.push_back(name_event("process_name", i, 0, variant.name));
    std::set<int> streams;
    for (const Span& span : variant.timeline) {
      const bool is_new_stream = streams.insert(span.stream).second;
      if (is_new_stream)
        events.push_back(name_event("thread_name", i, span.stream,
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
