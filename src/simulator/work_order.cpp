#include "simulator/work_order.hpp"

#include <algorithm>

#include "simulator/stream.hpp"

namespace gpulab::simulator {

void WorkClock::advance(std::size_t stream, std::uint32_t pieces) {
  if (stream >= pieces_.size()) pieces_.resize(stream + 1);
  pieces_[stream] = std::max(pieces_[stream], pieces);
}

void WorkClock::join(const WorkClock& other) {
  if (other.pieces_.size() > pieces_.size()) pieces_.resize(other.pieces_.size());
  for (std::size_t i = 0; i < other.pieces_.size(); ++i) pieces_[i] = std::max(pieces_[i], other.pieces_[i]);
}

// The number of a stream that has gone is free once the host has waited for all of its work: the next stream
// counts on from there.
std::size_t WorkOrder::add(const SimulatedStream& stream) {
  for (std::size_t number = host + 1; number < streams_.size(); ++number)
    if (!streams_[number] && host_.of(number) >= pieces_[number]) {
      streams_[number] = &stream;
      return number;
    }
  streams_.push_back(&stream);
  pieces_.push_back(0);
  return streams_.size() - 1;
}

void WorkOrder::remove(std::size_t stream) {
  streams_[stream] = nullptr;
}

Piece WorkOrder::next(std::size_t stream, WorkClock& clock) {
  clock.join(host_);
  clock.advance(stream, ++pieces_[stream]);
  ++host_steps_;
  return {stream, pieces_[stream], ++asked_, clock, asked_at_};
}

void WorkOrder::host_waits_for(const WorkClock& clock) {
  host_.join(clock);
  ++host_steps_;
}

void WorkOrder::host_waits_for_all() {
  for (std::size_t stream = host + 1; stream < pieces_.size(); ++stream) host_.advance(stream, pieces_[stream]);
  ++host_steps_;
}

Piece WorkOrder::next_of_host() {
  host_.advance(host, ++pieces_[host]);
  return {host, pieces_[host], ++asked_, host_};
}

bool WorkOrder::has_host_waited() const {
  for (std::size_t stream = host + 1; stream < pieces_.size(); ++stream)
    if (host_.of(stream) < pieces_[stream]) return false;
  return true;
}

bool WorkOrder::is_before_all_to_come(const Piece& piece) const {
  return host_.of(piece.stream) >= piece.number &&
         std::ranges::all_of(streams_, [&](const SimulatedStream* stream) {
           return !stream || !stream->first() || stream->first()->is_after(piece);
         });
}

}  // namespace gpulab::simulator
