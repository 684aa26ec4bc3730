#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/arguments.hpp"
#include "core/handles.hpp"

namespace gpulab {

// Neighbouring elements of an array, or rows of an image.
struct Share {
  std::size_t first = 0;
  std::size_t count = 0;

  std::size_t end() const { return first + count; }
};

// What rank r of n has of so many: from floor(size r / n) up to floor(size (r + 1) / n). Shares differ by one
// at most.
constexpr Share share_of(std::size_t size, int rank, int ranks) {
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
  const auto before = [&](std::size_t k) { return size / n * k + size % n * k / n; };
  return {before(r), before(r + 1) - before(r)};
}

// A part of an array that one rank sends and another one receives.
struct Message {
  int peer = 0;  // the rank to send to, or to receive from
  ArrayHandle array;
  std::size_t first = 0, count = 0;  // elements, of what this rank holds
};

// One of the devices that work on a problem together, in the words of MPI and NCCL. Each rank runs the same
// steps on its own part of the problem (Problem::part), in a thread or a process of its own.
//
// What all ranks do together, each must come to in the same order, with arrays of the same type and count: if
// one does not, all of them end with an error that says who waits where. What takes a stream is put in its
// order, as in Execution.
class Rank {
 public:
  virtual ~Rank() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Replaces the array by its sum over all ranks (ncclAllReduce).
  virtual void all_reduce(const ArrayHandle& array, int stream = 0) = 0;

  // Sends and receives in one group, so that nobody waits for somebody who waits for him (ncclSend,
  // ncclRecv).
  virtual void exchange(const std::vector<Message>& sent, const std::vector<Message>& received,
                        int stream = 0) = 0;

  // The same of values in the host's memory (MPI_Allreduce, MPI_Sendrecv). Returns when it is done.
  virtual void all_reduce(std::span<int> values) = 0;
  virtual std::vector<float> exchange(int peer, std::span<const float> sent) = 0;

  // Waits on the host until all ranks are here (MPI_Barrier).
  virtual void barrier() = 0;

  // For ranks of one process only, by peer access: another rank's array as the argument of a kernel,
  template <class Handle>
  auto of_rank(int peer, std::size_t element, const Handle& handle) {
    Passed there = passed(handle);
    there.offset = element;
    there.rank = peer;
    return Argument<typename ParameterOf<Handle>::type>(std::move(there));
  }
  // a copy from this rank's array to that of another (cuMemcpyPeerAsync),
  virtual void copy_to_rank(const Message& what, std::size_t first_there, int stream = 0) = 0;
  // and an event that the other rank has recorded before a barrier that both have passed.
  virtual void wait_for_rank(int stream, int peer, int event) = 0;
};

}  // namespace gpulab
