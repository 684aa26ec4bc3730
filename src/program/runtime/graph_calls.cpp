#include "program/runtime/graphs.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "program/runtime/copies.hpp"
#include "program/runtime/runtime.hpp"

namespace gpulab::program::runtime {

std::vector<std::size_t> Graph::order() const {
  std::vector<std::size_t> order;
  std::set<std::size_t> done;
  const auto is_ready = [&](const GraphNode& node) {
    return !done.contains(node.number) &&
           std::ranges::all_of(node.after, [&](std::size_t other) { return done.contains(other); });
  };
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const GraphNode& node : nodes)
      if (is_ready(node)) {
        order.push_back(node.number);
        has_grown = done.insert(node.number).second;
      }
  }
  return order;
}

bool Graph::ends_with(const std::vector<std::size_t>& last) const {
  std::set<std::size_t> reached(last.begin(), last.end());
  for (std::size_t number = nodes.size(); number-- > 0;)
    if (reached.contains(number)) reached.insert(nodes[number].after.begin(), nodes[number].after.end());
  return reached.size() == nodes.size();
}

// ---- Captures ---------------------------------------------------------------------------------------------

// Begins a node for the next work of the stream, if the stream is being captured.
void Runtime::begin_node(Stream& stream, cudaGraphNodeType type) {
  if (!stream.captured) return;
  const GraphNode& node = stream.captured.capture->graph->add(type, stream.captured.last);
  stream.captured.last = {node.number};
}

// Adds a stream to a capture: from now on its work becomes nodes.
void Runtime::join_capture(Stream& stream, std::shared_ptr<Capture> capture) {
  stream.captured = {std::move(capture)};
  stream.queue->capture_into([&stream](simulator::SimulatedStream::Work work) {
    const CapturedPlace& place = stream.captured;
    place.capture->graph->nodes[place.last.front()].works.push_back(std::move(work));
  });
}

// Notes which call made the stream's last node.
void Runtime::note_captured(const CapturedPlace& place, Site site) {
  place.capture->graph->nodes[place.last.front()].captured_at = site.pc;
  captured_calls_[site.pc].origin = place.capture->owned ? NodeOrigin::capture : NodeOrigin::added;
}

void Runtime::leave_capture(Capture& capture) {
  capture.has_ended = true;
  for (const auto& [handle, stream] : streams_.all()) {
    if (stream->captured.capture.get() != &capture) continue;
    stream->queue->capture_into(nullptr);
    stream->captured = {};
  }
}

// Returns a capture that forbids calls which wait for all streams, or null. With `any_mode` even a relaxed
// capture forbids them.
Capture* Runtime::forbidding_capture(bool any_mode) const {
  for (const auto& [handle, stream] : streams_.all())
    if (stream->captured && (any_mode || stream->captured.capture->mode != cudaStreamCaptureModeRelaxed))
      return stream->captured.capture.get();
  return nullptr;
}

// Invalidates a capture of a blocking stream, since the legacy default stream cannot be used meanwhile.
// Returns whether there is one.
bool Runtime::invalidate_capture_of_default_stream() {
  for (const auto& [handle, stream] : streams_.all())
    if (stream->captured && stream->is_blocking()) {
      stream->captured.capture->is_invalid = true;
      return true;
    }
  return false;
}

// ---- Instances --------------------------------------------------------------------------------------------

// Makes an instance. A node uses the stream of the first node that it waits for, unless another node has it.
std::unique_ptr<GraphExec> Runtime::instantiate(const Graph& graph) const {
  auto exec = std::make_unique<GraphExec>();
  exec->nodes = graph.nodes;
  for (const GraphNode& node : graph.nodes) exec->made_of.push_back(&node);
  exec->order = graph.order();
  exec->stream_of.resize(graph.nodes.size());
  exec->events.resize(graph.nodes.size());
  std::vector<std::size_t> last_nodes;  // by stream
  for (const std::size_t number : exec->order) {
    const std::vector<std::size_t>& after = graph.nodes[number].after;
    const auto found = after.empty() ? last_nodes.end() : std::ranges::find(last_nodes, after.front());
    exec->stream_of[number] = static_cast<std::size_t>(found - last_nodes.begin());
    if (found != last_nodes.end()) {
      *found = number;
      continue;
    }
    last_nodes.push_back(number);
    exec->streams.push_back(std::make_unique<simulator::SimulatedStream>(machine_->order()));
  }
  return exec;
}

