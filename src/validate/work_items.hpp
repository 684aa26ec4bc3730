#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/launch.hpp"

namespace gpulab::validate {

// Which work item, and so which thread, has to do with which element of an output.
struct WorkItems {
  LaunchConfig launch;
  Ownership ownership = Ownership::unknown;
  Extent work = {};  // where items have two or three dimensions: how many there are in each
  // The first item that adds to an element, where several do and if any does. Left out: item i writes element
  // i. It is only asked for elements that exist.
  std::function<std::optional<std::size_t>(std::size_t element)> item_of = {};
  std::string element_name = "element";  // "bin"
};

// An index in x, y and z, as CUDA's uint3.
struct Index {
  std::size_t x = 0, y = 0, z = 0;
};

// Where a thread stands: the block in the grid, the thread in the block.
struct ThreadPlace {
  Index block;
  Index thread;
};

// "block 9 thread 784", "block (1, 2) thread (31, 7)"
std::string text_of(const ThreadPlace& place);

std::size_t launched_threads(const WorkItems& items);

// Whether item i is known to be that of thread i, and so of nobody when fewer threads were launched. Where
// threads stride it is so as long as none of the items is left for a second step.
bool one_item_each(const WorkItems& items, std::size_t count);

// The thread that the item of the element belongs to; none when no thread has it, or the launch does not
// tell.
std::optional<ThreadPlace> owner_of(const WorkItems& items, std::size_t element);

// " (block 9 thread 784)", or nothing where no thread can be named.
std::string owner_in_brackets(const WorkItems& items, std::size_t element);

// "1 block of 1024 threads"
std::string text_of(const LaunchConfig& launch);

}  // namespace gpulab::validate
