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

const PtxKernel kernel = read_ptx(loop, "_Z3addPKfS0_Pfi", {"add.cu"}).value_or(PtxKernel{});

const BasicBlock& body() {
  for (const BasicBlock& block : kernel.blocks)
    if (!block.accesses.empty()) return block;
  throw std::logic_error("no block has accesses");
}

TEST(Ptx, HasNoKernelOfAnotherName) {
  EXPECT_FALSE(read_ptx(loop, "_Z3subPKfS0_Pfi", {"add.cu"}));
}

TEST(Ptx, HasTheAccessesOfEachLine) {
  EXPECT_EQ(body().accesses.at({"", 6, AccessKind::global_load}), 4u);
  EXPECT_EQ(body().accesses.at({"", 6, AccessKind::global_store}), 2u);
  EXPECT_EQ(body().mix.multiply_add, 2);
}

TEST(Ptx, StartsANewBatchOfLoadsBehindAStoreThatMayBeToTheSamePlace) {
  EXPECT_EQ(body().load_batches, 2u);
  std::string read_only = loop;
  for (std::size_t at = 0; (at = read_only.find("ld.global.f32", at)) != std::string::npos; at += 5)
    read_only.replace(at, 13, "ld.global.nc.f32");
  const PtxKernel without_aliases = read_ptx(read_only, "_Z3addPKfS0_Pfi", {"add.cu"}).value();
  for (const BasicBlock& block : without_aliases.blocks)
    if (!block.accesses.empty()) {
      EXPECT_EQ(block.load_batches, 1u);
    }
}

// Returns the batches of two loads, each under its own guard, with these instructions between them.
unsigned batches_of_guarded_loads(const std::string& between) {
  const std::string text = R"(
.visible .entry k(
)
{
	@%p1 bra 	$L__BB0_2;
	ld.global.f32 	%f1, [%rd1];
$L__BB0_2:
)" + between + R"(
	@%p2 bra 	$L__BB0_4;
	ld.global.f32 	%f2, [%rd2];
$L__BB0_4:
	add.f32 	%f3, %f1, %f2;
	ret;
}
)";
  unsigned batches = 0;
  for (const BasicBlock& block : read_ptx(text, "k", {"k.cu"}).value().blocks) batches += block.load_batches;
  return batches;
}

TEST(Ptx, LetsLoadsUnderGuardsOfTheirOwnWaitTogether) {
  EXPECT_EQ(batches_of_guarded_loads(""), 1u);
  EXPECT_EQ(batches_of_guarded_loads("	mov.f32 	%f4, %f1;"), 1u) << "a copy needs no value yet";
  EXPECT_EQ(batches_of_guarded_loads("	add.f32 	%f4, %f1, %f1;"), 2u) << "the first is used before";
  EXPECT_EQ(batches_of_guarded_loads("	bar.sync 	0;"), 2u);
  EXPECT_EQ(batches_of_guarded_loads("	cvt.u64.f32 	%rd2, %f1;"), 2u) << "the address needs it";
}

TEST(Ptx, HasItsLoops) {
  ASSERT_EQ(kernel.loops.size(), 1u);
  EXPECT_EQ(body().loop, 0u);
  EXPECT_FALSE(kernel.blocks.front().loop);
}

// Returns whether the iterations of a kernel with a loop in a loop are unknown, if its loops do this before
// they jump back.
bool has_uncounted_iterations(const std::string& inner, const std::string& outer) {
  const std::string text = R"(
.visible .entry k(
)
{
$L__BB0_1:
	.loc	1 4 1
$L__BB0_2:
	.loc	1 5 1
	)" + inner + R"(
	@%p1 bra 	$L__BB0_2;
	.loc	1 6 1
	)" + outer + R"(
	@%p2 bra 	$L__BB0_1;
	ret;
}
)";
  return read_ptx(text, "k", {"k.cu"}).value().has_uncounted_iterations();
}

TEST(Ptx, KnowsIterationsOnlyIfTheInnermostLoopAccessesMemory) {
  const std::string load = "ld.global.f32 	%f1, [%rd1];", add = "add.f32 	%f1, %f1, %f2;";
  EXPECT_FALSE(has_uncounted_iterations(load, add));
  EXPECT_FALSE(has_uncounted_iterations(load, load));
  EXPECT_TRUE(has_uncounted_iterations(add, load)) << "trial division";
  EXPECT_TRUE(has_uncounted_iterations(add, add));
}

