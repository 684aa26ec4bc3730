#include "base/error.hpp"
#include "cli/options.hpp"
#include "lesson/arrays.hpp"
#include "lesson/lesson.hpp"
#include "matmul/by_size.hpp"
#include "matmul/reference.hpp"
#include "run/lesson_cases.hpp"
#include "test.hpp"

// Tests properties of every matrix product, however it is computed.

namespace gpulab::lessons::matmul {
namespace matmul_test {

using Multiply = void (*)(Sizes, std::span<const float>, std::span<const float>, std::span<float>);

struct Matrix {
  std::size_t rows, columns;
  std::vector<float> values;

  float at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

Matrix noise(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix matrix{rows, columns, std::vector<float>(rows * columns)};
  for (std::size_t i = 0; i < matrix.values.size(); ++i) matrix.values[i] = 2 * random_float(seed, i) - 1;
  return matrix;
}

Matrix identity(std::size_t size) {
  Matrix matrix{size, size, std::vector<float>(size * size)};
  for (std::size_t i = 0; i < size; ++i) matrix.values[i * size + i] = 1;
  return matrix;
}

Matrix transposed(const Matrix& matrix) {
  Matrix turned{matrix.columns, matrix.rows, {}};
  for (std::size_t row = 0; row < turned.rows; ++row)
    for (std::size_t column = 0; column < turned.columns; ++column)
      turned.values.push_back(matrix.at(column, row));
  return turned;
}

void expect_close(const Matrix& actual, const Matrix& expected) {
  ASSERT_EQ(actual.values.size(), expected.values.size());
  for (std::size_t i = 0; i < actual.values.size(); ++i)
    ASSERT_NEAR(actual.values[i], expected.values[i], 1e-3) << i;
}

class MatmulReference : public testing::TestWithParam<Multiply> {
 protected:
  static Matrix product(const Matrix& A, const Matrix& B) {
    Matrix C{A.rows, B.columns, std::vector<float>(A.rows * B.columns, -1)};
    GetParam()({A.rows, B.columns, A.columns}, A.values, B.values, C.values);
    return C;
  }
};

INSTANTIATE_TEST_SUITE_P(Both, MatmulReference, testing::Values(&multiply, &multiply_openmp),
                         [](const auto& info) { return info.index == 0 ? "Plain" : "OpenMP"; });

// Sizes that fill no tile, and some that fill them.
constexpr Sizes several_sizes[] = {{1, 1, 1},   {3, 5, 7},     {4, 32, 256},   {129, 33, 257},
                                   {1, 100, 2}, {130, 1, 300}, {121, 257, 513}};

TEST_P(MatmulReference, TimesTheIdentityIsTheMatrixItself) {
  for (const auto& [m, n, k] : several_sizes) {
    const Matrix A = noise(m, n, k);
    EXPECT_EQ(product(A, identity(n)).values, A.values);
    EXPECT_EQ(product(identity(m), A).values, A.values);
  }
}

TEST_P(MatmulReference, IsAssociative) {
  for (const auto& [m, n, k] : several_sizes) {
    const Matrix A = noise(m, k, 1), B = noise(k, n, 2), C = noise(n, 19, 3);
    expect_close(product(product(A, B), C), product(A, product(B, C)));
  }
}

TEST_P(MatmulReference, TransposedIsTheProductOfTheTransposesInReverseOrder) {
  for (const auto& [m, n, k] : several_sizes) {
    const Matrix A = noise(m, k, 4), B = noise(k, n, 5);
    expect_close(transposed(product(A, B)), product(transposed(B), transposed(A)));
  }
}

TEST(MatmulReferences, Agree) {
  for (const Sizes& sizes : several_sizes) {
    const Matrix A = noise(sizes.m, sizes.k, 6), B = noise(sizes.k, sizes.n, 7);
    Matrix plain{sizes.m, sizes.n, std::vector<float>(sizes.m * sizes.n)}, openmp = plain;
    multiply(sizes, A.values, B.values, plain.values);
    multiply_openmp(sizes, A.values, B.values, openmp.values);
    expect_close(openmp, plain);
  }
}

constexpr std::size_t shared_bytes_of_sm_90 = 232448, shared_bytes_of_sm_86 = 101376;

// Returns the choice for a GPU with 132 multiprocessors.
TileChoice chosen(std::size_t m, std::size_t n, std::size_t k) {
  return tile_by_size(m, n, k, 132, shared_bytes_of_sm_90);
}

TEST(MatmulBySize, TakesOnlyTilesThatFitInSharedMemory) {
  for (const std::size_t side : {1, 100, 512, 1000, 1024, 1536, 4096}) {
    const TileChoice choice = tile_by_size(side, side, side, 84, shared_bytes_of_sm_86);
    EXPECT_GT(choice.blocks, 0u) << side;
    EXPECT_LE(choice.tile.shared_bytes(), shared_bytes_of_sm_86) << side;
  }
  EXPECT_GT(chosen(1024, 1024, 1024).tile.shared_bytes(), shared_bytes_of_sm_86);
}

TEST(MatmulBySize, TakesTheSmallestTilesForSmallMatrices) {
  for (const std::size_t side : {64, 100, 256, 512}) {
    EXPECT_EQ(chosen(side, side, side).tile.rows, 32u) << side;
    EXPECT_FALSE(chosen(side, side, side).blocks_share_tiles) << side;
  }
}

TEST(MatmulBySize, TakesTilesSuchThatThereIsAboutOneForEachMultiprocessor) {
  const TileChoice choice = chosen(1024, 1024, 1024);
  EXPECT_EQ(choice.tile.rows, 128u);
  EXPECT_EQ(choice.blocks, 128u);
  EXPECT_FALSE(choice.blocks_share_tiles);
}

TEST(MatmulBySize, SharesLargeTilesThatDoNotDivideEvenly) {
  for (const std::size_t side : {3000, 4096, 8192}) {
    EXPECT_GE(chosen(side, side, side).tile.rows, 192u) << side;
    EXPECT_EQ(chosen(side, side, side).blocks, 132u) << side;
    EXPECT_TRUE(chosen(side, side, side).blocks_share_tiles) << side;
  }
}

TEST(MatmulBySize, LetsEquallyManyBlocksShareEachOfAFewTiles) {
  const TileChoice choice = chosen(64, 64, 8192);
  EXPECT_EQ(choice.blocks, 132u);  // 33 for each of 4 tiles
  EXPECT_TRUE(choice.blocks_share_tiles);
}

TEST(MatmulBySize, SharesTilesOnlyAmongBlocksThatAllHaveWork) {
  for (const std::size_t m : {1, 32, 100, 1023, 4096})
    for (const std::size_t n : {1, 64, 127, 4096})
      for (const std::size_t k : {1, 63, 512, 65536, 1 << 24}) {
        const TileChoice choice = chosen(m, n, k);
        const TileShape& tile = choice.tile;
        const std::size_t slabs = ceil_div(k, tile.depth(n % 4 == 0 && k % 4 == 0));
        const std::size_t tiles = std::size_t{ceil_div(m, tile.rows)} * ceil_div(n, tile.columns);
        const std::string size = grouped(m) + ", " + grouped(n) + ", " + grouped(k);
        EXPECT_LE(choice.blocks, tiles * slabs) << size;
        if (choice.blocks_share_tiles)
          EXPECT_LE(choice.blocks, 132u) << size;
        else
          EXPECT_EQ(choice.blocks, tiles) << size;
      }
}

TEST(MatmulBySize, HasAKernelForEveryTile) {
  std::string text;
  for (const EmbeddedFile& file : embedded_kernels())
    if (std::string(file.name) == "matmul_by_size.cu") text = file.text;
  for (const std::size_t side : {64, 512, 576, 640, 768, 896, 1024, 1900, 2048, 4096})
    for (const bool aligned : {true, false}) {
      const std::string kernel = chosen(side, side, side).tile.kernel(aligned);
      EXPECT_NE(text.find("void " + kernel + "("), std::string::npos) << kernel;
    }
}

TEST(MatmulLesson, RefusesMatricesThatAnIntCannotCount) {
  const Lesson lesson = cli::find_lesson("matmul");
  Settings settings{.options = run::default_values(lesson)};
  EXPECT_NO_THROW(lesson.problem(settings));
  settings.options["m"] = settings.options["n"] = std::uint64_t{65535};
  EXPECT_THROW(lesson.problem(settings), UsageError);
}

}  // namespace matmul_test
}  // namespace gpulab::lessons::matmul
