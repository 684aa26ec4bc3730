#include <fmt/format.h>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "program/runtime/dense_matrix.hpp"

// cuBLAS: the headers describe each call as one of a few operations on matrices (headers/cublas.cuh).

namespace gpulab::program::runtime {
namespace {

bool updates_a(const gpulab_blas_work& work) {
  return work.operation == gpulab_swap || work.operation == gpulab_rotation;
}

// ---- Computing --------------------------------------------------------------------------------------------

template <class T>
DenseMatrix<T> product(const DenseMatrix<T>& a, const DenseMatrix<T>& b) {
  constexpr long long block = 64;  // so that a part of a stays in the cache
  DenseMatrix<T> c(a.rows, b.columns);
  for (long long begin = 0; begin < a.columns; begin += block)
    for (long long j = 0; j < b.columns; ++j)
      for (long long k = std::max(begin, first_row(b, j)); k < std::min(begin + block, end_row(b, j)); ++k) {
        T* const to = c.elements.data() + j * c.rows;
        const T* const from = a.elements.data() + k * a.rows;
        const T factor = b(k, j);
        for (long long i = first_row(a, k); i < end_row(a, k); ++i) to[i] += times(from[i], factor);
      }
  return c;
}

// Returns the solution of a x = b, for a triangular matrix.
template <class T>
DenseMatrix<T> solution(const DenseMatrix<T>& a, DenseMatrix<T> x) {
  for (long long j = 0; j < x.columns; ++j)
    for (long long step = 0; step < a.rows; ++step) {
      const long long k = a.above == 0 ? step : a.rows - 1 - step;
      x(k, j) /= a(k, k);
      for (long long i = first_row(a, k); i < end_row(a, k); ++i)
        if (i != k) x(i, j) -= times(a(i, k), x(k, j));
    }
  return x;
}

Complex reduction(gpulab_blas_operation operation, const std::vector<Complex>& x,
                  const std::vector<Complex>& y) {
  // BLAS takes this for the size of a complex number.
  const auto size_of = [](Complex number) { return std::abs(number.real()) + std::abs(number.imag()); };
  Complex sum = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (operation == gpulab_dot_product) sum += times(x[i], y[i]);
    if (operation == gpulab_nrm2) sum += std::norm(x[i]);
    if (operation == gpulab_asum) sum += size_of(x[i]);
    const double difference = size_of(x[i]) - size_of(x[found]);
    if (operation == gpulab_iamax ? difference > 0 : difference < 0) found = i;
  }
  // BLAS counts elements from 1.
  if (operation >= gpulab_iamax) return x.empty() ? 0.0 : static_cast<double>(found + 1);
  return operation == gpulab_nrm2 ? std::sqrt(sum.real()) : sum;
}

// Values for a, b and c: whether each is read, and its address.
using Reads = std::array<bool, 3>;
using Addresses = std::array<std::uintptr_t, 3>;

template <class T>
void compute(const gpulab_blas_work& work, T alpha, T beta, const Reads& reads, const Addresses& addresses) {
  DenseMatrix<T> a(work.a, addresses[0], reads[0]), b(work.b, addresses[1], reads[1]),
      c(work.c, addresses[2], reads[2]);
  const auto combine = [&](T x_factor, const DenseMatrix<T>& x, T y_factor, const DenseMatrix<T>& y) {
    for (std::size_t i = 0; i < c.elements.size(); ++i)
      c.elements[i] = (x_factor == T() ? T() : times(x_factor, x.elements[i])) +
                      (y_factor == T() ? T() : times(y_factor, y.elements[i]));
  };
  if (work.operation == gpulab_product) {
    combine(alpha, product(a, b), beta, c);
  } else if (work.operation == gpulab_trsm) {
    const bool triangular_on_right = work.b.shape == gpulab_triangular;
    combine(alpha,
            triangular_on_right ? solution(b.transposed(), a.transposed()).transposed() : solution(a, b), T(),
            c);
  } else if (work.operation == gpulab_sum) {
    combine(alpha, a, beta, b);
  } else if (work.operation == gpulab_swap) {
    std::swap(a, c);
  } else {
    for (std::size_t i = 0; i < c.elements.size(); ++i) {
      const T x = a.elements[i], y = c.elements[i];
      a.elements[i] = times(alpha, x) + times(beta, y);
      c.elements[i] = times(alpha, y) - times(conjugate(beta), x);
    }
  }
  if (updates_a(work)) a.write_to(work.a, addresses[0]);
  c.write_to(work.c, addresses[2]);
}

// ---- Checking ---------------------------------------------------------------------------------------------

// Returns what is wrong with the arguments for a matrix; empty if nothing is.
std::string reason_to_refuse(const gpulab_matrix& matrix, gpulab_blas_operation operation) {
  if (!matrix.name) return "";
  const std::string name = matrix.name;
  if (matrix.operation < 0 || matrix.operation > 3)
    return "an argument for " + name + " is none of its enumeration's values";
  if (matrix.rows < 0 || matrix.columns < 0) return "a size of " + name + " is negative";
  const bool is_diagonal = matrix.below == 0;
  if (matrix.shape == gpulab_vector && matrix.ld == 0 && !is_diagonal && operation <= gpulab_trsm)
    return "the increment of " + name + " is 0";
  if (matrix.shape == gpulab_vector || matrix.ld >= std::max(1LL, matrix.rows)) return "";
  return fmt::format("the leading dimension of {} is {}, and {} has {} rows", name, matrix.ld, name,
                     matrix.rows);
}

// Returns whether cuBLAS multiplies these types: all of one type, or as the table of cublasGemmEx has it.
bool is_supported(const gpulab_blas_work& work) {
  const int a = work.a.type, c = work.c.type, scalar = work.alpha.type;
  for (const gpulab_matrix* matrix : {&work.a, &work.b, &work.c})
    if (matrix->name && (bytes_of(matrix->type) == 0 || (matrix != &work.c && matrix->type != a)))
      return false;
  if (scalar < 0 || work.operation >= gpulab_dot_product) return true;
  const bool is_narrow = a == CUDA_R_16F || a == CUDA_R_16BF;
  if (scalar == CUDA_R_32I) return a == CUDA_R_8I && c == CUDA_R_32I;
  if (scalar == CUDA_R_32F && (is_narrow || a == CUDA_R_8I)) return c == CUDA_R_32F || (is_narrow && c == a);
  const bool is_double = a == CUDA_R_64F || a == CUDA_C_64F;
  return a == c && bytes_of(scalar) > 0 && (a == CUDA_R_16F) == (scalar == CUDA_R_16F) && a != CUDA_R_8I &&
         a != CUDA_R_32I && is_double == (scalar == CUDA_R_64F || scalar == CUDA_C_64F);
}

// A call of cuBLAS, which is checked and then queued.
class BlasCall {
 public:
  BlasCall(const Call& call, const gpulab_blas_work& work, const gpulab_library& library)
      : call_(call),
        work_(work),
        library_(library),
        batch_(static_cast<std::size_t>(std::max(0, work.batch))) {}

