// expect: does-not-compile
template <int n> struct Tree { static constexpr long value = Tree<n - 1>::value + Tree<n - 2>::value * 3 + Tree<n - 1>::value; };
template <int a, int b> struct Grid { static constexpr long v = Grid<a - 1, b>::v + Grid<a, b - 1>::v; };
__global__ void vector_add_global_index(const float* A, const float* B, float* C, int size) { C[0] = Grid<800, 800>::v; }