void Runtime::launch_graph(GraphExec& exec, Stream& stream, Site site) {
  begin_node(stream, cudaGraphNodeTypeGraph);
  if (stream.captured) {
    for (const std::size_t number : exec.order)
      for (const simulator::SimulatedStream::Work& work : exec.nodes[number].works) stream.queue->put(work);
    return;
  }
  launches_ +=
      static_cast<std::size_t>(std::ranges::count(exec.nodes, cudaGraphNodeTypeKernel, &GraphNode::type));
  put(stream, site, [](const simulator::StreamOp&) {});  // the launch itself, which findings name
  stream.queue->wait(exec.ended);
  simulator::SimulatedEvent start;
  stream.queue->record(start);
  for (const auto& node_stream : exec.streams) node_stream->wait(start);
  for (const std::size_t number : exec.order) {
    simulator::SimulatedStream& node_stream = *exec.streams[exec.stream_of[number]];
    for (const std::size_t other : exec.nodes[number].after) node_stream.wait(exec.events[other]);
    machine_->order()->set_captured_at(exec.nodes[number].captured_at);
    captured_calls_[exec.nodes[number].captured_at].launched = site;
    for (const simulator::SimulatedStream::Work& work : exec.nodes[number].works) node_stream.put(work);
    machine_->order()->set_captured_at(0);
    node_stream.record(exec.events[number]);
  }
  for (const simulator::SimulatedEvent& end : exec.events) stream.queue->wait(end);
  stream.queue->record(exec.ended);
}

void Runtime::forget(cudaGraphExec_t handle) {
  for (const auto& stream : execs_.at(handle)->streams) run_device_work([&] { stream->run(); });
  execs_.forget(handle);
}

// ---- Functions of the runtime API -------------------------------------------------------------------------

namespace {

cudaError_t begin_capture(const Call& call, cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call.with(handle, [&](Stream& stream) {
    if (stream.is_default)
      return call.fail(cudaErrorStreamCaptureUnsupported, "the default stream cannot be captured");
    if (stream.captured) return call.fail(cudaErrorIllegalState, "the stream is being captured already");
    auto owned = std::make_unique<Graph>();
    Graph* const graph = owned.get();
    call.runtime().join_capture(stream,
                                std::make_shared<Capture>(Capture{graph, std::move(owned), &stream, mode}));
    return cudaSuccess;
  });
}

cudaError_t end_capture(const Call& call, cudaStream_t handle, cudaGraph_t* graph) {
  *graph = nullptr;
  return call.with(handle, [&](Stream& stream) {
    if (!stream.captured) return call.fail(cudaErrorIllegalState, "the stream is not being captured");
    const CapturedPlace place = stream.captured;
    if (place.capture->origin != &stream)
      return call.fail(cudaErrorStreamCaptureUnmatched, "the capture was begun in another stream");
    call.runtime().leave_capture(*place.capture);
    if (place.capture->is_invalid)
      return call.fail(cudaErrorStreamCaptureInvalidated, "an earlier call has ended the capture");
    if (!place.capture->graph->ends_with(place.last))
      return call.fail(cudaErrorStreamCaptureUnjoined,
                       "another stream has work in the capture that this stream does not wait for: "
                       "cudaEventRecord there and cudaStreamWaitEvent here come first");
    *graph = call.runtime().hold(std::move(place.capture->owned), call.site());
    return cudaSuccess;
  });
}

cudaError_t give_status(const Call& call, cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call.with(handle, [&](const Stream& stream) {
    const CapturedPlace& place = stream.captured;
    return give(status, !place                      ? cudaStreamCaptureStatusNone
                        : place.capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                                    : cudaStreamCaptureStatusActive);
  });
}

GraphNode* node_of(cudaGraphNode_t handle) {
  return reinterpret_cast<GraphNode*>(handle);
}

cudaGraphNode_t handle_of(const GraphNode& node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(&node));
}