TEST(Ptx, TellsFilesApartAndCountsTheLibrarysAccessesForTheLineThatCallsIt) {
  const std::string inlined = R"(
.visible .entry k(
)
{
	.loc	3 8 1
	ld.global.f32 	%f1, [%rd1];
	.loc	2 5 1
	ld.global.f32 	%f2, [%rd2];
	.loc	4 7 1
	ld.global.f32 	%f3, [%rd3];
	.loc	1 6 1
	st.global.f32 	[%rd4], %f2;
}
	.file	1 "/tmp/0/main.cu"
	.file	2 "/tmp/1/sums.cuh"
	.file	3 "/usr/include/crt/sums.cuh"
	.file	4 "/tmp/0/my_main.cu"
)";
  const PtxKernel found = read_ptx(inlined, "k", {"0/main.cu", "1/sums.cuh"}).value();
  const auto& accesses = found.blocks.front().accesses;
  EXPECT_EQ(accesses.at({"sums.cuh", 5, AccessKind::global_load}), 2u);
  EXPECT_EQ(accesses.at({"", 6, AccessKind::global_store}), 1u);
  EXPECT_EQ(kernels_in(inlined), std::vector<std::string>{"k"});
}

// Returns the basic block that reads four neighbouring words from shared memory at this address.
BasicBlock four_words_at(const std::string& address) {
  return read_ptx(".entry k(\n)\n{\n\t.loc\t1 3 1\n" + address +
                      "\tld.shared.f32 \t%f1, [%r3];\n\tld.shared.f32 \t%f2, [%r3+4];\n"
                      "\tld.shared.f32 \t%f3, [%r3+8];\n\tld.shared.f32 \t%f4, [%r3+12];\n\tret;\n}\n"
                      "\t.file\t1 \"add.cu\"\n",
                  "k", {"add.cu"})
      .value()
      .blocks.front();
}

TEST(Ptx, MakesOneLoadOfNeighbouringWordsWhereTheAddressAllowsIt) {
  const AccessPlace place{"", 3, AccessKind::shared_load};
  const BasicBlock row_of_tile =
      four_words_at("\tshl.b32 %r1, %r0, 7;\n\tmov.u32 %r2, tile;\n\tadd.s32 %r3, %r2, %r1;\n");
  EXPECT_EQ(row_of_tile.accesses.at(place), 4u);
  EXPECT_EQ(row_of_tile.merged.at(place), 3u);
  const BasicBlock pairs = four_words_at("\tmov.u32 %r2, tile;\n\tmad.lo.s32 %r3, %r0, 24, %r2;\n");
  EXPECT_EQ(pairs.merged.at(place), 2u);
  const BasicBlock any_word =
      four_words_at("\tshl.b32 %r1, %r0, 2;\n\tmov.u32 %r2, tile;\n\tadd.s32 %r3, %r2, %r1;\n");
  EXPECT_FALSE(any_word.merged.contains(place));
  EXPECT_EQ(any_word.mix.issued, row_of_tile.mix.issued + 3);
}

TEST(Ptx, GoesOnBehindTheBracesOfInlinePtx) {
  const PtxKernel found = read_ptx(
                              ".entry k(\n)\n{\n\t.loc\t1 3 1\n\t{add.f16x2 %r1,%r2,%r3;\n}\n"
                              "\tst.global.u32 \t[%rd1], %r1;\n}\n.file\t1 \"add.cu\"\n",
                              "k", {"add.cu"})
                              .value();
  EXPECT_EQ(found.blocks.front().accesses.at({"", 3, AccessKind::global_store}), 1u);
  EXPECT_EQ(found.blocks.front().mix.multiply_add, 1);
}

TEST(Ptx, HasTheCallsOfFunctionsWhoseArgumentsAreNoStores) {
  const PtxKernel found = read_ptx(R"(
.entry k(
)
{
	{ // callseq 0, 0
	.param .b64 param0;
	st.param.f64 	[param0+0], %fd2;
	call.uni (retval0), 
	__internal_accurate_pow, 
	(
	param0
	);
	ld.param.f64 	%fd20, [retval0+0];
	} // callseq 0
	ret;
}
)",
                                   "k", {"add.cu"})
                              .value();
  EXPECT_EQ(found.blocks.front().calls, 1u);
  EXPECT_TRUE(found.blocks.front().accesses.empty());
}

}  // namespace
}  // namespace gpulab::estimate
