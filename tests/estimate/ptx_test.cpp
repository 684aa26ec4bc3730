#include "estimate/ptx.hpp"

#include "test.hpp"

namespace gpulab::estimate {
namespace {

// PTX of NVRTC 13.0 for a loop that adds two loaded values, unrolled twice, without its remainder.
const std::string loop = R"(
.visible .entry _Z3addPKfS0_Pfi(
	.param .u64 _Z3addPKfS0_Pfi_param_0
)
{
	.reg .pred 	%p<2>;
	.loc	1 4 3
	ld.param.u64 	%rd1, [_Z3addPKfS0_Pfi_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;

$L__BB0_1:
	.loc	1 6 5
	ld.global.f32 	%f1, [%rd2];
	ld.global.f32 	%f2, [%rd3];
	add.f32 	%f3, %f1, %f2;
	st.global.f32 	[%rd4], %f3;
	ld.global.f32 	%f4, [%rd2+4];
	ld.global.f32 	%f5, [%rd3+4];
	add.f32 	%f6, %f4, %f5;
	st.global.f32 	[%rd4+4], %f6;
	@%p1 bra 	$L__BB0_1;

$L__BB0_2:
	.loc	2 9 1
	ret;

}
	.file	1 "/tmp/add.cu"
	.file	2 "/tmp/other.cuh"
)";

const PtxKernel kernel = read_ptx(loop, "_Z3addPKfS0_Pfi", "add.cu").value_or(PtxKernel{});

const BasicBlock& body() {
  for (const BasicBlock& block : kernel.blocks)
    if (!block.accesses.empty()) return block;
  throw std::logic_error("no block has accesses");
}

TEST(Ptx, OfAnotherKernelIsNotThere) {
  EXPECT_FALSE(read_ptx(loop, "_Z3subPKfS0_Pfi", "add.cu"));
}

TEST(Ptx, HasTheAccessesOfEachLine) {
  EXPECT_EQ(body().accesses.at({6, AccessKind::global_load}), 4u);
  EXPECT_EQ(body().accesses.at({6, AccessKind::global_store}), 2u);
  EXPECT_EQ(body().mix.multiply_add, 2);
}

TEST(Ptx, StartsANewBatchOfLoadsBehindAStoreThatMayBeToTheSamePlace) {
  EXPECT_EQ(body().load_batches, 2u);
  std::string read_only = loop;
  for (std::size_t at = 0; (at = read_only.find("ld.global.f32", at)) != std::string::npos; at += 5)
    read_only.replace(at, 13, "ld.global.nc.f32");
  const PtxKernel same = read_ptx(read_only, "_Z3addPKfS0_Pfi", "add.cu").value();
  for (const BasicBlock& block : same.blocks)
    if (!block.accesses.empty()) {
      EXPECT_EQ(block.load_batches, 1u);
    }
}

TEST(Ptx, HasItsLoops) {
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_EQ(body().loop, 0u);
  EXPECT_FALSE(kernel.blocks.front().loop);
}

}  // namespace
}  // namespace gpulab::estimate
