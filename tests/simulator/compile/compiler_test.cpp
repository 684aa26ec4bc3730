#include "simulator/compile/compiler.hpp"

#include "base/error.hpp"
#include "expected_text.hpp"
#include "kernels/cuda_names.hpp"
#include "kernels/kernel_files.hpp"
#include "lesson/finding.hpp"
#include "simulator/compile/kernel_loops.hpp"
#include "simulator/compile/module.hpp"
#include "simulator/simulator_fixture.hpp"
#include "test.hpp"

namespace gpulab::simulator::compile {
namespace {

class KernelFileForSimulator : public testing::TestWithParam<std::tuple<KernelFileCase, std::string>> {};

TEST_P(KernelFileForSimulator, CompilesUnlessALessonSaysItDoesNot) {
  const auto& [file, compiler] = GetParam();
  if (file.needs) GTEST_SKIP() << "for " << file.needs->text();
  device::Device* device = simulator_with(compiler);
  if (!device) GTEST_SKIP() << compiler << " is not installed";
  // Kernels are interrupted only to show that they race.
  for (const device::Instrumentation instrumentation :
       {device::Instrumentation::none, device::Instrumentation::interrupted}) {
    if (instrumentation == device::Instrumentation::interrupted && !file.has_race) continue;
    if (file.must_compile) {
      EXPECT_NO_THROW(device->compile(file.source, {.instrumentation = instrumentation}));
    } else {
      EXPECT_THROW(device->compile(file.source, {.instrumentation = instrumentation}), CompileError);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KernelFileForSimulator,
                         testing::Combine(testing::ValuesIn(all_kernel_files()),
                                          testing::Values("g++", "clang++")),
                         [](const auto& instance) {
                           const std::string compiler = std::get<1>(instance.param);
                           return test_name(std::get<0>(instance.param).source) + "_" +
                                  compiler.substr(0, compiler.find('+'));
                         });

TEST(NamelessFile, LeavesNothingOpenIfItCannotBeMade) {
  const auto count_open = [] {
    using Iterator = std::filesystem::directory_iterator;
    return std::distance(Iterator("/proc/self/fd"), Iterator());
  };
  const auto before = count_open();
  EXPECT_THROW(NamelessFile("no such file"), std::filesystem::filesystem_error);
  EXPECT_EQ(count_open(), before);
}

class Attacks : public SimulatorTest {
 protected:
  std::string message_of(const ExpectedText& attack, device::Instrumentation instrumentation) {
    return message_thrown<CompileError>(
        [&] {
          device().compile({attack.file.filename().string(), attack.text},
                           {.instrumentation = instrumentation});
        },
        "compiles");
  }
};

TEST_P(Attacks, AreRefusedInEveryModeByWhatTheyDo) {
  for (const ExpectedText& attack : expected_texts("tests/simulator/compile/attacks"))
    for (const auto instrumentation : {device::Instrumentation::none, device::Instrumentation::checked})
      EXPECT_TRUE(contains(message_of(attack, instrumentation), attack.words)) << attack.file.filename();
}

INSTANTIATE_TEST_SUITE_P(Compilers, Attacks, both_compilers, name_of_compiler);

// Returns the names of the kernels for which the generated loops call this macro.
std::string kernels_in(const std::string& text, const std::string& macro) {
  const std::string loops = loops_for(text, "test.cu").text;
  std::string names;
  for (std::size_t at = 0; (at = loops.find(macro + "(", at)) != std::string::npos;) {
    at += macro.size() + 1;
    names += loops.substr(at, loops.find(')', at) - at) + " ";
  }
  return names;
}
std::string loops_in(const std::string& text) {
  return kernels_in(text, "GPULAB_LOOP_OF");
}
std::string blocks_in(const std::string& text) {
  return kernels_in(text, "GPULAB_BLOCK_OF");
}

TEST(Loops, AreForKernelsThatWaitForNobody) {
  const std::string add = "__global__ void __launch_bounds__(256, 2) add(int* a) { a[0] = 1; }\n";
  EXPECT_EQ(blocks_in(add), "add ");
  EXPECT_EQ(loops_in(add), "");
  EXPECT_EQ(loops_in(add + "#define ONE 1\n"), "add ") << "only a compiler knows the macros";
  EXPECT_EQ(loops_in("__global__ void f(int* a) { if (*a) __syncthreads(); }"), "");
  EXPECT_EQ(loops_in("__device__ void h() { __syncwarp(); }\n"
                     "namespace n { __device__ void g() { h(); } }\n"
                     "struct S { __device__ void run() { n::g(); } };\n"
                     "__global__ void f(int* a) { S s; s.run(); }\n"
                     "extern \"C\" __global__ void k(int* a) { *a = atomicAdd(a, 1); }\n"),
            "k ");
}

TEST(Loops, AreLeftOutWhereAKernelsNameIsNotEnough) {
  for (const char* text : {"template <class T> __global__ void f(T* a) { *a = 1; }",
                           "namespace n { __global__ void f(int* a) { *a = 1; } }",
                           "__global__ void f(int* a) { *a = 1; } __global__ void f(float* a) { *a = 1; }",
                           "__global__ void f(int* a);", "}}} __global__ void (((("})
    EXPECT_EQ(loops_for(text, "test.cu").text, "") << text;
}

TEST(CudaNames, AreAllInTheTableOfTheDocumentation) {
  const std::vector<NamesRow> table = names_table();
  ASSERT_GT(cuda_names().size(), 700u);
  for (const Prototype& prototype : cuda_names())
    EXPECT_NE(numbers_of(table, prototype.name), "") << prototype.name;
}

TEST(CudaNames, MatchEveryPatternInTheTableOfTheDocumentation) {
  const std::vector<Prototype> names = cuda_names();
  for (const NamesRow& row : names_table())
    for (const std::string& pattern : row.patterns)
      EXPECT_TRUE(std::ranges::any_of(names, [&](const Prototype& prototype) {
        return fits(pattern, prototype.name);
      })) << pattern;
}

class CudaNamesOnSimulator : public SimulatorTest {};

// A file that uses one name gets only the parts of the prelude that this name needs.
TEST_P(CudaNamesOnSimulator, CompileWithOnlyThePartsOfThePreludeThatTheyNeed) {
  std::map<std::string, std::vector<Prototype>> with_the_same_prelude;
  for (const Prototype& prototype : cuda_names())
    with_the_same_prelude[prelude_for(kernel_with_types({prototype}))].push_back(prototype);
  EXPECT_GT(with_the_same_prelude.size(), 5u);
  for (const auto& [prelude, prototypes] : with_the_same_prelude) {
    const std::string text = kernel_with_types(prototypes);
    try {
      device().compile({"names.cu", text}, {});
    } catch (const CompileError& error) {
      ADD_FAILURE() << error.what() << "\n" << error.log();
    }
  }
}

TEST_P(CudaNamesOnSimulator, CanBeLinked) {
  EXPECT_NO_THROW(device().compile({"names.cu", kernel_with_addresses(cuda_names())},
                                   {.instrumentation = device::Instrumentation::checked}));
}

INSTANTIATE_TEST_SUITE_P(Compilers, CudaNamesOnSimulator, both_compilers, name_of_compiler);

}  // namespace
}  // namespace gpulab::simulator::compile
