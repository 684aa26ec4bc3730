#include "halo_exchange/steps.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "halo_exchange/arrays.hpp"
#include "lesson/launch.hpp"

namespace gpulab::lessons::halo_exchange {
namespace {

constexpr unsigned per_thread = 8;  // pixels of a column per thread

// Row of an array, by its number.
struct Row {
  const Scratch<float>* array = nullptr;  // null: the image to read, or the output to write
  std::size_t row = 0;
};

// Returns the first element of the row.
std::size_t first_element_of(const Execution& run, std::size_t row) {
  return row * static_cast<std::size_t>(run.request()[width]);
}

// Returns a launch that computes `rows` rows in tiles, with shared memory for a tile and the filter.
LaunchConfig tiles(const LaunchRequest& request, std::size_t rows) {
  const unsigned block_width = std::min(32u, request.block_size);
  // For few rows, more and smaller blocks keep the device busy.
  const unsigned block_rows =
      std::max(1u, std::min<unsigned>(request.block_size / block_width, ceil_div(rows, per_thread)));
  const auto filter_side = static_cast<std::size_t>(request[side]);
  const std::size_t padded = std::size_t{per_thread} * ceil_div(filter_side, per_thread);
  const std::size_t tile = (block_width + filter_side - 1) * (block_rows * per_thread + padded - 1);
  return {.grid = {ceil_div(static_cast<std::size_t>(request[width]), block_width),
                   ceil_div(rows, block_rows * per_thread)},
          .block = {block_width, block_rows},
          .dynamic_shared_bytes = (filter_side * padded + tile) * sizeof(float)};
}

// Computes `rows` rows of the result. The source begins with the halo above the first of these rows.
void convolve(Execution& run, const Row& source, const Row& target, std::size_t rows, int stream = 0) {
  if (rows == 0) return;
  const std::size_t first = first_element_of(run, source.row), to = first_element_of(run, target.row);
  run.launch("convolve", tiles(run.request(), rows),
             {source.array ? from(first, reads(*source.array)) : from(first, image), filter,
              target.array ? from(to, *target.array) : from(to, output), width, count(rows), side},
             stream);
}

// Returns the array with the result of a step, which the next step reads.
const Scratch<float>& result_of(int step) {
  return step % 2 == 0 ? even : odd;
}

std::size_t rows_in(const Execution& run, const Scalar<int>& scalar) {
  return static_cast<std::size_t>(run.request()[scalar]);
}

bool is_last(const Execution& run, int step) {
  return step == run.request()[steps] - 1;
}

// Computes some of a rank's own rows in one step.
void compute_rows(Execution& run, int step, std::size_t first, std::size_t rows, int stream = 0) {
  const Row source{step == 0 ? nullptr : &result_of(step - 1), first};
  const Row target =
      is_last(run, step) ? Row{nullptr, first} : Row{&result_of(step), rows_in(run, halo) + first};
  convolve(run, source, target, rows, stream);
}

void compute_step(Execution& run, int step) {
  compute_rows(run, step, 0, rows_in(run, own));
}

// Return whether there is such a neighbour: the rank above a rank with rows has rows, the rank below may not.
bool has_above(const Execution& run, const Rank& rank) {
  return rank.rank() > 0 && rank.rank() < run.request()[ranks_of];
}
bool has_below(const Execution& run, const Rank& rank) {
  return rank.rank() + 1 < run.request()[ranks_of];
}

LaunchConfig one_thread_per_pixel_of_a_halo(const LaunchRequest& request) {
  return {.grid = {ceil_div(static_cast<std::size_t>(request[width]), 32),
                   ceil_div(static_cast<std::size_t>(request[halo]), 8)},
          .block = {32, 8}};
}

// Messages that a rank sends to its neighbours, and those that it receives.
struct Messages {
  std::vector<Message> sent, received;
};

Messages messages(const Execution& run, const Rank& rank, int step) {
  const Scratch<float>& rows = result_of(step);
  const std::size_t halo_rows = rows_in(run, halo), own_rows = rows_in(run, own),
                    pixels = first_element_of(run, halo_rows);
  const int me = rank.rank();
  Messages all;
  if (halo_rows == 0) return all;
  if (has_above(run, rank)) {
    all.sent.push_back({me - 1, rows, first_element_of(run, halo_rows), pixels});
    all.received.push_back({me - 1, rows, 0, pixels});
  }
  if (has_below(run, rank)) {
    all.sent.push_back({me + 1, rows, first_element_of(run, own_rows), pixels});
    all.received.push_back({me + 1, rows, first_element_of(run, halo_rows + own_rows), pixels});
  }
  return all;
}

// Waits until the neighbours have finished the step. After the barrier on the host, all have recorded it.
void wait_for_neighbours(Execution& run, Rank& rank, int step) {
  run.record(step, 0);
  rank.barrier();
  for (const Message& message : messages(run, rank, step).sent) rank.wait_for_rank(0, message.peer, step);
}

constexpr int edge_stream = 1;  // for the rows that neighbours need

}  // namespace

void on_one_gpu(Execution& run) {
  for (int step = 0; step < run.request()[steps]; ++step) compute_step(run, step);
}

// Does the work of all ranks on one GPU, one after another. The rows and halos of a rank come after those of
// the rank above.
void in_turn(Execution& run) {
  const LaunchRequest& request = run.request();
  const std::size_t halo_rows = rows_in(run, halo), all_rows = rows_in(run, height);
  const int ranks = ranks_with_rows(request[ranks_of], all_rows, halo_rows);
  const auto rows = [&](int rank) { return rows_of(rank, ranks, all_rows, halo_rows); };
  const auto begin = [&](int rank) {
    return rows(rank).first + 2 * halo_rows * static_cast<std::size_t>(rank);
  };
  for (int step = 0; step < request[steps]; ++step) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Row source = step == 0 ? Row{nullptr, rows(rank).first} : Row{&result_of(step - 1), begin(rank)};
      const Row target = is_last(run, step) ? Row{nullptr, rows(rank).first}
                                            : Row{&result_of(step), begin(rank) + halo_rows};
      convolve(run, source, target, rows(rank).count);
    }
    // From the last rank to the first: a surplus row of a wrong kernel then overwrites a halo that is filled
    // already, and shows.
    for (int rank = ranks - 1; rank >= 0 && !is_last(run, step) && halo_rows > 0; --rank) {
      // A rank at the edge of the image gets the rows of the rank at the other edge, which it must not use.
      const auto in_ring = [&](int which) { return (which + ranks) % ranks; };
      const auto rows_from = [&](int which) {
        return from(first_element_of(run, begin(in_ring(which))), result_of(step));
      };
      run.launch(
          "take_halos", one_thread_per_pixel_of_a_halo(request),
          {rows_from(rank), reads(rows_from(rank - 1)), reads(rows_from(rank + 1)), width, halo,
           own(rows(rank).count), own_above(rows(in_ring(rank - 1)).count), rank_of(rank), ranks_of(ranks)});
    }
  }
}

