#include "device/host.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpulab::device {
namespace {

// What the control group of this process (a container, a batch job) leaves it; SIZE_MAX without a limit.
std::size_t left_of_group_limit_bytes() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line) && !line.starts_with("0::")) {
  }
  if (line.size() <= 3) return SIZE_MAX;
  const std::string folder = "/sys/fs/cgroup" + line.substr(3);
  std::size_t limit = 0, used = 0, cached = 0;
  std::ifstream limit_file(folder + "/memory.max"), used_file(folder + "/memory.current");
  if (!(limit_file >> limit) || !(used_file >> used)) return SIZE_MAX;  // "max" is no number
  std::ifstream statistics(folder + "/memory.stat");
  for (std::string word; statistics >> word && cached == 0;)
    if (word == "inactive_file") statistics >> cached;  // of files: given up when memory is short
  used -= std::min(used, cached);
  return limit > used ? limit - used : 0;
}

}  // namespace

std::size_t free_host_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::size_t kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes)
      return std::min(kibibytes * 1024, left_of_group_limit_bytes());
  }
  return left_of_group_limit_bytes();
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return {};
}

std::vector<std::string> places_of_module(const std::string& name) {
  const std::string file = "libgpulab_" + name + ".so";
  std::error_code ignored;
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<std::string> places;
  for (const auto& folder : {beside, beside.parent_path(), beside.parent_path() / "lib"})
    places.push_back((folder / file).string());
  std::ranges::stable_partition(places,
                                [](const std::string& place) { return ::access(place.c_str(), F_OK) == 0; });
  return places;
}

namespace {

std::string loaders_words() {
  const char* words = ::dlerror();
  return words ? words : "the loader gives no reason";
}

}  // namespace

void DynamicLibrary::Closer::operator()(void* handle) const noexcept {
  ::dlclose(handle);
}

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
  std::string reason;
  for (const std::string& name : names) {
    handle_.reset(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (handle_) break;
    if (reason.empty()) reason = loaders_words();
  }
  if (!handle_) throw std::runtime_error(reason);

  link_map* map = nullptr;
  if (::dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) == 0) path_ = map->l_name;
}

void* DynamicLibrary::address_of(const char* symbol) const {
  if (void* address = ::dlsym(handle_.get(), symbol)) return address;
  throw std::runtime_error(path_ + " has no function " + symbol);
}

}  // namespace gpulab::device
