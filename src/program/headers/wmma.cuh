// For: include_mma_h
// Matrices of tensor cores (mma.h). A warp holds a fragment: element i of lane l is number 32 i + (l ^ 1) in the order of
// its layout, so that each request is for neighbouring elements, as on a GPU. There the mapping differs, and programs must not depend on it. So no lane has the elements of the simplest
// mapping, and a missing barrier after a store is found. Products are exact in float32. Sums are added in another order
// than in a tensor core.
extern "C" [[noreturn]] void gpulab_assertion_failed(const char* condition, int line);
namespace nvcuda {
namespace wmma {

#define GPULAB_LINE int line = __builtin_LINE()

enum layout_t { mem_row_major, mem_col_major };
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}

template <class Element> struct gpulab_element {
  using stored = Element;
  using sum = float;
};
template <> struct gpulab_element<precision::tf32> {
  using stored = float;
  using sum = float;
};
template <> struct gpulab_element<signed char> {
  using stored = signed char;
  using sum = int;
};
template <> struct gpulab_element<unsigned char> {
  using stored = unsigned char;
  using sum = int;
};
template <> struct gpulab_element<int> {
  using stored = int;
  using sum = int;
};
template <> struct gpulab_element<double> {
  using stored = double;
  using sum = double;
};

template <class Use, int m, int n, int k> struct gpulab_shape {
  static constexpr int rows = m, columns = n;
};
template <int m, int n, int k> struct gpulab_shape<matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k> struct gpulab_shape<matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};