std::function<void(Execution&, Rank&)> with_exchange(Exchange exchange) {
  return [exchange](Execution& run, Rank& rank) {
    for (int step = 0; step < run.request()[steps]; ++step) {
      compute_step(run, step);
      if (!is_last(run, step)) exchange(run, rank, step);
    }
  };
}

void nothing(Execution&, Rank&, int) {}

void through_the_host(Execution& run, Rank& rank, int step) {
  const auto [sent, received] = messages(run, rank, step);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const std::vector<float> rows = run.read(result_of(step), sent[i].count, sent[i].first);
    run.write(result_of(step), rank.exchange(sent[i].peer, rows), received[i].first);
  }
}

void by_copies(Execution& run, Rank& rank, int step) {
  const std::size_t lower_halo_of_above = rows_in(run, halo) + rows_in(run, own_above);
  for (const Message& message : messages(run, rank, step).sent)
    rank.copy_to_rank(message, message.peer < rank.rank() ? first_element_of(run, lower_halo_of_above) : 0);
  wait_for_neighbours(run, rank, step);
}

void by_loads(Execution& run, Rank& rank, int step) {
  wait_for_neighbours(run, rank, step);
  if (rows_in(run, own) == 0 || rows_in(run, halo) == 0) return;
  const auto rows_of_peer = [&](int peer) {
    return reads(rank.of_rank(std::clamp(peer, 0, run.request()[ranks_of] - 1), 0, result_of(step)));
  };
  run.launch("take_halos", one_thread_per_pixel_of_a_halo(run.request()),
             {result_of(step), rows_of_peer(rank.rank() - 1), rows_of_peer(rank.rank() + 1), width, halo, own,
              own_above, rank_of, ranks_of});
}

void by_messages(Execution& run, Rank& rank, int step) {
  const auto [sent, received] = messages(run, rank, step);
  rank.exchange(sent, received);
}

// Sends down what should go up, and the reverse.
void to_the_wrong_side(Execution& run, Rank& rank, int step) {
  auto [sent, received] = messages(run, rank, step);
  if (sent.size() == 2) std::swap(sent[0].first, sent[1].first);
  rank.exchange(sent, received);
}

// Exchanges in a stream that does not wait for the kernel.
void too_early(Execution& run, Rank& rank, int step) {
  const auto [sent, received] = messages(run, rank, step);
  rank.exchange(sent, received, edge_stream);
  const int received_all = step;
  run.record(received_all, edge_stream);
  run.wait(0, received_all);
}

// Computes the rows that neighbours need first, in a separate stream, and exchanges them while the
// interior is computed.
void overlapped_exchange(Execution& run, Rank& rank) {
  const std::size_t halo_rows = rows_in(run, halo), own_rows = rows_in(run, own);
  const std::size_t edge = std::min(halo_rows, own_rows),
                    interior = own_rows - std::min(own_rows, 2 * halo_rows);
  for (int step = 0; step < run.request()[steps]; ++step) {
    if (is_last(run, step)) {
      compute_step(run, step);
      break;
    }
    const int exchanged = 2 * step, computed = 2 * step + 1;
    compute_rows(run, step, 0, interior > 0 ? edge : own_rows, edge_stream);
    if (interior > 0) compute_rows(run, step, own_rows - edge, edge, edge_stream);
    const auto [sent, received] = messages(run, rank, step);
    rank.exchange(sent, received, edge_stream);
    run.record(exchanged, edge_stream);
    compute_rows(run, step, edge, interior);
    run.record(computed, 0);
    run.wait(0, exchanged);
    run.wait(edge_stream, computed);
  }
}

}  // namespace gpulab::lessons::halo_exchange
