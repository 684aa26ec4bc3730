#include "simulator/remote/remote_device.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>

#include "base/error.hpp"
#include "lesson/finding.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::remote {
namespace {

constexpr const char* doubling = R"(
__constant__ float factor = 2.0f;
__global__ void scale(float* values, int size) {
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item < size) values[item] *= factor;
}
)";

class RemoteDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!simulator_with("g++")) GTEST_SKIP() << "g++ is not installed";
    cache_ = std::make_unique<device::CompileCache>();
    open({});
  }
  void open(const Options& options) { device_ = open_confined(*cache_, options); }

  // Runs a kernel of (float*, int) over these values.
  std::vector<float> run(const std::string& text, const std::string& kernel_name, std::vector<float> values,
                         device::Instrumentation instrumentation = device::Instrumentation::checked) {
    const auto module = device_->compile({"kernel.cu", text}, {.instrumentation = instrumentation});
    const auto kernel = module->kernel(kernel_name, signature_of<float*, int>());
    const auto stream = device_->create_stream();
    const DeviceBuffer<float> buffer(*device_, values);
    float* pointer = buffer.pointer();
    int size = static_cast<int>(values.size());
    void* arguments[] = {&pointer, &size};
    device_->launch(*kernel, {{(static_cast<unsigned>(size) + 63) / 64, 1, 1}, {64, 1, 1}}, arguments,
                    *stream);
    device_->copy_to_host(std::as_writable_bytes(std::span(values)), buffer.address(), *stream);
    device_->synchronize(*stream);
    return values;
  }

  std::unique_ptr<device::CompileCache> cache_;
  std::unique_ptr<device::Device> device_;
};

TEST_F(RemoteDeviceTest, RunsKernelsOnDataThatGoesThereAndBack) {
  EXPECT_EQ(run(doubling, "scale", {1, 2, 3}), (std::vector<float>{2, 4, 6}));
}

TEST_F(RemoteDeviceTest, RunsSeveralModulesOneAfterAnother) {
  for (int i = 1; i < 4; ++i) {
    const std::string text =
        "__global__ void add(float* values, int size) { if (threadIdx.x < size) "
        "values[threadIdx.x] += " +
        std::to_string(i) + "; }";
    EXPECT_EQ(run(text, "add", {1})[0], 1 + i);
  }
}

TEST_F(RemoteDeviceTest, FindsVariablesOfTheModule) {
  const auto module = device_->compile({"kernel.cu", doubling}, {});
  EXPECT_EQ(module->symbol("factor").bytes, sizeof(float));
  EXPECT_THROW(module->symbol("no_such_variable"), device::DeviceError);
}

TEST_F(RemoteDeviceTest, ReportsDefectsWithTheirLines) {
  run("__global__ void all(float* values, int size) {\n"
      "  values[0] += size;\n"
      "}\n",
      "all", std::vector<float>(128));
  const std::vector<Defect> defects = device_->instruments()->take_defects();
  ASSERT_FALSE(defects.empty());
  EXPECT_EQ(defects.front().party.line, 2);
}

TEST_F(RemoteDeviceTest, ReportsRacesBetweenStreams) {
  const auto module =
      device_->compile({"kernel.cu", doubling}, {.instrumentation = device::Instrumentation::checked});
  const auto kernel = module->kernel("scale", signature_of<float*, int>());
  const auto first = device_->create_stream(), second = device_->create_stream();
  const DeviceBuffer<float> buffer(*device_, std::vector<float>(64, 1.0f));
  float* pointer = buffer.pointer();
  int size = 64;
  void* arguments[] = {&pointer, &size};
  for (device::Stream* const stream : {first.get(), second.get()})
    device_->launch(*kernel, {{1, 1, 1}, {64, 1, 1}}, arguments, *stream);
  device_->synchronize(*first);
  device_->synchronize(*second);
  const std::vector<Defect> defects = device_->instruments()->take_defects();
  ASSERT_FALSE(defects.empty());
  EXPECT_EQ(defects.front().kind, DefectKind::race_streams);
  EXPECT_EQ(defects.front().work, "kernel scale");
  EXPECT_EQ(defects.front().other_work, "kernel scale in another stream");
  EXPECT_EQ(defects.front().other->line, 5);
}

TEST_F(RemoteDeviceTest, ThrowsTheErrorsOfItsProcess) {
  EXPECT_THROW(run("__global__ void k(float* values, int size) { values[1] = siez; }", "k", {1}),
               CompileError);
  EXPECT_THROW(run("__global__ void other(float* values, int size) {}", "k", {1}), CompileError);
  const auto error = thrown<device::DeviceError>([&] {
    run("__global__ void k(float* values, int size) { *(float*)16 = 1; }", "k", {1},
        device::Instrumentation::none);
  });
  EXPECT_EQ(error.name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(error.failure().line, 1);
  const auto module = device_->compile({"kernel.cu", doubling}, {});
  const auto kernel = module->kernel("scale", signature_of<float*, int>());
  const auto stream = device_->create_stream();
  float* pointer = nullptr;
  int size = 0;
  void* arguments[] = {&pointer, &size};
  EXPECT_THROW(device_->launch(*kernel, {{1, 1, 1}, {2048, 1, 1}}, arguments, *stream), device::LaunchError);
}

TEST_F(RemoteDeviceTest, CountsAccesses) {
  run(doubling, "scale", std::vector<float>(64, 1.0f), device::Instrumentation::counted);
  const AccessCounts counts = device_->instruments()->take_access_counts();
  EXPECT_EQ(sums_of(counts, AccessKind::global_store).requests, 2u);
}

TEST_F(RemoteDeviceTest, IsGoneWhenItsTimeIsOver) {
  device_.reset();
  open({.time_limit_s = 0.3, .kernel_time_limit_s = 60});
  const auto end = thrown<DeviceGone>([&] {
    run("__global__ void k(float* values, int size) { for (int i = 0;; ++i) values[0] = i; }", "k", {1},
        device::Instrumentation::none);
  });
  EXPECT_TRUE(end.is_out_of_time) << end.what();
  device_.reset();
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child process is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(RemoteDeviceTest, IsStoppedOnRequest) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "q", 1), 1);
  device_.reset();
  open({.kernel_time_limit_s = 60, .stop = {.descriptor = ends[0], .requested = [] { return true; }}});
  EXPECT_THROW(run(doubling, "scale", {1, 2, 3}), WorkStopped);
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace gpulab::simulator::remote