template <class Use, int m, int n, int k, class Element, class Layout = void>
class fragment : public gpulab_shape<Use, m, n, k> {
 public:
  using element_type = Element;
  using storage_element_type = typename gpulab_element<Element>::stored;
  static constexpr bool is_by_columns = __is_same(Layout, col_major);
  static constexpr int line_length =
      is_by_columns ? gpulab_shape<Use, m, n, k>::rows : gpulab_shape<Use, m, n, k>::columns;
  static constexpr int num_elements = gpulab_shape<Use, m, n, k>::rows * gpulab_shape<Use, m, n, k>::columns / 32;
  static_assert(GPULAB_WARP_SIZE == 32, "tensor cores work on warps of 32 lanes");
  static_assert((m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
                    (m == 8 && n == 32 && k == 16) || (m == 8 && n == 8 && k == 4),
                "fragments are 16 x 16 x 16, 32 x 8 x 16, 8 x 32 x 16, 16 x 16 x 8 (tf32) or 8 x 8 x 4 (double)");

  storage_element_type x[num_elements];
};

// Waits for all lanes of the warp. Each lane reads the next one's line, which differs if that lane has returned.
GPULAB_INTRINSIC void gpulab_need_all_lanes(int line) {
  const int of_next = int(gpulab_shuffle(~gpulab_lane_mask(0), line, (gpulab_lane() + 1) % warpSize, line));
  if (of_next != line) gpulab_assertion_failed("all lanes of the warp are at this operation", line);
  asm volatile("" ::: "memory");
}

// Requires that a matrix begins at a multiple of 16 bytes, and so do its rows or columns. GPUs take such a matrix, though
// it has to begin at a multiple of 32: so that is a note (schedule/hooks.cpp). The compiler checks the alignment of what a reference is bound to.
struct alignas(32) matrix_in_memory { char first; };
struct alignas(16) second_row_in_memory { char first; };
template <class T>
GPULAB_INTRINSIC void gpulab_need_alignment(const T* matrix, unsigned leading) {
  const auto& begin = *(const matrix_in_memory*)matrix;
  const auto& second_row = *(const second_row_in_memory*)(matrix + leading);
  (void)begin, (void)second_row;
}

// Returns the number of an element of this lane: in the order of a matrix's layout, by rows in an accumulator.
GPULAB_INTRINSIC int gpulab_number(int element) { return 32 * element + int(gpulab_lane() ^ 1); }

template <class Fragment>
GPULAB_INTRINSIC long gpulab_offset(int element, bool is_row_major, unsigned leading) {
  const int number = gpulab_number(element);
  const long row = number / Fragment::columns, column = number % Fragment::columns;
  return is_row_major ? row * leading + column : column * leading + row;
}

template <class Use, int m, int n, int k, class Element, class Layout, class Value>
GPULAB_INTRINSIC void fill_fragment(fragment<Use, m, n, k, Element, Layout>& to, const Value& value) {
  for (auto& element : to.x) element = value;
}

template <class Use, int m, int n, int k, class Element, class Layout, class Source>
GPULAB_INTRINSIC void load_matrix_sync(fragment<Use, m, n, k, Element, Layout>& to, const Source* from,
                                       unsigned leading, GPULAB_LINE) {
  gpulab_need_all_lanes(line);
  gpulab_need_alignment(from, leading);
  for (int i = 0; i < to.num_elements; ++i)
    to.x[i] = from[long(gpulab_number(i) / to.line_length) * leading + gpulab_number(i) % to.line_length];
}
template <int m, int n, int k, class Element>
GPULAB_INTRINSIC void load_matrix_sync(fragment<accumulator, m, n, k, Element>& to, const Element* from,
                                       unsigned leading, layout_t layout, GPULAB_LINE) {
  gpulab_need_all_lanes(line);
  gpulab_need_alignment(from, leading);
  for (int i = 0; i < to.num_elements; ++i)
    to.x[i] = from[gpulab_offset<fragment<accumulator, m, n, k, Element>>(i, layout == mem_row_major, leading)];
}
template <int m, int n, int k, class Element>
GPULAB_INTRINSIC void store_matrix_sync(Element* to, const fragment<accumulator, m, n, k, Element>& from,
                                        unsigned leading, layout_t layout, GPULAB_LINE) {
  gpulab_need_all_lanes(line);
  gpulab_need_alignment(to, leading);
  for (int i = 0; i < from.num_elements; ++i)
    to[gpulab_offset<fragment<accumulator, m, n, k, Element>>(i, layout == mem_row_major, leading)] = from.x[i];
}

// Rounds to tf32, with 10 bits of fraction; ties away from zero.
GPULAB_INTRINSIC float __float_to_tf32(float x) {
  if (!(x - x == 0)) return x;
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

// Lanes read each other's fragments without hooks, since a fragment is in registers. gpulab_put writes to a variable of
// another lane, and gpulab_operand returns an element from the lane that holds it.
template <class T>
GPULAB_LOCAL void gpulab_put(T* to, T value) { *to = value; }
template <class Sum, class Fragment>
GPULAB_LOCAL Sum gpulab_operand(const Fragment* const* of_lanes, int row, int column) {
  const int number = Fragment::is_by_columns ? column * Fragment::rows + row : row * Fragment::columns + column;
  typename Fragment::storage_element_type value;
  __builtin_memcpy(&value, &of_lanes[number % 32 ^ 1]->x[number / 32], sizeof value);
  if constexpr (__is_same(typename Fragment::element_type, precision::tf32))
    return __uint_as_float(__float_as_uint(value) & ~0x1fffu);
  else
    return Sum(value);
}

template <int m, int n, int k, class Result, class A, class LayoutOfA, class LayoutOfB, class Addend>
GPULAB_INTRINSIC void mma_sync(fragment<accumulator, m, n, k, Result>& d,
                               const fragment<matrix_a, m, n, k, A, LayoutOfA>& a,
                               const fragment<matrix_b, m, n, k, A, LayoutOfB>& b,
                               const fragment<accumulator, m, n, k, Addend>& c, bool = false, GPULAB_LINE) {
  using Sum = typename gpulab_element<A>::sum;
  constexpr gpulab_lane_mask all = ~gpulab_lane_mask(0);
  struct {
    const fragment<matrix_a, m, n, k, A, LayoutOfA>* a[32];
    const fragment<matrix_b, m, n, k, A, LayoutOfB>* b[32];
  } mine, *const of_warp = gpulab_of_bits<decltype(&mine)>(gpulab_shuffle(all, gpulab_bits(&mine), 0, line));
  gpulab_put(&of_warp->a[gpulab_lane()], &a);
  gpulab_put(&of_warp->b[gpulab_lane()], &b);
  gpulab_need_all_lanes(line);
  Sum sums[d.num_elements];
  for (int i = 0; i < d.num_elements; ++i) {
    const int row = gpulab_number(i) / n, column = gpulab_number(i) % n;
    sums[i] = Sum(c.x[i]);
    for (int j = 0; j < k; ++j)
      sums[i] += gpulab_operand<Sum>(of_warp->a, row, j) * gpulab_operand<Sum>(of_warp->b, j, column);
  }
  gpulab_need_all_lanes(line);  // others read what this lane may change now
  for (int i = 0; i < d.num_elements; ++i) d.x[i] = Result(sums[i]);
}

#undef GPULAB_LINE

}  // namespace wmma
}  // namespace nvcuda
