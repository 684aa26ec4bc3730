#include "program/report_wire.hpp"

#include <algorithm>

namespace gpulab::program {
namespace {

using simulator::remote::Reader;
using simulator::remote::Writer;

// The same members in the same order for both ways.
template <class Archive, class T>
void place(Archive& archive, T& it) {
  archive.text(it.file);
  archive(it.line);
}

template <class Archive, class T, class Each>
void list(Archive& archive, T& elements, const Each& each) {
  std::size_t count = elements.size();
  archive(count);
  if constexpr (std::is_same_v<Archive, Reader>) {
    constexpr std::size_t most = 1'000'000;
    if (count > most) throw simulator::remote::BadMessage();
    for (; count > 0; --count) each(elements.emplace_back());
  } else {
    for (auto& element : elements) each(element);
  }
}

template <class Archive, class Report>
void parts_of(Archive& archive, Report& report) {
  list(archive, report.findings, [&](auto& finding) {
    for (auto* text : {&finding.pattern, &finding.text, &finding.instead, &finding.call}) archive.text(*text);
    archive(finding.is_note, finding.count, finding.premise);
    place(archive, finding.place);
    list(archive, finding.others, [&](auto& other) {
      place(archive, other.place);
      archive.text(other.text);
    });
  });
  list(archive, report.counts, [&](auto& counts) {
    archive.text(counts.kernel);
    archive(counts.launches, counts.counts.lines);
  });
  list(archive, report.timeline, [&](auto& entry) {
    archive.text(entry.name);
    archive(entry.stream, entry.start_s, entry.end_s, entry.bytes, entry.kind, entry.is_pageable);
    place(archive, entry.place);
  });
  archive(report.launches, report.calls, report.sent, report.brought_back);
}

bool is_pattern(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return letter == '-' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  });
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
  if (!message.is_at_end() || !std::ranges::all_of(report.findings, is_pattern, &ProgramFinding::pattern))
    throw simulator::remote::BadMessage();
  return report;
}

}  // namespace gpulab::program
