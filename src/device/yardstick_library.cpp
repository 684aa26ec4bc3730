#include "device/yardstick_library.hpp"

#include <map>
#include <memory>
#include <stdexcept>

namespace gpulab::device {
namespace {

struct Opened {
  std::unique_ptr<const YardstickLibrary> library;
  std::string problem;
};

// Once for each name; a library stays open to the end, because its calls do.
const Opened& opened(const std::string& name) {
  static std::map<std::string, Opened> all;
  const auto [entry, is_new] = all.try_emplace(name);
  if (!is_new) return entry->second;
  try {
    entry->second.library = std::make_unique<const YardstickLibrary>(name);
  } catch (const std::runtime_error& error) {
    entry->second.problem = error.what();
  }
  return entry->second;
}

}  // namespace

YardstickLibrary::YardstickLibrary(const std::string& name) : library_(places_of_module(name)) {
  GpulabYardsticksOf* offered = nullptr;
  library_.find(offered, "gpulab_yardsticks");
  offered_ = offered();
  if (offered_.count == 0) throw std::runtime_error(offered_.library);
}

const GpulabYardstick* YardstickLibrary::find(const std::string& call) const {
  for (int i = 0; i < offered_.count; ++i)
    if (call == offered_.list[i].name) return &offered_.list[i];
  return nullptr;
}

const YardstickLibrary* library_of_yardstick(const std::string& call) {
  return opened(call.substr(0, call.find('-'))).library.get();
}

const GpulabYardstick* find_yardstick(const std::string& call) {
  const YardstickLibrary* const library = library_of_yardstick(call);
  return library ? library->find(call) : nullptr;
}

std::vector<LibraryStatus> yardstick_status(const std::vector<std::string>& names) {
  std::vector<LibraryStatus> all;
  for (const std::string& name : names) {
    const Opened& of = opened(name);
    all.push_back({.name = name, .version = of.library ? of.library->version() : "", .problem = of.problem});
  }
  return all;
}

}  // namespace gpulab::device
