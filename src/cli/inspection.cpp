#include "cli/inspection.hpp"

#include "cli/output.hpp"
#include "run/devices.hpp"
#include "run/inspect_lesson.hpp"

namespace gpulab::cli {

InspectionReport report_of(const Inspection& inspection, std::string text) {
  std::vector<VariantResult> results;
  for (const VariantInspection& variant : inspection.variants) results.push_back(variant.result);
  return {exit_code_of(inspection), failures_text(inspection.lesson, results), std::move(text)};
}

std::string packed(const InspectionReport& report) {
  return std::to_string(static_cast<int>(report.exit_code)) + report.failures + '\0' + report.text;
}

InspectionReport unpacked_report(const std::string& bytes) {
  const std::size_t end = bytes.find('\0');
  if (end == std::string::npos || end == 0) throw std::runtime_error("the report of a child was cut short");
  return {static_cast<ExitCode>(bytes[0] - '0'), bytes.substr(1, end - 1), bytes.substr(end + 1)};
}

Inspection inspect_on_simulator(const Lesson& lesson, run::RunOptions options) {
  Narrator narrator(false);
  options.progress = [&](const std::string& what) { narrator.progress(lesson.name + ": " + what); };
  options.remark = [&](const std::string& line) { narrator.remark(line); };
  const run::KernelFiles files(lesson, options.kernels);
  for (const std::string& file : files.missing())
    options.remark(run::missing_kernel_file(*options.kernels, file));
  device::CompileCache cache;
  const auto simulator = run::open_device(run::DeviceChoice::simulator, 0, cache, options.remark);
  return run::inspect_lesson(lesson, options, files, *simulator);
}

ExitCode finish(const InspectionReport& report) {
  Output({}).write(report.text);
  tell(report.failures);
  return report.exit_code;
}

}  // namespace gpulab::cli
