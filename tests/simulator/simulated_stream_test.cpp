#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator {
namespace {

const std::string steps = R"(__global__ void add(int* out, int step) {
  atomicAdd(out, step);
}

__global__ void twice(int* out) {
  *out *= 2;
}

__global__ void fail(int* out) {
  *out = 77;
  __trap();
}
)";

class SimulatedStreamTest : public SimulatorTest {
 protected:
  void SetUp() override {
    SimulatorTest::SetUp();
    if (IsSkipped()) return;
    module_ = device().compile({"test.cu", steps}, {});
    first_ = device().create_stream();
    second_ = device().create_stream();
    number_ = device().allocate(sizeof(int));
    device().set(number_, 0, sizeof(int), *first_);
    device().synchronize(*first_);
  }
  void TearDown() override {
    if (module_) device().free(number_);
  }

  // Puts number += step into the stream.
  void put_add(device::Stream& stream, int step) {
    void* arguments[] = {&number_, &step};
    device().launch(*find<int*, int>(*module_, "add"), {}, arguments, stream);
  }
  void put(const std::string& kernel, device::Stream& stream) {
    void* arguments[] = {&number_};
    device().launch(*find<int*>(*module_, kernel), {}, arguments, stream);
  }
  int number() {
    int value = -1;
    const auto stream = device().create_stream();
    device().copy_to_host(std::as_writable_bytes(std::span(&value, 1)), number_, *stream);
    device().synchronize(*stream);
    return value;
  }

  std::unique_ptr<device::Module> module_;
  std::unique_ptr<device::Stream> first_, second_;
  device::DevicePointer number_ = 0;
};

TEST_P(SimulatedStreamTest, DoesNothingBeforeItIsSynchronised) {
  put_add(*first_, 5);
  EXPECT_EQ(number(), 0);
  device().synchronize(*first_);
  EXPECT_EQ(number(), 5);
}

TEST_P(SimulatedStreamTest, LeavesStaleDataOnTheHostUntilItIsSynchronised) {
  int host = -1;
  put_add(*first_, 5);
  device().copy_to_host(std::as_writable_bytes(std::span(&host, 1)), number_, *first_);
  EXPECT_EQ(host, -1);
  device().synchronize(*first_);
  EXPECT_EQ(host, 5);
}

TEST_P(SimulatedStreamTest, RunsItsWorkInOrder) {
  const int four = 4;
  device().copy_to_device(number_, std::as_bytes(std::span(&four, 1)), *first_);
  put("twice", *first_);
  put_add(*first_, 1);
  put("twice", *first_);
  device().synchronize(*first_);
  EXPECT_EQ(number(), 18);
}

TEST_P(SimulatedStreamTest, ReadsArgumentsWhenTheKernelIsLaunched) {
  int step = 3;
  void* arguments[] = {&number_, &step};
  {
    const auto kernel = find<int*, int>(*module_, "add");
    device().launch(*kernel, {}, arguments, *first_);
  }
  step = 1000;
  arguments[0] = nullptr;
  device().synchronize(*first_);
  EXPECT_EQ(number(), 3);
}

TEST_P(SimulatedStreamTest, IsIndependentOfOtherStreams) {
  put_add(*first_, 5);
  put("twice", *second_);
  device().synchronize(*second_);
  EXPECT_EQ(number(), 0);
  device().synchronize(*first_);
  EXPECT_EQ(number(), 5);
}

TEST_P(SimulatedStreamTest, WaitsForAnEventOfAnotherStream) {
  const auto event = device().create_event();
  put_add(*first_, 5);
  device().record(*event, *first_);
  put_add(*first_, 100);
  device().wait(*second_, *event);
  put("twice", *second_);
  device().synchronize(*second_);
  EXPECT_EQ(number(), 10) << "what comes after the event has not happened";
  device().synchronize(*first_);
  EXPECT_EQ(number(), 110);
}

TEST_P(SimulatedStreamTest, DoesNotWaitForAnEventThatWasNeverRecorded) {
  const auto event = device().create_event();
  device().wait(*second_, *event);
  put_add(*second_, 1);
  device().synchronize(*second_);
  EXPECT_EQ(number(), 1);
}

TEST_P(SimulatedStreamTest, MayEndBeforeAnotherThatWaitsForItsEvent) {
  const auto event = device().create_event();
  device().record(*event, *first_);
  device().wait(*second_, *event);
  first_.reset();
  put_add(*second_, 1);
  device().synchronize(*second_);
  EXPECT_EQ(number(), 1);
}

TEST_P(SimulatedStreamTest, MeasuresTheTimeBetweenEventsThatHaveHappened) {
  const auto start = device().create_event(), stop = device().create_event();
  EXPECT_THROW(device().elapsed(*start, *stop), device::DeviceError);
  device().record(*start, *first_);
  put_add(*first_, 1);
  device().record(*stop, *first_);
  EXPECT_THROW(device().elapsed(*start, *stop), device::DeviceError) << "recorded, but not yet happened";
  device().synchronize(*first_);
  EXPECT_GT(device().elapsed(*start, *stop), 0);
}

TEST_P(SimulatedStreamTest, DropsWhatComesAfterAFailure) {
  put("fail", *first_);
  put_add(*first_, 1);
  EXPECT_THROW(device().synchronize(*first_), device::DeviceError);
  EXPECT_NO_THROW(device().synchronize(*first_));
  EXPECT_EQ(number(), 77);
}

INSTANTIATE_TEST_SUITE_P(Compilers, SimulatedStreamTest, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator
