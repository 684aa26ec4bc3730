#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "yardsticks/call.hpp"
#include "yardsticks/opencl_kernels.hpp"

namespace gpulab::yardsticks {
namespace {

void check(cl_int result, const char* call) {
  if (result != CL_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
}

std::string text_of(cl_platform_id platform, cl_platform_info info) {
  std::string text(256, '\0');
  std::size_t bytes = 0;
  check(clGetPlatformInfo(platform, info, text.size(), text.data(), &bytes), "clGetPlatformInfo");
  text.resize(bytes > 0 ? bytes - 1 : 0);
  return text;
}

// Returns "PoCL 3.1" for "OpenCL 3.0 PoCL 3.1+debian  Linux, ...". OpenCL reports it nowhere else.
std::string short_version(const std::string& version) {
  const std::size_t begin = version.find("PoCL");
  if (begin == std::string::npos) return version;
  return version.substr(begin, version.find_first_not_of("0123456789.", begin + 5) - begin);
}

// The first CPU that OpenCL has, with a queue and the kernels compiled for it.
class Cpu {
 public:
  Cpu() {
    std::vector<cl_platform_id> platforms(8);
    cl_uint count = 0;
    check(clGetPlatformIDs(static_cast<cl_uint>(platforms.size()), platforms.data(), &count),
          "clGetPlatformIDs");
    platforms.resize(std::min<std::size_t>(count, platforms.size()));
    for (cl_platform_id platform : platforms) {
      if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr) != CL_SUCCESS) continue;
      name_ = short_version(text_of(platform, CL_PLATFORM_VERSION));
      return;
    }
    throw std::runtime_error("OpenCL has no device for the CPU here (Debian: pocl-opencl-icd)");
  }

  const std::string& name() const { return name_; }
  cl_context context() { return built().context_; }
  cl_command_queue queue() { return built().queue_; }
  cl_program program() { return built().program_; }

 private:
  // Compiles the kernels at the first call.
  Cpu& built() {
    if (program_) return *this;
    cl_int result = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &result);
    check(result, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &result);
    check(result, "clCreateCommandQueue");
    const char* text = opencl_kernels;
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &result);
    check(result, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
    return *this;
  }

