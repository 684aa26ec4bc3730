#include "device/symbols.hpp"

#include <gtest/gtest.h>

#include "device/device.hpp"

namespace gpulab::device {
namespace {

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
  try {
    find_variable({}, "mine.cu", "factors");
    FAIL() << "found";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.call(), "cuModuleGetGlobal");
    EXPECT_EQ(error.name(), "CUDA_ERROR_NOT_FOUND");
  }
}

TEST(VariableLookup, SuggestsTheNearestName) {
  EXPECT_EQ(explanation_of({variable("counter"), variable("factors")}, "fcators"),
            "mine.cu has no variable 'fcators' for the host to copy to; did you mean 'factors'?");
}

TEST(VariableLookup, OffersOnlyWhatSomebodyWroteOutsideAFunction) {
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

}  // namespace
}  // namespace gpulab::device
