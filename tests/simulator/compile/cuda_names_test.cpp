#include <algorithm>
#include <map>

#include "kernels/cuda_names.hpp"
#include "simulator/compile/compiler.hpp"
#include "simulator/simulator_fixture.hpp"

namespace gpulab::simulator::compile {
namespace {

TEST(CudaNames, AreAllInTheTableOfTheDocumentation) {
  const std::vector<NamesRow> table = names_table();
  ASSERT_GT(cuda_names().size(), 700u);
  for (const Prototype& prototype : cuda_names())
    EXPECT_NE(numbers_of(table, prototype.name), "") << prototype.name;
}

TEST(CudaNames, AreBehindEveryNameInTheTableOfTheDocumentation) {
  const std::vector<Prototype> names = cuda_names();
  for (const NamesRow& row : names_table())
    for (const std::string& pattern : row.patterns)
      EXPECT_TRUE(std::ranges::any_of(names, [&](const Prototype& one) { return fits(pattern, one.name); }))
          << pattern;
}

class CudaNamesOnSimulator : public SimulatorTest {};

// A file that uses one name is given only the parts of the prelude that are for it.
TEST_P(CudaNamesOnSimulator, AreThereAlsoWhereTheyStandAlone) {
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
