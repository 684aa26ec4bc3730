#include <fmt/format.h>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "program/runtime/library_work.hpp"

// cuRAND's generators for the host (headers/curand.cuh). They give the same numbers as cuRAND does in its
// default ordering; logarithms, sines and cosines may differ in the last digit.

namespace gpulab::program::runtime {
namespace {

using Bits = std::uint32_t;

// ---- XORWOW (Marsaglia 2003), in 4 096 streams that lie 2^67 draws apart ----------------------------------

// The part of a state that a linear step advances. A state also has a counter.
using Words = std::array<Bits, 5>;

Words next(const Words& v) {
  const Bits t = v[0] ^ (v[0] >> 2);
  return {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
}

// A number of steps as a matrix of bits. Column i is where these steps lead if only bit i is set.
class Steps {
 public:
  // Makes the matrix of 2^exponent steps.
  explicit Steps(int exponent) {
    for (unsigned bit = 0; bit < columns_.size(); ++bit) {
      Words unit{};
      unit[bit / 32] = Bits{1} << bit % 32;
      columns_[bit] = next(unit);
    }
    for (int i = 0; i < exponent; ++i) {
      const Steps half = *this;
      for (Words& column : columns_) column = half.advanced(column);
    }
  }
  // Returns the state after the steps.
  Words advanced(const Words& state) const {
    Words result{};
    for (unsigned bit = 0; bit < columns_.size(); ++bit)
      if (state[bit / 32] >> bit % 32 & 1)
        for (unsigned word = 0; word < result.size(); ++word) result[word] ^= columns_[bit][word];
    return result;
  }

 private:
  std::array<Words, 160> columns_;
};

constexpr std::size_t streams = 4096;
constexpr std::uint64_t counter_step = 362437;

class Xorwow {
 public:
  // Sets the states as curand_init(seed, stream, 0) of curand_kernel.h does, and skips `offset` items.
  Xorwow(std::uint64_t seed, std::uint64_t offset) {
    static const Steps to_the_next_stream(67);
    const Bits low = static_cast<Bits>(seed) ^ 0xaad26b49, high = static_cast<Bits>(seed >> 32) ^ 0xf7dcefdd;
    const Bits s = 1099087573 * low, t = 2591861531 * high;
    Words words{123456789 + s, 362436069 ^ s, 521288629 + t, 88675123 ^ t, 5783321 + s};
    for (State& state : states_) {
      state = {words, 6615241 + s + t};
      words = to_the_next_stream.advanced(words);
    }
    const std::uint64_t rounds = offset / streams;
    for (int bit = 0; rounds >> bit > 0; ++bit)
      if (rounds >> bit & 1) {
        const Steps steps(bit);
        for (State& state : states_)
          state = {steps.advanced(state.words), state.counter + static_cast<Bits>(counter_step << bit)};
      }
    for (std::size_t i = 0; i < offset % streams; ++i) {
      draw();
      end_item();
    }
  }

  // Draws from the current stream. The draws for the next item come from the next stream.
  Bits draw() {
    State& state = states_[stream_];
    state.words = next(state.words);
    return state.words[4] + (state.counter += static_cast<Bits>(counter_step));
  }
  void end_item() { stream_ = (stream_ + 1) % streams; }

 private:
  struct State {
    Words words;
    Bits counter;
  };
  std::vector<State> states_ = std::vector<State>(streams);
  std::size_t stream_ = 0;
};

// ---- Philox 4 x 32 with 10 rounds (Salmon et al. 2011) ----------------------------------------------------

// Four draws come from each value of the counter.
class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t offset) : seed_(seed), draws_(offset) {}

  Bits draw() {
    if (draws_ % 4 == 0 || !has_block_) next_block();
    return block_[draws_++ % 4];
  }
  void end_item() {}

 private:
  void next_block() {
    const std::uint64_t counter = draws_ / 4;
    std::array<Bits, 4> c{0, 0, static_cast<Bits>(counter), static_cast<Bits>(counter >> 32)};
    std::array<Bits, 2> key{static_cast<Bits>(seed_), static_cast<Bits>(seed_ >> 32)};
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
      c = {static_cast<Bits>(b >> 32) ^ c[1] ^ key[0], static_cast<Bits>(b),
           static_cast<Bits>(a >> 32) ^ c[3] ^ key[1], static_cast<Bits>(a)};
      key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
    }
    block_ = c;
    has_block_ = true;
  }

  std::uint64_t seed_, draws_;
  std::array<Bits, 4> block_{};
  bool has_block_ = false;
};

