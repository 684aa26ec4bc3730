#include "device/symbols.hpp"

#include "base/error.hpp"
#include "device/device.hpp"
#include "lesson/finding.hpp"
#include "test.hpp"

namespace gpulab::device {
namespace {

TEST(DemangledName, IsTheNameInTheSource) {
  EXPECT_EQ(demangled_name("_Z5scalePKfi"), "scale(float const*, int)");
  EXPECT_EQ(demangled_name("_ZN5inner6nestedE"), "inner::nested");
}

TEST(DemangledName, LeavesNamesThatAreNotMangled) {
  EXPECT_EQ(demangled_name("factors"), "factors");
  EXPECT_EQ(demangled_name("f"), "f");  // a type, if taken for a mangled name
  EXPECT_EQ(demangled_name("_Z"), "_Z");
}

const Signature vector_add_signature = signature_of<const float*, const float*, float*, int>();

ElfSymbol function(const std::string& name) {
  return {.name = name, .kind = ElfSymbol::Kind::function};
}

std::string find(const std::vector<ElfSymbol>& symbols) {
  return find_kernel_symbol(symbols, "mine.cu", "vector_add", vector_add_signature);
}

std::string message_of(const std::vector<ElfSymbol>& symbols) {
  try {
    return "found " + find(symbols);
  } catch (const CompileError& error) {
    return error.what();
  }
}

TEST(KernelLookup, FindsTheKernelWithTheSignatureOfTheLesson) {
  EXPECT_EQ(find({function("_Z5otherPf"), function("_Z10vector_addPKfS0_Pfi")}), "_Z10vector_addPKfS0_Pfi");
}

TEST(KernelLookup, TakesTheOverloadThatFits) {
  EXPECT_EQ(find({function("_Z10vector_addPfS_S_i"), function("_Z10vector_addPKfS0_Pfi")}),
            "_Z10vector_addPKfS0_Pfi");
}

TEST(KernelLookup, TakesAnExternCKernelByItsNameAlone) {
  EXPECT_EQ(find({function("vector_add")}), "vector_add");
}

TEST(KernelLookup, LooksIntoAnonymousNamespaces) {
  const std::string gcc = "_ZN12_GLOBAL__N_110vector_addEPKfS1_Pfi";
  const std::string nvrtc = "_ZN36_GLOBAL__N__00000000_4_k_cu_bfad495910vector_addEPKfS1_Pfi";
  EXPECT_EQ(find({function(gcc)}), gcc);
  EXPECT_EQ(find({function(nvrtc)}), nvrtc);
}

TEST(KernelLookup, LooksIntoNamedNamespacesAndInstancesOfTemplates) {
  EXPECT_EQ(find({function("_ZN6course10vector_addEPKfS1_Pfi")}), "_ZN6course10vector_addEPKfS1_Pfi");
  EXPECT_EQ(find({function("_Z10vector_addIfEvPKT_S2_PS0_i")}), "_Z10vector_addIfEvPKT_S2_PS0_i");
}

TEST(KernelLookup, TakesTheInstanceOfATemplateThatIsNamed) {
  const std::vector<ElfSymbol> symbols{function("_Z3sumILi32EEvPKiPi"),
                                       function("_ZN6course3sumILi64EEEvPKiPi")};
  EXPECT_EQ(find_kernel_symbol(symbols, "mine.cu", "sum<64>", signature_of<const int*, int*>()),
            "_ZN6course3sumILi64EEEvPKiPi");
}

TEST(KernelLookup, DoesNotMistakeALambdaForTheKernelThatItIsIn) {
  ElfSymbol lambda = function("_ZZ10vector_addPKfS0_PfiENKUliE_clEi");
  lambda.exported = false;
  const std::vector<ElfSymbol> symbols{lambda, function("_Z10vector_addPKfS0_Pfi")};
  EXPECT_EQ(find_kernel_symbol(symbols, "mine.cu", "vector_add", vector_add_signature,
                               LocalFunctions::are_not_kernels),
            "_Z10vector_addPKfS0_Pfi");
}

TEST(KernelLookup, TakesAKernelWithParametersOfTheSameSizes) {
  EXPECT_EQ(find({function("_Z10vector_addPfS_S_i")}), "_Z10vector_addPfS_S_i");          // no const
  EXPECT_EQ(find({function("_Z10vector_addPVKfS0_PVfi")}), "_Z10vector_addPVKfS0_PVfi");  // volatile
  EXPECT_EQ(find({function("_Z10vector_addPKfS0_Pfj")}), "_Z10vector_addPKfS0_Pfj");      // unsigned
}

TEST(KernelLookup, RefusesAParameterOfAnotherSize) {
  EXPECT_TRUE(contains(message_of({function("_Z10vector_addPKfS0_Pfm")}), "your kernel is vector_add("));
  EXPECT_TRUE(contains(message_of({function("_Z10vector_addPKdS0_Pdi")}), "your kernel is vector_add("));
}

TEST(KernelLookup, ComparesEveryTypeThatALessonCanState) {
  const Signature signature = signature_of<const std::uint8_t*, std::uint32_t*, double*, float>();
  EXPECT_EQ(find_kernel_symbol({function("_Z1kPKhPjPdf")}, "mine.cu", "k", signature), "_Z1kPKhPjPdf");
}

TEST(KernelLookup, ShowsBothParameterListsWhenTheyDiffer) {
  EXPECT_EQ(message_of({function("_Z10vector_addPfS_i")}),
            "mine.cu: your kernel is vector_add(float*, float*, int), "
            "the lesson launches vector_add(const float*, const float*, float*, int)");
}

TEST(KernelLookup, ShowsTypesAsTheyAreWritten) {
  EXPECT_TRUE(contains(message_of({function("_Z10vector_addPKPKfRKiPi")}),
                       "vector_add(const float* const*, const int&, int*)"));
}

TEST(KernelLookup, AsksWhetherANearNameIsMeant) {
  EXPECT_EQ(message_of({function("_Z10vectro_addPKfS0_Pfi")}),
            "mine.cu has no kernel vector_add(const float*, const float*, float*, int); "
            "it has vectro_add: is that the one, misspelt?");
}

TEST(KernelLookup, ListsTheKernelsWhenNoNameIsNear) {
  EXPECT_TRUE(message_of({function("_Z6kernelPf"), function("_Z5scalePfi"), function("_init")})
                  .ends_with("; it has kernel, scale"));
}

TEST(KernelLookup, SaysWhenThereIsNoKernelAtAll) {
  EXPECT_TRUE(message_of({}).ends_with("; it has no kernel at all"));
}

TEST(KernelLookup, DoesNotMistakeAVariableOrADeviceFunctionForAKernel) {
  const ElfSymbol variable{.name = "vector_add", .kind = ElfSymbol::Kind::object};
  EXPECT_TRUE(message_of({variable}).ends_with("; it has no kernel at all"));
  EXPECT_TRUE(
      message_of({function("$_Z1kPi$_Z10vector_addPKfS0_Pfi")}).ends_with("; it has no kernel at all"));
}

TEST(KernelLookup, DoesNotReadTheNameOfAnExternCKernelAsAType) {
  EXPECT_EQ(find_kernel_symbol({function("f")}, "mine.cu", "f", vector_add_signature), "f");
}

TEST(KernelLookup, SaysThatAFunctionIsNotAKernel) {
  ElfSymbol local = function("_Z10vector_addPKfS0_Pfi");
  local.exported = false;
  const auto error = thrown<CompileError>([&] {
    find_kernel_symbol({local}, "mine.cu", "vector_add", vector_add_signature,
                       LocalFunctions::are_not_kernels);
  });
  EXPECT_STREQ(error.what(), "mine.cu: vector_add is not a kernel: write __global__ before it");
}

using Kind = ElfSymbol::Kind;

ElfSymbol variable(const std::string& name, const std::string& section = ".bss") {
  return {.name = name, .kind = Kind::object, .bytes = 8, .section = section};
}

std::string explanation_of(const std::vector<ElfSymbol>& symbols, const std::string& name) {
  try {
    return "found " + find_variable(symbols, "mine.cu", name).name;
  } catch (const DeviceError& error) {
    return error.explanation();
  }
}

TEST(VariableLookup, FindsAVariableUnderItsNameInTheSource) {
  EXPECT_EQ(explanation_of({variable("factors")}, "factors"), "found factors");
  EXPECT_EQ(explanation_of({variable("_ZL7factors")}, "factors"), "found _ZL7factors");
  EXPECT_EQ(explanation_of({variable("_ZN5inner7factorsE")}, "inner::factors"), "found _ZN5inner7factorsE");
}

TEST(VariableLookup, LeavesOutAnonymousNamespacesOfEitherCompiler) {
  for (const std::string symbol :
       {"_ZN12_GLOBAL__N_14anonE",
        "_ZN34_INTERNAL_00000000_4_t_cu_052d2be536_GLOBAL__N__00000000_4_t_cu_052d2be54anonE"})
    EXPECT_EQ(explanation_of({variable(symbol)}, "anon"), "found " + symbol);
}

TEST(VariableLookup, IsAnErrorOfTheDeviceWithCudasName) {
  const auto error = thrown<DeviceError>([&] { find_variable({}, "mine.cu", "factors"); });
  EXPECT_EQ(error.call(), "cuModuleGetGlobal");
  EXPECT_EQ(error.name(), "CUDA_ERROR_NOT_FOUND");
}

TEST(VariableLookup, SuggestsTheNearestName) {
  EXPECT_EQ(explanation_of({variable("counter"), variable("factors")}, "fcators"),
            "mine.cu has no variable 'fcators' for the host to copy to; did you mean 'factors'?");
}

TEST(VariableLookup, OffersOnlyVariablesOfTheSourceOutsideFunctions) {
  const ElfSymbol kernel{.name = "_Z5scalePf", .kind = Kind::function, .bytes = 8};
  const ElfSymbol shared{.name = "tile", .kind = Kind::thread_local_object, .bytes = 8};
  const ElfSymbol label{.name = "label", .kind = Kind::object, .bytes = 0};
  EXPECT_EQ(explanation_of({kernel, shared, label, variable("factors"), variable("$str"),
                            variable("DW.ref.__gcc_personality_v0"), variable("__dso_handle"),
                            variable("gpulab_state"), variable("_ZZ5scalePfE4tile"), variable("_ZTV3Cat")},
                           "x"),
            "mine.cu has no variable 'x' for the host to copy to; it has factors");
}

TEST(VariableLookup, SaysHowAVariableIsMadeWhenThereIsNone) {
  EXPECT_EQ(explanation_of({}, "x"),
            "mine.cu has no variable 'x' for the host to copy to; it has none: __constant__ or __device__ "
            "before a variable makes it one");
}

TEST(VariableLookup, AddsUpConstantMemoryOfEitherCompiler) {
  EXPECT_EQ(constant_bytes({variable("a", ".nv.constant3"), variable("b", ".nv.constant3"),
                            variable("c", ".nv.global"), variable("d", ".nv.constant0.kernel")}),
            16u);
  EXPECT_EQ(constant_bytes({variable("a", "gpulab_constant.0"), variable("b", "gpulab_constant.1"),
                            variable("c", ".data")}),
            16u);
}

TEST(KernelName, HasTheArgumentsOfATemplateAndNoParameters) {
  EXPECT_EQ(kernel_name("_Z6reduceILi256EfEvPT0_"), "reduce<256, float>");
  EXPECT_EQ(kernel_name("_ZN12_GLOBAL__N_14fillEPfi"), "fill");
  EXPECT_EQ(kernel_name("plain"), "plain");
}

}  // namespace
}  // namespace gpulab::device
