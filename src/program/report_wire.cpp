#include "program/report_wire.hpp"

#include "core/text.hpp"

namespace gpulab::program {
namespace {

using simulator::remote::Reader;
using simulator::remote::Writer;

// The same members in the same order for both ways.
template <class Archive, class T>
void place(Archive& archive, T& it) {
  archive(it.file, it.line);
}

template <class Archive, class T, class Each>
void list(Archive& archive, T& elements, const Each& each) {
  std::size_t count = elements.size();
  archive(count);
  if constexpr (std::is_same_v<Archive, Reader>) {
    constexpr std::size_t most = 1'000'000;
    if (count > most) throw std::runtime_error("a report of a program's process has a wrong length");
    elements.resize(count);
  }
  for (auto& element : elements) each(element);
}

template <class Archive, class Report>
void parts_of(Archive& archive, Report& report) {
  list(archive, report.findings, [&](auto& finding) {
    archive(finding.pattern, finding.is_note);
    place(archive, finding.place);
    archive(finding.text, finding.instead, finding.count, finding.premise, finding.call);
    list(archive, finding.others, [&](auto& other) {
      place(archive, other.place);
      archive(other.text);
    });
  });
  list(archive, report.counts,
       [&](auto& counts) { archive(counts.kernel, counts.launches, counts.counts.lines); });
  list(archive, report.timeline, [&](auto& entry) {
    archive(entry.name, entry.stream);
    place(archive, entry.place);
    archive(entry.start_s, entry.end_s, entry.bytes, entry.kind, entry.is_pageable);
  });
  archive(report.launches, report.calls);
}

}  // namespace

std::string written_report(const ProgramReport& report) {
  Writer writer;
  writer(FromProgram::reports);
  parts_of(writer, report);
  return writer.take();
}

ProgramReport read_report(Reader& message) {
  ProgramReport report;
  parts_of(message, report);
  // The program could have written it: what is shown obeys no orders.
  for (ProgramFinding& finding : report.findings)
    for (std::string* const text : {&finding.pattern, &finding.place.file, &finding.call, &finding.instead})
      *text = printable(*text);
  for (KernelCounts& counts : report.counts) counts.kernel = printable(counts.kernel);
  for (TimelineEntry& entry : report.timeline) entry.name = printable(entry.name);
  return report;
}

}  // namespace gpulab::program
