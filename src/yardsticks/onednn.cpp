#include <dnnl.h>
#include <iterator>
#include <stdexcept>
#include <string>

#include "yardsticks/call.hpp"

namespace gpulab::yardsticks {
namespace {

// Row-major C = A B in float32, on all cores. The first call generates code for this CPU's vectors.
class DnnlSgemm : public HostCall {
 public:
  DnnlSgemm(void* const* arguments, void*)
      : a_(argument<const float*>(arguments, 0)),
        b_(argument<const float*>(arguments, 1)),
        c_(argument<float*>(arguments, 2)),
        m_(argument<int>(arguments, 3)),
        n_(argument<int>(arguments, 4)),
        k_(argument<int>(arguments, 5)) {}

  void enqueue(void*) {
    if (dnnl_sgemm('N', 'N', m_, n_, k_, 1, a_, k_, b_, n_, 0, c_, n_) != dnnl_success)
      throw std::runtime_error("dnnl_sgemm failed");
  }

 private:
  const float *a_, *b_;
  float* c_;
  int m_, n_, k_;
};

const GpulabYardstick offered[] = {
    host_yardstick<DnnlSgemm>("onednn-sgemm", "(const float*, const float*, float*, int, int, int)"),
};

}  // namespace
}  // namespace gpulab::yardsticks

extern "C" __attribute__((visibility("default"))) GpulabYardsticks gpulab_yardsticks() {
  using namespace gpulab::yardsticks;
  const dnnl_version_t& version = *dnnl_version();
  static const std::string library = "oneDNN " + std::to_string(version.major) + "." +
                                     std::to_string(version.minor) + "." + std::to_string(version.patch);
  return {library.c_str(), offered, static_cast<int>(std::size(offered))};
}