cudaError_t no_graph(const Call& call) {
  return call.defect(cudaErrorInvalidValue, "invalid-handle",
                     std::string(call.name()) + " is given a graph that was never made, or was destroyed");
}

// Calls `function` with the graph of a handle, or reports a defect if there is none.
template <class Function>
cudaError_t with(const Call& call, cudaGraph_t handle, const Function& function) {
  Graph* const graph = call.runtime().graph(handle);
  return graph ? function(*graph) : no_graph(call);
}

template <class Function>
cudaError_t with(const Call& call, cudaGraphExec_t handle, const Function& function) {
  GraphExec* const exec = call.runtime().graph_exec(handle);
  return exec ? function(*exec) : no_graph(call);
}

// The nodes that a new node depends on, as the program gives them.
struct Dependencies {
  const cudaGraphNode_t* nodes;
  std::size_t count;

  std::vector<std::size_t> numbers() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(node_of(nodes[i])->number);
    return all;
  }
};

// Captures the work that `function` puts into a stream as one node of the graph.
template <class Function>
cudaError_t add_node(const Call& call, cudaGraphNode_t* made, cudaGraph_t handle,
                     const Dependencies& dependencies, const Function& function) {
  return with(call, handle, [&](Graph& graph) {
    Runtime& runtime = call.runtime();
    const std::size_t nodes_before = graph.nodes.size();
    const cudaStream_t stream = runtime.create_stream(cudaStreamNonBlocking, 0, call.site());
    const auto capture =
        std::make_shared<Capture>(Capture{.graph = &graph, .mode = cudaStreamCaptureModeRelaxed});
    runtime.join_capture(*runtime.stream(stream), capture);
    runtime.stream(stream)->captured.last = dependencies.numbers();
    const cudaError_t error = function(stream);
    runtime.leave_capture(*capture);
    runtime.destroy_stream(stream);
    if (error != cudaSuccess) return error;
    // There may be no work, as in a copy of 0 bytes.
    if (graph.nodes.size() == nodes_before) graph.add(cudaGraphNodeTypeEmpty, dependencies.numbers());
    return give(made, handle_of(graph.nodes.back()));
  });
}

cudaError_t launch_kernel(const Call& call, cudaStream_t stream, const cudaKernelNodeParams& params) {
  const LaunchConfig config{.grid = {params.gridDim.x, params.gridDim.y, params.gridDim.z},
                            .block = {params.blockDim.x, params.blockDim.y, params.blockDim.z},
                            .dynamic_shared_bytes = params.sharedMemBytes};
  call.runtime().configure({config, stream, call.site()});
  return call.runtime().launch_address(params.func, params.kernelParams);
}

cudaError_t set_memory(const Call& call, cudaStream_t stream, const cudaMemsetParams& params) {
  if (params.elementSize != 1 && params.elementSize != 2 && params.elementSize != 4)
    return call.fail(cudaErrorInvalidValue, "an element of a memset has 1, 2 or 4 bytes");
  const std::size_t width = params.width * params.elementSize;
  return queue_row_set(call, params.dst, params.height > 1 ? params.pitch : width,
                       static_cast<int>(params.value), width, params.height, stream, params.elementSize);
}

cudaError_t add_child(const Call& call, cudaGraph_t handle, cudaStream_t stream) {
  return with(call, handle, [&](const Graph& child) {
    Runtime& runtime = call.runtime();
    runtime.launch_graph(*runtime.instantiate(child), *runtime.stream(stream), call.site());
    return cudaSuccess;
  });
}

