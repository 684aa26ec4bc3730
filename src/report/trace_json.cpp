#include <nlohmann/json.hpp>
#include <set>

#include "report/documents.hpp"

namespace gpulab::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double microseconds = 1e6;  // the unit of the format

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

}  // namespace gpulab::report
