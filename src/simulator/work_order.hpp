#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpulab::simulator {

class SimulatedStream;

// By stream, how many of its pieces of work happen before something: a vector clock.
class WorkClock {
 public:
  std::uint32_t of(std::size_t stream) const { return stream < pieces_.size() ? pieces_[stream] : 0; }
  void advance(std::size_t stream, std::uint32_t pieces);
  void join(const WorkClock& other);

 private:
  std::vector<std::uint32_t> pieces_;
};

// What was put into a stream with one call, and what happens before it: by the order of its stream, by
// events, and because the host has waited.
struct Piece {
  std::size_t stream = 0;    // its number in the WorkOrder
  std::uint32_t number = 0;  // in its stream, from 1 on
  std::uint64_t asked_as =
      0;             // among the pieces of all streams, in the order in which the host asked for them
  WorkClock before;  // itself included
  std::uintptr_t asked_at = 0;  // where the program goes on after the call that asked for it; 0 where nobody said

  bool is_after(const Piece& other) const { return before.of(other.stream) >= other.number; }
};

// What happens before what, for the streams of all devices of this process. It says nothing of when the
// simulator runs a piece of work.
class WorkOrder {
 public:
  // The stream's number, which it has until it goes.
  std::size_t add(const SimulatedStream& stream);
  void remove(std::size_t stream);

  // The stream's next piece, which comes after what its clock has and what the host has waited for.
  Piece next(std::size_t stream, WorkClock& clock);
  void host_waits_for(const WorkClock& clock);
  void host_waits_for_all();
  // Where the program asks for the pieces that come next.
  void set_asked_at(std::uintptr_t code) { asked_at_ = code; }

  // What the host itself does from now on, until it asks for work or waits: it comes after all that the host has
  // waited for, and before what it will ask for.
  Piece next_of_host();
  // How often that has ended.
  std::uint64_t host_steps() const { return host_steps_; }
  // Whether the host has waited for all that it has asked for.
  bool has_host_waited() const;

  // Whether all work that has not been done yet comes after that piece: what waits in queues, and what the
  // host has not asked for yet.
  bool is_before_all_to_come(const Piece& piece) const;

 private:
  static constexpr std::size_t host = 0;

  std::vector<const SimulatedStream*> streams_{nullptr};  // null where one has gone, and for the host
  std::vector<std::uint32_t> pieces_{0};                  // by stream, so far
  std::uint64_t asked_ = 0, host_steps_ = 0;
  std::uintptr_t asked_at_ = 0;
  WorkClock host_;
};

}  // namespace gpulab::simulator
