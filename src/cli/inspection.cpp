#include "cli/inspection.hpp"

#include "cli/lesson_reports.hpp"
#include "cli/output.hpp"
#include "run/devices.hpp"
#include "run/inspect_lesson.hpp"

namespace gpulab::cli {

InspectionReport report_of(const Inspection& inspection, std::string text) {
  std::vector<VariantResult> results;
  for (const VariantInspection& variant : inspection.variants) results.push_back(variant.result);
  return {exit_code_of(inspection), failures_text(inspection.lesson, results), std::move(text)};
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

ExitCode finish(const InspectionReport& report, bool is_json) {
  is_json ? Output({}).write(report.text) : print(report.text);
  tell(report.failures);
  return report.exit_code;
}

}  // namespace gpulab::cli
