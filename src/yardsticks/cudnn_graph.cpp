#include "yardsticks/cudnn_graph.hpp"

#include <algorithm>

namespace gpulab::yardsticks {
namespace {

// Identifiers of the arrays in a plan.
constexpr std::int64_t image_id = 1, filter_id = 2, output_id = 3;

Descriptor tensor(std::int64_t id, int height, int width) {
  constexpr std::int64_t alignment_bytes = 16;
  Descriptor described(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const std::int64_t rows = height, columns = width;
  described.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment_bytes)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::vector<std::int64_t>{1, 1, rows, columns})
      .set(CUDNN_ATTR_TENSOR_STRIDES, std::vector<std::int64_t>{rows * columns, rows * columns, columns, 1})
      .finalize();
  return described;
}

Descriptor same_size_convolution(int filter_height, int filter_width) {
  const std::vector<std::int64_t> ones{1, 1}, padding{filter_height / 2, filter_width / 2};
  Descriptor described(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  described.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2})
      .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
      .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding)
      .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding)
      .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, ones)
      .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, ones)
      .finalize();
  return described;
}

}  // namespace

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cudnnGetErrorString(status));
}

Descriptor& Descriptor::set(Name name, cudnnBackendAttributeType_t type, std::size_t count,
                            const void* values) {
  check(cudnnBackendSetAttribute(value_, name, type, static_cast<std::int64_t>(count), values),
        "cudnnBackendSetAttribute");
  return *this;
}

std::int64_t Descriptor::get(Name name, cudnnBackendAttributeType_t type, std::int64_t max,
                             void* values) const {
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(value_, name, type, max, &count, values), "cudnnBackendGetAttribute");
  return std::min(count, max);
}

std::vector<Descriptor> Descriptor::get(Name name, cudnnBackendDescriptorType_t type,
                                        std::int64_t max) const {
  std::vector<Descriptor> descriptors;
  std::vector<cudnnBackendDescriptor_t> values;
  while (max > static_cast<std::int64_t>(values.size()))
    values.push_back(descriptors.emplace_back(type).get());
  const std::int64_t count = get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, max, values.data());
  while (count < static_cast<std::int64_t>(descriptors.size())) descriptors.pop_back();
  return descriptors;
}

std::int64_t Descriptor::count(Name name) const {
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(value_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
        "cudnnBackendGetAttribute");
  return count;
}

ConvolutionGraph::ConvolutionGraph(cudnnHandle_t handle, const ConvolvedImage& image)
    : image_(tensor(image_id, image.height, image.width)),
      filter_(tensor(filter_id, image.filter_height, image.filter_width)),
      output_(tensor(output_id, image.height, image.width)),
      convolution_(same_size_convolution(image.filter_height, image.filter_width)),
      operation_(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR),
      graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
  operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, image_)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, filter_)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, output_)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution_)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f)
      .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f)
      .finalize();
  graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
      .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation_)
      .finalize();
}

std::vector<Descriptor> ConvolutionGraph::proposed(cudnnBackendHeurMode_t mode) const {
  Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_)
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, mode)
      .finalize();
  constexpr auto results = CUDNN_ATTR_ENGINEHEUR_RESULTS;
  return heuristic.get(results, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, heuristic.count(results));
}

std::int64_t ConvolutionGraph::engine_count() const {
  return graph_.get<std::int64_t>(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, 1).at(0);
}

Descriptor ConvolutionGraph::default_configuration(std::int64_t engine) const {
  Descriptor chosen(CUDNN_BACKEND_ENGINE_DESCRIPTOR), configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  chosen.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph_)
      .set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, engine)
      .finalize();
  configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, chosen).finalize();
  return configuration;
}

bool is_float32_throughout(const Descriptor& configuration) {
  const auto engine = configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  const auto notes = engine.at(0).get<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return std::none_of(notes.begin(), notes.end(), [](cudnnBackendNumericalNote_t note) {
    return note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
           note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION;
  });
}

Plan::Plan(cudnnHandle_t handle, Descriptor configuration)
    : configuration_(std::move(configuration)), plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
  plan_.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
      .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration_)
      .finalize();
}

std::size_t Plan::workspace_bytes() const {
  return static_cast<std::size_t>(plan_.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1).at(0));
}

void Plan::enqueue(cudnnHandle_t handle, const Descriptor& arguments) const {
  check(cudnnBackendExecute(handle, plan_.get(), arguments.get()), "cudnnBackendExecute");
}

Descriptor arguments_of(const float* image, const float* flipped_filter, float* output, void* workspace) {
  const auto address = [](const float* array) -> void* { return const_cast<float*>(array); };
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, std::vector<std::int64_t>{image_id, filter_id, output_id})
      .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
           std::vector<void*>{address(image), address(flipped_filter), output})
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace)
      .finalize();
  return pack;
}

}  // namespace gpulab::yardsticks
