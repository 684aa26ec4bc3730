#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "cli/lesson_options.hpp"
#include "core/result.hpp"
#include "run/devices.hpp"

namespace gpulab::cli {

// The device of all runs. After a fault that took it away it is opened anew.
class LessonDevice {
 public:
  LessonDevice(const LessonWords& words, std::function<void(const std::string&)> remark)
      : words_(words), remark_(std::move(remark)) {
    open();
  }

  // Throws DeviceError, if it was lost and cannot be opened.
  device::Device& get() {
    if (!opened_.device) open();
    return *opened_.device;
  }
  const std::string& fallback() const { return opened_.fallback; }

  void recover_from(const LessonResult& result) {
    if (std::ranges::none_of(result.variants, &VariantResult::lost_the_device)) return;
    opened_.device.reset();
    open();
  }

 private:
  void open() { opened_ = words_.device.open(cache_, remark_); }

  const LessonWords& words_;
  std::function<void(const std::string&)> remark_;
  device::CompileCache cache_;
  run::OpenedDevice opened_;
};

}  // namespace gpulab::cli
