#include "cuda/properties.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

namespace gpulab::cuda {
namespace {

// HIP's attribute numbers, from hip_runtime_api.h. They have not changed from HIP 5.2 to 2025.
constexpr std::pair<CUdevice_attribute, int> numbers_in_hip[] = {
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 5},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 19},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 56},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 57},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 59},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 60},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 63},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 74},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 74},  // nothing to opt in to
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 87},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 10002}};

void read_attributes(const DriverApi& driver, CUdevice device, DeviceProperties& properties) {
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    if (driver.vendor == Vendor::nvidia) driver.device_attribute.attempt(&value, which, device);
    for (const auto& [cuda, hip] : numbers_in_hip)
      if (driver.vendor == Vendor::amd && cuda == which)
        driver.device_attribute.attempt(&value, static_cast<CUdevice_attribute>(hip), device);
    return std::max(value, 0);
  };
  constexpr double hz_per_khz = 1e3;
  properties.compute_capability_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  properties.compute_capability_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  properties.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties.max_threads_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  properties.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties.shared_bytes_per_block_optin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties.shared_bytes_per_multiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  properties.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  properties.memory_clock_hz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * hz_per_khz;
  properties.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  properties.clock_hz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * hz_per_khz;
}

}  // namespace

double theoretical_peak(double memory_clock_hz, int memory_bus_bits) {
  if (memory_clock_hz <= 0 || memory_bus_bits <= 0) return 0;
  return 2 * memory_clock_hz * memory_bus_bits / 8;
}

int float_lanes(int compute_capability_major, int compute_capability_minor) {
  const bool has_64_lanes =
      compute_capability_major == 7 || (compute_capability_major == 8 && compute_capability_minor == 0);
  return has_64_lanes ? 64 : 128;
}

std::string supported_version(const DriverApi& driver) {
  int version = 0;  // 13000 for 13.0, and in HIP 50221153 for 5.2.21153
  if (driver.version.attempt(&version) != CUDA_SUCCESS) return {};
  const int major_unit = driver.vendor == Vendor::amd ? 10'000'000 : 1000, minor_unit = major_unit / 100;
  return std::to_string(version / major_unit) + "." + std::to_string(version % major_unit / minor_unit);
}

std::string installed_driver_version() {
  std::ifstream file("/sys/module/nvidia/version");
  if (std::string version; file >> version) return version;
  const std::string supported = supported_version(driver_api());
  return supported.empty() ? supported : "CUDA " + supported;
}

std::string amd_architecture(const DriverApi& driver, int index) {
  // Larger than hipDeviceProp_t of any version. In each, the last "gfx" begins the architecture.
  std::string bytes(std::size_t{1} << 16, '\0');
  CUresult (*properties_of)(void*, int) = nullptr;
  const std::string name = driver.find(properties_of, "cuGetDeviceProperties");
  const CUresult result = properties_of ? properties_of(bytes.data(), index) : CUDA_ERROR_NOT_SUPPORTED;
  const std::size_t begin = bytes.rfind("gfx");
  if (result == CUDA_SUCCESS && begin != std::string::npos) return bytes.c_str() + begin;
  throw device::DeviceError(name, driver.name_of(result),
                            driver.text_of(result) + "; the GPU's architecture is unknown");
}

DeviceProperties read_properties(const CudaContext& context, int index) {
  const DriverApi& driver = context.enter();
  DeviceProperties properties;
  const bool is_amd = driver.vendor == Vendor::amd;
  properties.kind = is_amd ? "hip" : "cuda";
  properties.index = index;
  char name[256] = "";
  driver.device_name(name, sizeof name, context.device());
  properties.name = name;
  read_attributes(driver, context.device(), properties);
  driver.memory_info(&properties.free_memory_bytes, &properties.memory_bytes);
  properties.runtime_version = supported_version(driver);
  if (is_amd) {  // no peaks: the formulas are for NVIDIA's GPUs
    properties.name += ", " + amd_architecture(driver, index);
    return properties;
  }
  properties.peak_bytes_per_s = theoretical_peak(properties.memory_clock_hz, properties.memory_bus_bits);
  properties.peak_operations_per_s =
      2 * properties.clock_hz * properties.multiprocessors *
      float_lanes(properties.compute_capability_major, properties.compute_capability_minor);
  properties.driver_version = installed_driver_version();
  return properties;
}

