#include "check/explanations.hpp"

#include <cctype>

#include "check/files.hpp"
#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

TEST(PatternHints, AreLeftOutWhereTheOnlyMessageSaysWhatToWrite) {
  CheckResult result{.verdict = Verdict::does_not_compile, .pattern = "does-not-compile"};
  EXPECT_EQ(hint_for(result), "");
  result.related.push_back({.line = 3, .pattern = "does-not-compile"});
  EXPECT_TRUE(contains(hint_for(result), "Begin with the first"));
}

TEST(PatternHints, AreThereForEveryPatternAndDiffer) {
  std::set<std::string> patterns, hints;
  for (const PatternGroup& group : pattern_groups())
    for (const PatternHint& known : group.patterns) {
      const std::string &pattern = known.pattern, &hint = known.hint, &would_look = known.would_look;
      EXPECT_TRUE(would_look.empty() || (would_look.starts_with("Then ") && would_look.ends_with('.')))
          << would_look;
      for (const std::string& other : known.compatible)
        EXPECT_TRUE(other == "everything" || find_pattern(other)) << pattern << " beside " << other;
      EXPECT_EQ(pattern.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << pattern;
      EXPECT_TRUE(hint.ends_with('.') || hint.ends_with('?')) << pattern << ": " << hint;
      EXPECT_TRUE(patterns.insert(pattern).second) << pattern;
      EXPECT_TRUE(hints.insert(hint).second) << pattern;
      EXPECT_EQ(pattern_hint(pattern), hint);
      EXPECT_EQ(known.wrong_line.empty(), known.right_line.empty()) << pattern;
      EXPECT_TRUE(known.wrong_line.empty() || known.wrong_line != known.right_line) << pattern;
    }
  EXPECT_GT(patterns.size(), 80u);
}

TEST(PatternHints, AreThereForWhatAnyKernelOrAnswerMayShow) {
  for (const char* pattern :
       {"unwritten-scattered", "wrong-values", "race-shared", "does-not-compile", "wrong-on-gpu",
        "unanswered", "unreadable-answer", "wrong-unit", "wrong-prefix", "bits-for-bytes",
        "fraction-for-percent", "upside-down", "wrong-number", "nothing-overlaps"})
    EXPECT_NE(pattern_hint(pattern), "") << pattern;
}

// The choices of gpulab demo mistakes are read aloud: words, not ids.
TEST(PatternHints, SayInAFewWordsWhatEachMistakeOfTheCourseHasWrong) {
  std::set<std::string> patterns, summaries;
  for (const EmbeddedMistake& mistake : embedded_mistakes()) {
    const std::string expected = said_in_mistake(mistake.text, "expect: ");
    if (expected == expected_to_pass) continue;
    const PatternHint* known = find_pattern(expected.substr(0, expected.find_first_of(" :")));
    ASSERT_NE(known, nullptr) << mistake.name;
    EXPECT_NE(known->summary.find(' '), std::string::npos) << known->pattern;
    EXPECT_LE(known->summary.size(), 75u) << known->summary;
    const bool is_new = patterns.insert(known->pattern).second;
    const bool has_new_summary = summaries.insert(known->summary).second;
    EXPECT_EQ(has_new_summary, is_new) << known->summary;
  }
}

TEST(PatternHints, SayWhichPatternsMayBeTrueOfOneKernel) {
  EXPECT_TRUE(may_be_true_too("race-shared", "race-shared-update"));
  EXPECT_TRUE(may_be_true_too("race-shared", "barrier-not-called"));
  EXPECT_TRUE(may_be_true_too("transposed", "input-index"));
  EXPECT_TRUE(may_be_true_too("wrong-values", "doubled"));
  EXPECT_FALSE(may_be_true_too("doubled", "wrong-values"));
  EXPECT_FALSE(may_be_true_too("race-global", "race-shared"));
}

TEST(PatternHints, NeedOneOfTheirKeywordsInTheKernel) {
  const std::string kernel = "__global__ void k(int* x) { /* __shared__ */ x[0] = __shfl_sync(1, 2, 3); }";
  EXPECT_FALSE(may_be_in("race-shared", kernel));
  EXPECT_FALSE(may_be_in("equals-sign", kernel));
  EXPECT_TRUE(may_be_in("wrong-mask", kernel)) << "__shfl* matches all shuffles";
  EXPECT_TRUE(may_be_in("out-of-bounds-write", kernel)) << "it has no keywords";
}

TEST(PatternHints, AreGroupedUnderHeadings) {
  EXPECT_EQ(pattern_groups().front().title, "Results of kernels");
  EXPECT_EQ(pattern_groups().front().patterns.front().pattern, "unwritten-everywhere");
}

TEST(PatternHints, AreEmptyForWhatIsNoPattern) {
  EXPECT_EQ(pattern_hint(""), "");
  EXPECT_EQ(pattern_hint("no-such-pattern"), "");
}

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

TEST(Glossary, HasEachWordOnceInAlphabeticalOrder) {
  std::set<std::string> words;
  std::string before;
  for (const GlossaryTerm& term : glossary()) {
    EXPECT_LT(before, in_small_letters(term.name));
    before = in_small_letters(term.name);
    EXPECT_TRUE(words.insert(before).second) << term.name;
    for (const std::string& alias : term.aliases)
      EXPECT_TRUE(words.insert(in_small_letters(alias)).second) << alias;
    EXPECT_FALSE(term.text.empty()) << term.name;
    EXPECT_FALSE(term.facts.empty()) << term.name;
  }
  EXPECT_GT(words.size(), 60u);
}

TEST(Glossary, NamesVariantsThatExist) {
  for (const GlossaryTerm& term : glossary())
    for (const auto& [label, value] : term.facts) {
      if (label != "Kernel") continue;
      const std::string lesson_name = value.substr(0, value.find(' '));
      const std::string variant_name = value.substr(value.find(' ') + 1);
      const auto lessons = all_lessons();
      const auto lesson = std::ranges::find(lessons, lesson_name, &Lesson::name);
      ASSERT_NE(lesson, lessons.end()) << term.name << ": " << value;
      EXPECT_NE(std::ranges::find(lesson->variants, variant_name, &Variant::name), lesson->variants.end())
          << term.name << ": " << value;
    }
}

TEST(Glossary, FindsATermByAliasInThePluralAndWithHyphens) {
  ASSERT_NE(find_term("sector per load"), nullptr);
  EXPECT_EQ(find_term("sector per load")->name, "sector");
  const GlossaryTerm* const term = find_term("bank conflict");
  ASSERT_NE(term, nullptr);
  for (const char* spelling : {"bank-conflict", "Bank Conflicts", "BANK_CONFLICT"})
    EXPECT_EQ(find_term(spelling), term) << spelling;
  ASSERT_FALSE(term->aliases.empty());
  EXPECT_EQ(find_term(term->aliases.front()), term);
  EXPECT_EQ(find_term("no such term"), nullptr);
  for (const char* typed : {"stencil",
                            "FFT",
                            "GEMM",
                            "Kahan",
                            "Monte Carlo",
                            "JIT",
                            "OpenACC",
                            "MIG",
                            "thread id",
                            "cold cache",
                            "SASS",
                            "UVA",
                            "segfault",
                            "invalid pointer",
                            "volatile",
                            "__restrict__",
                            "false sharing",
                            "managed",
                            "pageable",
                            "register spilling",
                            "page-locked",
                            "illegal memory access",
                            "invalid configuration argument",
                            "out of memory",
                            "memcpy",
                            "PCIe",
                            "CUDA cores",
                            "HBM",
                            "UVM",
                            "SMEM",
                            "printf",
                            "nsight",
                            "compute sanitizer",
                            "cuda-memcheck",
                            "read-modify-write",
                            "lock",
                            "link",
                            "malloc",
                            "shfl",
                            "hang",
                            "MPI",
                            "NCCL",
                            "FLOPS",
                            "nan",
                            "sync",
                            "<<<",
                            "tensor cores",
                            "out of bounds",
                            "syncthreads",
                            "__syncthreads",
                            "__syncthreads()",
                            "atomicAdd",
                            "atomicCAS",
                            "cuda error",
                            "threadIdx",
                            "threadIdx.x",
                            "race",
                            "shared",
                            "grid-stride",
                            "guard",
                            "stride",
                            "<<<>>>",
                            "index",
                            "warpSize",
                            "mask",
                            "ballot",
                            "__ballot_sync",
                            "cudaMemcpy()",
                            "cudaMalloc",
                            "cudaFree",
                            "cudaDeviceSynchronize",
                            "cudaGetLastError",
                            "error checking",
                            "kernel launch",
                            "dynamic shared memory",
                            "dim3",
                            "compute capability",
                            "memory coalescing",
                            "textures",
                            "floating point",
                            "synchronisation",
                            "asynchronous",
                            "gpu",
                            "cuda",
                            "int overflow",
                            "overflow",
                            "undefined behaviour",
                            "histogram",
                            "pointer",
                            "driver",
                            "CUB",
                            "HIP",
                            "CUDA graphs",
                            "CUDA_ERROR_INVALID_VALUE",
                            "cudaErrorInvalidValue",
                            "cudaErrorInvalidConfiguration",
                            "cudaErrorLaunchFailure",
                            "CUDA_ERROR_ILLEGAL_ADDRESS",
                            "cudaErrorMemoryAllocation",
                            "cudaErrorNoDevice",
                            "cpu"})
    EXPECT_NE(find_term(typed), nullptr) << typed;
}

// The words that the kernels' comments use, as the course's readers will look for them.
TEST(Glossary, HasTheTermsOfTheKernels) {
  for (const char* word : {"grid-stride loop",  "coalesced",        "sector",
                           "bank conflict",     "padding",          "warp shuffle",
                           "tree reduction",    "privatisation",    "thread coarsening",
                           "register tiling",   "double buffering", "asynchronous copy",
                           "swizzle",           "occupancy",        "latency hiding",
                           "divergence",        "predication",      "halo",
                           "split-K",           "stream-K",         "warp specialisation",
                           "ping-pong",         "kernel fusion",    "persistent kernel",
                           "wave quantisation", "fragment",         "serpentine order"}) {
    EXPECT_NE(find_term(word), nullptr) << word;
    const bool is_in_a_kernel = std::ranges::any_of(embedded_kernels(), [&](const EmbeddedFile& file) {
      return in_small_letters(file.text).find(in_small_letters(word)) != std::string::npos;
    });
    EXPECT_TRUE(is_in_a_kernel) << word;
  }
}

}  // namespace
}  // namespace gpulab::check