  gpulab_status run() {
    for (const gpulab_matrix* matrix : {&work_.a, &work_.b, &work_.c})
      if (const std::string why = reason_to_refuse(*matrix, work_.operation); !why.empty())
        return refuse(why);
    if (work_.batch < 0) return refuse("the number of matrices is negative");
    if (!is_supported(work_)) return not_supported(call_, "it is not offered for these types of numbers");
    // Earlier work of the stream may write the numbers and the pointers that the call is given.
    Stream* const stream = call_.runtime().stream(library_.stream);
    if (stream && (is_on_device() || work_.c.stride == gpulab_by_pointers))
      call_.runtime().run_device_work([&] { stream->queue->run(); });
    const auto alpha = value_of(work_.alpha, "alpha"), beta = value_of(work_.beta, "beta");
    if (!alpha || !beta) return gpulab_bad_value;
    const bool is_sum = work_.operation == gpulab_sum;
    const Reads reads = {*alpha != 0.0 || updates_a(work_), (is_sum ? *beta : *alpha) != 0.0,
                         updates_a(work_) || (*beta != 0.0 && !is_sum)};
    if (!add_operands(work_.a, 0, reads[0], updates_a(work_)) ||
        !add_operands(work_.b, 1, reads[1], /*is_written=*/false) ||
        !add_operands(work_.c, 2, reads[2], /*is_written=*/true))
      return gpulab_not_done;
    if (work_.operation >= gpulab_dot_product) return reduce();
    return queue_work(call_, library_.stream, operands_,
                      [work = work_, batch = batch_, alpha = *alpha, beta = *beta, reads] {
                        const int type = work.c.type;
                        for (const Addresses& addresses : batch)
                          if (type == CUDA_C_32F || type == CUDA_C_64F)
                            compute<Complex>(work, alpha, beta, reads, addresses);
                          else
                            compute<double>(work, alpha.real(), beta.real(), reads, addresses);
                      });
  }

