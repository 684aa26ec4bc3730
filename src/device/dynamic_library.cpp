#include "device/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <stdexcept>

namespace gpulab {
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

}  // namespace gpulab
