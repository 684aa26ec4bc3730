#include "device/ptxas_report.hpp"

#include "test.hpp"

namespace gpulab::device {
namespace {

// Report of NVRTC 13.0 for sm_90, after a warning of the compiler. "caller" calls "deep".
const std::string report = R"(mine.cu(4): warning #177-D: variable "unused" was declared but never referenced

ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function '_Z6callerPf' for 'sm_90'
ptxas info    : Function properties for _Z6callerPf
ptxas         .     384 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 34 registers, used 1 barriers, 484 bytes cumulative stack size, 400 bytes smem
ptxas info    : Compile time = 7.425 ms
ptxas info    : Function properties for _Z4deepPKfi
ptxas         .     100 bytes stack frame, 52 bytes spill stores, 60 bytes spill loads
ptxas info    : Compiling entry function '_Z10vector_addPKfS0_Pfi' for 'sm_90'
ptxas info    : Function properties for _Z10vector_addPKfS0_Pfi
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Compile time = 1.358 ms
)";

// Report of ptxas 12, whose lines on stack frames do not begin with "ptxas".
const std::string older_report = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z7indexedPKfPfi' for 'sm_75'
ptxas info    : Function properties for _Z7indexedPKfPfi
    256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 21 registers, 372 bytes cmem[0]
)";

TEST(PtxasReport, TellsWhatAKernelNeeds) {
  const auto attributes = reported_attributes(report, "_Z10vector_addPKfS0_Pfi");
  ASSERT_TRUE(attributes);
  EXPECT_EQ(attributes->registers_per_thread, 12);
  EXPECT_EQ(attributes->local_bytes_per_thread, 0u);
  EXPECT_EQ(attributes->spill_store_bytes, 0u);
  EXPECT_EQ(attributes->spill_load_bytes, 0u);
  EXPECT_EQ(attributes->static_shared_bytes, 0u);
}

TEST(PtxasReport, AddsWhatTheFunctionsThatItCallsNeed) {
  const auto attributes = reported_attributes(report, "_Z6callerPf");
  ASSERT_TRUE(attributes);
  EXPECT_EQ(attributes->registers_per_thread, 34);
  EXPECT_EQ(attributes->local_bytes_per_thread, 484u);
  EXPECT_EQ(attributes->spill_store_bytes, 60u);
  EXPECT_EQ(attributes->spill_load_bytes, 72u);
  EXPECT_EQ(attributes->static_shared_bytes, 400u);
}

TEST(PtxasReport, IsReadInTheFormOfOlderCompilers) {
  const auto attributes = reported_attributes(older_report, "_Z7indexedPKfPfi");
  ASSERT_TRUE(attributes);
  EXPECT_EQ(attributes->registers_per_thread, 21);
  EXPECT_EQ(attributes->local_bytes_per_thread, 256u);
}

TEST(PtxasReport, HasNothingOnAnotherKernel) {
  EXPECT_FALSE(reported_attributes(report, "_Z10vector_add"));
  EXPECT_FALSE(reported_attributes(report, "_Z4deepPKfi"));
  EXPECT_FALSE(reported_attributes("", "_Z10vector_addPKfS0_Pfi"));
}

}  // namespace
}  // namespace gpulab::device