// Replaces a node's work by the work that `function` puts into a stream.
template <class Function>
cudaError_t change_node(const Call& call, GraphNode& node, const Function& function) {
  const cudaGraph_t handle = call.runtime().hold(std::make_unique<Graph>(), call.site());
  cudaGraphNode_t other = nullptr;
  const cudaError_t error = add_node(call, &other, handle, {nullptr, 0}, function);
  if (error == cudaSuccess) node.works = node_of(other)->works;
  call.runtime().forget(handle);
  return error;
}

cudaError_t set_kernel(const Call& call, cudaGraphExec_t handle, cudaGraphNode_t node,
                       const cudaKernelNodeParams& params) {
  return with(call, handle, [&](GraphExec& exec) {
    const auto found = std::ranges::find(exec.made_of, node_of(node));
    if (found == exec.made_of.end())
      return call.fail(cudaErrorInvalidValue, "the node is not of the graph that the instance was made of");
    return change_node(call, exec.nodes[static_cast<std::size_t>(found - exec.made_of.begin())],
                       [&](cudaStream_t stream) { return launch_kernel(call, stream, params); });
  });
}

cudaError_t add_dependencies(const Call& call, cudaGraph_t handle, const cudaGraphNode_t* from,
                             const cudaGraphNode_t* to, std::size_t count) {
  return with(call, handle, [&](Graph&) {
    for (std::size_t i = 0; i < count; ++i) node_of(to[i])->after.push_back(node_of(from[i])->number);
    return cudaSuccess;
  });
}

cudaError_t give_nodes(const Call& call, cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count,
                       bool only_roots) {
  return with(call, handle, [&](const Graph& graph) {
    std::vector<cudaGraphNode_t> all;
    for (const GraphNode& node : graph.nodes)
      if (!only_roots || node.after.empty()) all.push_back(handle_of(node));
    if (nodes) std::copy_n(all.begin(), std::min(*count, all.size()), nodes);
    *count = all.size();
    return cudaSuccess;
  });
}

cudaError_t instantiate(const Call& call, cudaGraphExec_t* made, cudaGraph_t handle) {
  return with(call, handle, [&](const Graph& graph) {
    auto exec = call.runtime().instantiate(graph);
    if (exec->order.size() != graph.nodes.size())
      return call.fail(cudaErrorInvalidValue, "nodes of the graph wait for each other");
    *made = call.runtime().hold(std::move(exec), call.site());
    return cudaSuccess;
  });
}

// Gives an instance the work of another graph with the same nodes.
cudaError_t update_instance(const Call& call, cudaGraphExec_t handle, cudaGraph_t from,
                            cudaGraphExecUpdateResult* result) {
  return with(call, handle, [&](GraphExec& exec) {
    return with(call, from, [&](const Graph& graph) {
      const auto is_same = [](const GraphNode& mine, const GraphNode& other) {
        return mine.type == other.type && mine.after == other.after;
      };
      const bool has_same_nodes = std::ranges::equal(exec.nodes, graph.nodes, is_same);
      *result = has_same_nodes ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
      if (!has_same_nodes)
        return call.fail(cudaErrorGraphExecUpdateFailure, "the graph has other nodes than the instance");
      exec.nodes = graph.nodes;
      return cudaSuccess;
    });
  });
}

cudaError_t launch_graph(const Call& call, cudaGraphExec_t handle, cudaStream_t to) {
  return with(call, handle, [&](GraphExec& exec) {
    return call.with(to, [&](Stream& stream) {
      call.runtime().launch_graph(exec, stream, call.site());
      call.runtime().timeline().add_work({TimelineEntry::Kind::other, call.name(), stream.number, 0},
                                         call.site());
      return cudaSuccess;
    });
  });
}

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

GPULAB_ENTRY(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
             begin_capture(call, stream, mode))
GPULAB_ENTRY(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* graph),
             end_capture(call, stream, graph))
GPULAB_ENTRY(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
             give_status(call, stream, status))