namespace {

// Values from nvml.h, which does not come with every toolkit. They do not change.
constexpr int nvml_success = 0;
constexpr int nvml_clock_sm = 1;
constexpr int nvml_peers_by_nvlink = 2, nvml_peers_ok = 0;
constexpr unsigned nvml_max_links = 18;

}  // namespace

Nvml::Nvml() : library_({"libnvidia-ml.so.1"}) {
  int (*start)() = nullptr;
  library_.find(start, "nvmlInit_v2");
  library_.find(device_by_bus_, "nvmlDeviceGetHandleByPciBusId_v2");
  library_.find(clock_, "nvmlDeviceGetClockInfo");
  library_.find(energy_, "nvmlDeviceGetTotalEnergyConsumption");
  library_.find(peer_status_, "nvmlDeviceGetP2PStatus");
  library_.find(link_state_, "nvmlDeviceGetNvLinkState");
  library_.find(link_end_, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  if (start() != nvml_success) throw std::runtime_error("nvmlInit_v2 failed");
}

std::optional<double> Nvml::clock_hz(const std::string& pci_bus_id) const {
  void* device = nullptr;
  unsigned megahertz = 0;
  if (device_by_bus_(pci_bus_id.c_str(), &device) != nvml_success) return std::nullopt;
  if (clock_(device, nvml_clock_sm, &megahertz) != nvml_success) return std::nullopt;
  return megahertz * 1e6;
}

std::optional<double> Nvml::energy_j(const std::string& pci_bus_id) const {
  void* device = nullptr;
  unsigned long long millijoules = 0;
  if (device_by_bus_(pci_bus_id.c_str(), &device) != nvml_success) return std::nullopt;
  if (energy_(device, &millijoules) != nvml_success) return std::nullopt;
  return static_cast<double>(millijoules) * 1e-3;
}

// Counts the links. If they lead to a switch, the pair has as many as the GPU with fewer links.
int Nvml::nvlinks(const std::string& from, const std::string& to) const {
  void *from_device = nullptr, *to_device = nullptr;
  int status = -1;
  if (device_by_bus_(from.c_str(), &from_device) != nvml_success) return 0;
  if (device_by_bus_(to.c_str(), &to_device) != nvml_success) return 0;
  if (peer_status_(from_device, to_device, nvml_peers_by_nvlink, &status) != nvml_success) return 0;
  if (status != nvml_peers_ok) return 0;
  int direct = 0;  // links of `from` that lead to `to` without a switch
  int active_from = 0, active_to = 0;
  for (unsigned link = 0; link < nvml_max_links; ++link) {
    int active = 0;
    if (link_state_(to_device, link, &active) == nvml_success && active != 0) ++active_to;
    if (link_state_(from_device, link, &active) != nvml_success || active == 0) continue;
    ++active_from;
    NvmlPciInfo remote{};
    void* other = nullptr;
    if (link_end_(from_device, link, &remote) != nvml_success) continue;
    if (device_by_bus_(remote.bus_id, &other) == nvml_success && other == to_device) ++direct;
  }
  return direct > 0 ? direct : std::min(active_from, active_to);
}

const Nvml* nvml() {
  static const std::unique_ptr<const Nvml> library = []() -> std::unique_ptr<const Nvml> {
    try {
      return std::make_unique<const Nvml>();
    } catch (const std::runtime_error&) {
      return nullptr;
    }
  }();
  return library.get();
}

std::vector<DeviceLink> cuda_links() try {
  const DriverApi& driver = driver_api();
  std::vector<CUdevice> devices(static_cast<std::size_t>(count_devices(driver)));
  std::vector<std::string> bus_ids;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    driver.device_at(&devices[i], static_cast<int>(i));
    char id[32] = "";
    driver.pci_bus_id(id, sizeof id, devices[i]);
    bus_ids.emplace_back(id);
  }
  std::vector<DeviceLink> links;
  for (std::size_t from = 0; from < devices.size(); ++from)
    for (std::size_t to = 0; to < devices.size(); ++to) {
      if (from == to) continue;
      int reaches = 0;
      driver.can_access_peer.attempt(&reaches, devices[from], devices[to]);
      links.push_back({.from = static_cast<int>(from),
                       .to = static_cast<int>(to),
                       .has_peer_access = reaches != 0,
                       .nvlinks = nvml() ? nvml()->nvlinks(bus_ids[from], bus_ids[to]) : 0});
    }
  return links;
} catch (const device::DeviceError&) {
  return {};
}

}  // namespace gpulab::cuda
