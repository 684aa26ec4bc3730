#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab {
namespace primes_test {

// Returns the number of primes below the size, as the reference of the lesson counts them.
double primes_below(std::size_t size) {
  const Lesson lesson = cli::find_lesson("primes");
  const Problem problem = lesson.problem({.size = size});
  const Inputs inputs(problem.arrays);
  Outputs outputs(problem.arrays);
  problem.references.openmp(inputs, outputs);
  return problem.findings(inputs, outputs).figures.at(0).value;
}

TEST(Primes, AreAsManyAsInPublishedTables) {
  EXPECT_EQ(primes_below(1), 0);
  EXPECT_EQ(primes_below(3), 1);
  EXPECT_EQ(primes_below(10'000), 1229);
  EXPECT_EQ(primes_below(100'000), 9592);
}

}  // namespace primes_test
}  // namespace gpulab
