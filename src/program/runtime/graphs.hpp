#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "program/runtime/errors.hpp"
#include "simulator/stream.hpp"

// Graphs: operations that are kept, with their order, and run as often as the program asks for.

namespace gpulab::program::runtime {

struct Stream;

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::size_t number = 0;                                    // in its graph
  std::vector<std::size_t> after = {};                       // the numbers of nodes that it waits for
  std::vector<simulator::SimulatedStream::Work> works = {};  // in this order
  std::uintptr_t captured_at = 0;                            // return address of the call that made it
};

// How a node comes into a graph.
enum class NodeOrigin : unsigned char { capture, added };

// A call that made a node of a graph, with the last launch of such a graph.
struct CapturedCall {
  NodeOrigin origin = NodeOrigin::capture;
  Site launched = {};
};

struct Graph {
  std::deque<GraphNode> nodes;  // a node's address is its handle
  Site created = {};

  GraphNode& add(cudaGraphNodeType type, std::vector<std::size_t> after) {
    return nodes.emplace_back(GraphNode{type, nodes.size(), std::move(after)});
  }
  // Returns the nodes' numbers, each after those that it waits for; fewer if some wait for each other.
  std::vector<std::size_t> order() const;
  // Returns whether the `last` nodes wait for all others, directly or through further nodes.
  bool ends_with(const std::vector<std::size_t>& last) const;
};

// A graph that can be launched. Its streams have the order of its nodes, so nodes that do not wait for each
// other are as unordered as they are on a GPU.
struct GraphExec {
  std::deque<GraphNode> nodes;
  std::vector<std::size_t> order;
  std::vector<std::size_t> stream_of;  // index in `streams`, by node
  std::vector<std::unique_ptr<simulator::SimulatedStream>> streams;
  std::vector<simulator::SimulatedEvent> events;  // by node, recorded after its work
  // The graph's node of which each node was made. The graph may have been destroyed since.
  std::vector<const GraphNode*> made_of;
  simulator::SimulatedEvent ended;  // its last launch, for which the next one waits
  Site created = {};
};

// Objects that the program knows by handles, which are their addresses.
template <class T>
class HeldByHandle {
 public:
  template <class Handle>
  Handle hold(std::unique_ptr<T> object, Site created) {
    object->created = created;
    void* const handle = object.get();
    held_[handle] = std::move(object);
    return reinterpret_cast<Handle>(handle);
  }
  // Returns null if there is no such object.
  T* at(const void* handle) const {
    const auto found = held_.find(handle);
    return found == held_.end() ? nullptr : found->second.get();
  }
  void forget(const void* handle) { held_.erase(handle); }
  // Forgets the objects of which the test is true.
  void forget_if(const auto& test) {
    std::erase_if(held_, [&](const auto& entry) { return test(*entry.second); });
  }
  const auto& all() const { return held_; }

 private:
  std::map<const void*, std::unique_ptr<T>> held_;
};

// The work that streams are given from cudaStreamBeginCapture to cudaStreamEndCapture. It is kept in a graph,
// and not run.
struct Capture {
  Graph* graph = nullptr;
  std::unique_ptr<Graph> owned = {};  // the graph, until the program gets it
  const Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool is_invalid = false;
  bool has_ended = false;
};

// A place in a capture: the nodes that later ones wait for. A stream and an event can have one.
struct CapturedPlace {
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> last = {};

  explicit operator bool() const { return capture && !capture->has_ended; }
};

}  // namespace gpulab::program::runtime
