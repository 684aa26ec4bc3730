#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>

#include "base/error.hpp"
#include "suites/runner.hpp"
#include "suites/tally.hpp"

// gpulab_suites MANIFEST: runs the kernels of a foreign suite on the simulator, and says how many of their
// defects it finds.

int main(int argc, char** argv) try {
  using namespace gpulab;
  CLI::App app{
      "Run the kernels of a manifest on the simulator and compare what it finds with the suite's labels."};
  std::string file, json, only;
  unsigned jobs = 1;
  app.add_option("manifest", file, "the JSON file")->required();
  app.add_option("--jobs", jobs, "cases that run at once")->check(CLI::Range(1, 256));
  app.add_option("--only", only, "cases whose name contains this");
  app.add_option("--json", json, "write every case's outcome into this file");
  CLI11_PARSE(app, argc, argv);

  suites::Manifest manifest = suites::read_manifest(file);
  std::erase_if(manifest.cases, [&](const suites::Case& test_case) {
    return test_case.name.find(only) == std::string::npos;
  });
  const auto start = std::chrono::steady_clock::now();
  const std::vector<suites::Judged> judged = suites::run_cases(manifest, jobs);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const suites::Tally tally{&manifest, &judged, seconds};
  std::cout << text_of(tally);
  if (!json.empty() && !(std::ofstream(json) << json_of(tally))) throw UsageError("cannot write " + json);
  return 0;
} catch (const gpulab::Error& error) {
  std::cerr << error.what() << '\n';
  return static_cast<int>(error.code());
}