// ---- Distributions, as curand_uniform.h and curand_normal.h have them -------------------------------------

// A uniform number above 0 and up to `scale`, from one draw for a float and from two for a double.
template <class T>
T uniform(auto& generator, T scale = 1) {
  if constexpr (std::is_same_v<T, float>) {
    const float unit = 2.3283064e-10f * scale;  // 2^-32
    return static_cast<float>(generator.draw()) * unit + unit / 2;
  } else {
    const std::uint64_t low = generator.draw(), high = generator.draw();
    return (static_cast<double>(low ^ high << 21) * 0x1p-53 + 0x1p-54) * scale;
  }
}

// Two normal numbers, by the transformation of Box and Muller.
template <class T>
std::array<T, 2> normal_pair(auto& generator) {
  const T u = uniform<T>(generator);
  const T angle = uniform<T>(generator, 2 * std::numbers::pi_v<T>);
  const T length = std::sqrt(-2 * std::log(u));
  return {length * std::sin(angle), length * std::cos(angle)};
}

template <class T>
void fill(auto& generator, const gpulab_random_work& work) {
  T* const output = static_cast<T*>(work.output);
  const bool has_pairs = work.distribution == gpulab_normal || work.distribution == gpulab_log_normal;
  const auto shaped = [&](T value) {
    const T number = static_cast<T>(work.mean) + static_cast<T>(work.deviation) * value;
    return work.distribution == gpulab_log_normal ? std::exp(number) : number;
  };
  for (std::size_t i = 0; i < work.count; ++i) {
    if constexpr (std::is_same_v<T, Bits>) {
      output[i] = generator.draw();
    } else if (has_pairs) {
      const auto [first, second] = normal_pair<T>(generator);
      output[i] = shaped(first);
      if (++i < work.count) output[i] = shaped(second);
    } else {
      output[i] = uniform<T>(generator);
    }
    generator.end_item();
  }
}

using Filler = std::function<void(const gpulab_random_work&)>;

template <class Generator>
Filler filler(const gpulab_library& library) {
  return [generator =
              std::make_shared<Generator>(library.seed, library.offset)](const gpulab_random_work& work) {
    if (work.distribution == gpulab_integers)
      fill<Bits>(*generator, work);
    else if (work.is_double)
      fill<double>(*generator, work);
    else
      fill<float>(*generator, work);
  };
}

constexpr int philox = 161;  // CURAND_RNG_PSEUDO_PHILOX4_32_10

// Returns the generator behind a handle. After a change of the seed or the offset it is a new one, and work
// that is already queued keeps the old one.
Filler generator_of(gpulab_library& library) {
  std::shared_ptr<void>& cached = cached_for(library);
  if (!library.is_begun)
    cached = std::make_shared<Filler>(library.generator == philox ? filler<Philox>(library)
                                                                  : filler<Xorwow>(library));
  library.is_begun = true;
  return *std::static_pointer_cast<Filler>(cached);
}

}  // namespace
}  // namespace gpulab::program::runtime

using namespace gpulab::program::runtime;

#pragma GCC visibility push(default)
extern "C" gpulab_status gpulab_random(const gpulab_random_work* work) {
  Call call(work->call, __builtin_return_address(0), __builtin_frame_address(0));
  if (call.pending_error()) return gpulab_not_done;
  gpulab_library* const library = library_at(call, work->handle);
  if (!library) return gpulab_no_handle;
  const bool has_pairs = work->distribution == gpulab_normal || work->distribution == gpulab_log_normal;
  if (has_pairs && work->count % 2 != 0 && library->generator != philox) {
    call.defect(
        cudaErrorInvalidValue, "invalid-argument",
        fmt::format("{} does nothing: it makes pairs of numbers, and {} is odd", call.name(), work->count));
    return gpulab_bad_value;
  }
  if (library->generator == philox && work->is_double)
    return not_supported(call, "Philox is offered for integers and for float");
  const auto generator = generator_of(*library);
  const std::size_t element = work->is_double ? sizeof(double) : sizeof(float);
  Operand output{"output", element, /*is_read=*/false, /*is_written=*/true};
  if (work->count > 0) output.pieces.push_back({address_of(work->output), work->count * element});
  if (!library->is_on_host)
    return queue_work(call, library->stream, {output}, [generator, work = *work] { generator(work); });
  if (report_device_pointer(call, work->output, "output")) return gpulab_not_done;
  generator(*work);
  return gpulab_done;
}
#pragma GCC visibility pop
