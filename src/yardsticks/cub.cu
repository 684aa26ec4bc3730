#include <cub/version.cuh>

#include "yardsticks/cub_histogram.cuh"
#include "yardsticks/cub_reduce.cuh"
#include "yardsticks/cub_transform.cuh"

namespace {

using namespace gpulab::yardsticks;

const std::string library = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                            std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION);

const GpulabYardstick offered[] = {
    yardstick<CubHistogramEven>("cub-histogram-even", "(const int*, int*, int)"),
    yardstick<CubReduceSum>("cub-reduce", "(const float*, float*, int)"),
    yardstick<CubTransformAdd>("cub-transform", "(const float*, const float*, float*, int)"),
    yardstick<CubTransformAddAndMultiply>("cub-transform-factors",
                                          "(const float*, const float*, const float*, float*, int)"),
};

}  // namespace

extern "C" __attribute__((visibility("default"))) GpulabYardsticks gpulab_yardsticks() {
  return {library.c_str(), offered, static_cast<int>(std::size(offered))};
}