GPULAB_ENTRY(cudaGraphCreate, (cudaGraph_t * graph, unsigned),
             give(graph, call.runtime().hold(std::make_unique<Graph>(), call.site())))
GPULAB_ENTRY(cudaGraphClone, (cudaGraph_t * made, cudaGraph_t graph),
             with(call, graph, [&](const Graph& original) {
               return give(made, call.runtime().hold(std::make_unique<Graph>(original), call.site()));
             }))
GPULAB_ENTRY(cudaGraphDestroy, (cudaGraph_t graph), with(call, graph, [&](const Graph&) {
               call.runtime().forget(graph);
               return cudaSuccess;
             }))
// Defines a function that adds a node after others to a graph. It takes these parameters after those of every
// such function; the node is the work that the expression puts into `stream`.
#define GPULAB_AFTER_OTHERS(...) __VA_OPT__(, ) __VA_ARGS__
#define GPULAB_ADDS_NODE(name, parameters, ...)                                          \
  GPULAB_ENTRY(name,                                                                     \
               (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after, \
                size_t count GPULAB_AFTER_OTHERS parameters),                            \
               add_node(call, node, graph, {after, count},                               \
                        [&]([[maybe_unused]] cudaStream_t stream) { return __VA_ARGS__; }))
GPULAB_ADDS_NODE(cudaGraphAddKernelNode, (const cudaKernelNodeParams* params),
                 launch_kernel(call, stream, *params))
GPULAB_ADDS_NODE(cudaGraphAddMemcpyNode, (const cudaMemcpy3DParms* params),
                 queue_box_copy(call, *params, stream, /*is_asynchronous=*/true))
GPULAB_ADDS_NODE(cudaGraphAddMemcpyNode1D, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
                 queue_copy(describe_copy(call, to, from, bytes, kind), stream, /*is_asynchronous=*/true))
GPULAB_ADDS_NODE(cudaGraphAddMemsetNode, (const cudaMemsetParams* params), set_memory(call, stream, *params))
GPULAB_ADDS_NODE(cudaGraphAddHostNode, (const cudaHostNodeParams* params),
                 put_callback(call, stream, params->userData,
                              [host = *params](Runtime&) { host.fn(host.userData); }))
GPULAB_ADDS_NODE(cudaGraphAddEmptyNode, (), cudaSuccess)
GPULAB_ADDS_NODE(cudaGraphAddChildGraphNode, (cudaGraph_t child), add_child(call, child, stream))
GPULAB_ENTRY(cudaGraphAddDependencies,
             (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count),
             add_dependencies(call, graph, from, to, count))
GPULAB_ENTRY(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count),
             give_nodes(call, graph, nodes, count, /*only_roots=*/false))
GPULAB_ENTRY(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count),
             give_nodes(call, graph, nodes, count, /*only_roots=*/true))
GPULAB_ENTRY(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* type),
             give(type, node_of(node)->type))
GPULAB_ENTRY(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const cudaKernelNodeParams* params),
             change_node(call, *node_of(node),
                         [&](cudaStream_t stream) { return launch_kernel(call, stream, *params); }))
GPULAB_ENTRY(cudaGraphExecKernelNodeSetParams,
             (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* params),
             set_kernel(call, exec, node, *params))
GPULAB_ENTRY_NAMED(gpulab_instantiate, cudaGraphInstantiate, (cudaGraphExec_t * made, cudaGraph_t graph),
                   instantiate(call, made, graph))
GPULAB_ENTRY_NAMED(gpulab_update_graph, cudaGraphExecUpdate,
                   (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResult* result),
                   update_instance(call, exec, graph, result))
GPULAB_ENTRY(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t),
             with(call, exec, [](const GraphExec&) { return cudaSuccess; }))
GPULAB_ENTRY(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), launch_graph(call, exec, stream))
GPULAB_ENTRY(cudaGraphExecDestroy, (cudaGraphExec_t exec), with(call, exec, [&](GraphExec&) {
               call.runtime().forget(exec);
               return cudaSuccess;
             }))