  std::string name_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;  // these three live as long as the process
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

Cpu& cpu() {
  static Cpu instance;
  return instance;
}

// A buffer over a host array, without a copy of it.
class Buffer {
 public:
  Buffer(const void* array, std::size_t bytes) : bytes_(bytes) {
    cl_int result = CL_SUCCESS;
    memory_ = clCreateBuffer(cpu().context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                             const_cast<void*>(array), &result);
    check(result, "clCreateBuffer");
  }
  ~Buffer() { clReleaseMemObject(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  cl_mem memory() const { return memory_; }
  // Makes what a kernel has written visible in the host's array.
  void map_to_host() const {
    cl_int result = CL_SUCCESS;
    void* const mapped = clEnqueueMapBuffer(cpu().queue(), memory_, CL_TRUE, CL_MAP_READ, 0, bytes_, 0,
                                            nullptr, nullptr, &result);
    check(result, "clEnqueueMapBuffer");
    check(clEnqueueUnmapMemObject(cpu().queue(), memory_, mapped, 0, nullptr, nullptr),
          "clEnqueueUnmapMemObject");
  }

 private:
  std::size_t bytes_;
  cl_mem memory_ = nullptr;
};

struct WorkSize {
  std::size_t x, y = 1;
};

// One of the kernels, with its arguments.
class Kernel {
 public:
  explicit Kernel(const char* name) {
    cl_int result = CL_SUCCESS;
    kernel_ = clCreateKernel(cpu().program(), name, &result);
    check(result, "clCreateKernel");
  }
  ~Kernel() { clReleaseKernel(kernel_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  template <class... Arguments>
  void set(const Arguments&... arguments) {
    cl_uint i = 0;
    (check(clSetKernelArg(kernel_, i++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
  }

  // Runs the kernel. Returns when all work-items are done.
  void run(WorkSize items, WorkSize group) const {
    const auto in_whole_groups = [](std::size_t count, std::size_t size) {
      return (count + size - 1) / size * size;
    };
    const std::size_t global[] = {in_whole_groups(items.x, group.x), in_whole_groups(items.y, group.y)};
    const std::size_t local[] = {group.x, group.y};
    check(clEnqueueNDRangeKernel(cpu().queue(), kernel_, 2, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(cpu().queue()), "clFinish");
  }

 private:
  cl_kernel kernel_ = nullptr;
};

std::size_t length_of(void* const* arguments, int i) {
  return static_cast<std::size_t>(argument<int>(arguments, i));
}

class VectorAdd : public HostCall {
 public:
  VectorAdd(void* const* arguments, void*)
      : size_(length_of(arguments, 3)),
        a_(argument<const float*>(arguments, 0), size_ * sizeof(float)),
        b_(argument<const float*>(arguments, 1), size_ * sizeof(float)),
        c_(argument<float*>(arguments, 2), size_ * sizeof(float)) {
    kernel_.set(a_.memory(), b_.memory(), c_.memory(), static_cast<cl_int>(size_));
  }
  void enqueue(void*) {
    kernel_.run({size_}, {1024});
    c_.map_to_host();
  }

 private:
  std::size_t size_;
  Buffer a_, b_, c_;
  Kernel kernel_{"vector_add"};
};

class Histogram : public HostCall {
 public:
  Histogram(void* const* arguments, void*)
      : size_(length_of(arguments, 2)),
        bins_(argument<int*>(arguments, 1)),
        input_(argument<const int*>(arguments, 0), size_ * sizeof(int)),
        output_(bins_, bins_bytes) {
    kernel_.set(input_.memory(), output_.memory(), static_cast<cl_int>(size_));
  }
  void reset(void*) {
    check(clEnqueueWriteBuffer(cpu().queue(), output_.memory(), CL_TRUE, 0, bins_bytes, zeros_.data(), 0,
                               nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
  void enqueue(void*) {
    kernel_.run({size_}, {256});
    output_.map_to_host();
  }

 private:
  static constexpr std::size_t bins_bytes = 256 * sizeof(int);
  std::size_t size_;
  int* bins_;
  std::vector<int> zeros_ = std::vector<int>(256);
  Buffer input_, output_;
  Kernel kernel_{"histogram"};
};

class Matmul : public HostCall {
 public:
  Matmul(void* const* arguments, void*)
      : m_(length_of(arguments, 3)),
        n_(length_of(arguments, 4)),
        k_(length_of(arguments, 5)),
        a_(argument<const float*>(arguments, 0), m_ * k_ * sizeof(float)),
        b_(argument<const float*>(arguments, 1), k_ * n_ * sizeof(float)),
        c_(argument<float*>(arguments, 2), m_ * n_ * sizeof(float)) {
    kernel_.set(a_.memory(), b_.memory(), c_.memory(), static_cast<cl_int>(m_), static_cast<cl_int>(n_),
                static_cast<cl_int>(k_));
  }
  void enqueue(void*) {
    kernel_.run({n_, m_}, {32, 32});
    c_.map_to_host();
  }

 private:
  std::size_t m_, n_, k_;
  Buffer a_, b_, c_;
  Kernel kernel_{"matmul"};
};

const GpulabYardstick offered[] = {
    host_yardstick<VectorAdd>("opencl-vector-add", "(const float*, const float*, float*, int)"),
    host_yardstick<Histogram>("opencl-histogram", "(const int*, int*, int)"),
    host_yardstick<Matmul>("opencl-matmul", "(const float*, const float*, float*, int, int, int)"),
};

}  // namespace
}  // namespace gpulab::yardsticks

extern "C" __attribute__((visibility("default"))) GpulabYardsticks gpulab_yardsticks() {
  using namespace gpulab::yardsticks;
  if (const char* problem = catch_message([] { cpu(); })) return {problem, nullptr, 0};
  return {cpu().name().c_str(), offered, static_cast<int>(std::size(offered))};
}
