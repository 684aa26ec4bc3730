#include "run/run_facts.hpp"

#include <unistd.h>
#include <ctime>
#include <fstream>
#include <thread>

#include "device/host.hpp"

namespace gpulab::run {
namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string hostname() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

RunFacts run_facts(const std::vector<std::string>& typed) {
  return {.started_utc = now_utc(),
          .argv = typed,
          .hostname = hostname(),
          .cpu = device::cpu_name(),
          .cores = static_cast<int>(std::thread::hardware_concurrency()),
          .build = build_facts()};
}

}  // namespace gpulab::run