 private:
  bool is_on_device() const { return library_.pointer_mode != 0; }

  gpulab_status refuse(const std::string& why) {
    call_.defect(cudaErrorInvalidValue, "invalid-argument",
                 std::string(call_.name()) + " does nothing: " + why);
    return gpulab_bad_value;
  }

  // Reads a scalar of the call; none if there is something wrong with its address.
  std::optional<Complex> value_of(const gpulab_scalar& scalar, const char* name) {
    if (scalar.type < 0) return scalar.value;
    if (!can_use(scalar, name, /*is_read=*/true)) return std::nullopt;
    Complex value;
    call_.runtime().run_device_work([&] { value = loaded(address_of(scalar.address), scalar.type); });
    return value;
  }

  // Checks the address of a scalar against the pointer mode.
  bool can_use(const gpulab_scalar& scalar, const char* name, bool is_read) {
    const auto begin = address_of(scalar.address);
    if (!begin) {
      refuse(std::string(name) + " is a null pointer");
      return false;
    }
    if (is_on_device()) {
      operands_.push_back({name, bytes_of(scalar.type), is_read, !is_read});
      operands_.back().add(begin);
      return !report_unusable(call_, operands_.back());
    }
    return !runtime::report_device_pointer(
        call_, scalar.address, name,
        "cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) before, or a pointer to a variable of the host");
  }

  // Adds a batch's matrices to the operands and notes their addresses. Returns false for unusable pointers.
  bool add_operands(const gpulab_matrix& matrix, std::size_t index, bool is_read, bool is_written) {
    if (!matrix.name) return true;
    const auto begin = address_of(matrix.data);
    const auto stride = static_cast<std::uintptr_t>(matrix.stride) * bytes_of(matrix.type);
    if (matrix.stride == gpulab_by_pointers) {
      operands_.push_back({matrix.name, sizeof begin, /*is_read=*/true, /*is_written=*/false});
      for (std::size_t i = 0; i < batch_.size(); ++i) operands_.back().add(begin + i * sizeof begin);
      if (report_unusable(call_, operands_.back())) return false;
    }
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      std::uintptr_t& address = batch_[i][index];
      address = begin + i * stride;
      if (matrix.stride == gpulab_by_pointers)
        call_.runtime().run_device_work([&] { address = reinterpret_cast<const std::uintptr_t*>(begin)[i]; });
      operands_.push_back({matrix.name, bytes_of(matrix.type), is_read, is_written});
      const auto add_element = [&](long long, long long, std::uintptr_t element) {
        operands_.back().add(element);
      };
      if (is_read || is_written) for_each_stored(matrix, address, add_element);
    }
    return true;
  }

  // Queues a reduction to one number. In the host pointer mode, the call waits for the result.
  gpulab_status reduce() {
    if (!can_use(work_.result, "result", /*is_read=*/false)) return gpulab_not_done;
    const auto value = std::make_shared<Complex>();
    const auto store_result = [result = work_.result, value] {
      store(address_of(result.address), result.type, *value);
    };
    const auto compute = [work = work_, addresses = batch_[0], value, store_result,
                          is_on_device = is_on_device()] {
      const DenseMatrix<Complex> x(work.a, addresses[0], /*is_read=*/true),
          y(work.b, addresses[1], /*is_read=*/true);
      *value = reduction(work.operation, x.elements, y.elements);
      if (is_on_device) store_result();
    };
    const gpulab_status status = queue_work(call_, library_.stream, operands_, compute);
    if (status != gpulab_done || is_on_device()) return status;
    call_.with(library_.stream, [&](Stream& stream) { return call_.runtime().synchronize(stream); });
    store_result();
    return gpulab_done;
  }

  const Call& call_;
  const gpulab_blas_work& work_;
  const gpulab_library& library_;
  std::vector<Operand> operands_;
  std::vector<Addresses> batch_;
};

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
extern "C" gpulab_status gpulab_blas(const gpulab_blas_work* work) {
  Call call(work->call, __builtin_return_address(0), __builtin_frame_address(0));
  if (call.pending_error()) return gpulab_not_done;
  const auto* const library = library_at(call, work->handle);
  return library ? BlasCall(call, *work, *library).run() : gpulab_no_handle;
}
#pragma GCC visibility pop
