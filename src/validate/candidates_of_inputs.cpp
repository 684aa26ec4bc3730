#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/text.hpp"
#include "validate/best_candidate.hpp"

namespace gpulab::validate {
namespace {

// With so many bits of its significand, as half and tf32 (11) or bfloat16 (8) have.
float rounded_to(int bits, float value) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  const double significand = std::frexp(static_cast<double>(value), &exponent);
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits));
}

}  // namespace

void add_shorter_types(const Candidates& of, Best& best) {
  const Reference& reference =
      of.problem.references.plain ? of.problem.references.plain : of.problem.references.openmp;
  if (holds_whole_numbers(of)) return;
  for (const auto& [bits, type] : {std::pair{11, "half"}, std::pair{8, "bfloat16"}}) {
    const std::string text = " rounded to " + std::to_string(bits) + " bits, as a " + type + " has";
    best.add_values("rounding-only", subject(of) + its_right_value(of) + text, [&](std::size_t i) {
      return rounded_to(bits, static_cast<float>(value_of(of.expected, i)));
    });
    best.add("rounding-only", subject(of) + "what comes out of inputs" + text, [&](Outputs& outputs) {
      Inputs inputs = copied(of);
      for (Array& input : inputs)
        if (input.type() == ElementType::float32)
          for (float& value : input.as<float>()) value = rounded_to(bits, value);
      reference(inputs, outputs);
    });
  }
}

void add_terms(const Candidates& of, Best& best) {
  const Terms& terms = of.problem.terms;
  const std::size_t n = terms.count, block = of.items.launch.block.volume(),
                    threads = std::max<std::size_t>(1, launched_threads(of.items));
  if (!terms.compute || n < 2) return;
  const auto add = [&](const std::string& pattern, const std::string& which,
                       const std::function<double(std::size_t)>& times) {
    best.add(pattern, subject(of) + "what comes out " + which,
             [&](Outputs& outputs) { terms.compute(of.inputs, times, outputs); });
  };
  const std::string one = terms.name, many = terms.name + "s";
  const auto without = [&](const std::string& which, const std::function<bool(std::size_t)>& left_out) {
    add("left-out", "without " + which, [&](std::size_t i) { return left_out(i) ? 0.0 : 1.0; });
  };
  const auto only_last = [&](std::size_t length, const std::string& why) {
    if (length > 0 && length < n)
      add("left-out", "of the last " + grouped(length) + " of " + grouped(n) + " " + many + " alone" + why,
          [&](std::size_t i) { return i + length >= n ? 1.0 : 0.0; });
  };
  const auto only_first = [&](std::size_t length, const std::string& why) {
    if (length > 0 && length < n)
      add("left-out", "of the first " + grouped(length) + " of " + grouped(n) + " " + many + " alone" + why,
          [&](std::size_t i) { return i < length ? 1.0 : 0.0; });
  };
  without("the last " + one, [&](std::size_t i) { return i == n - 1; });
  without("the first " + one, [&](std::size_t i) { return i == 0; });
  without("the first and the last " + one, [&](std::size_t i) { return i == 0 || i == n - 1; });
  without("the " + many + " with an odd index", [&](std::size_t i) { return i % 2 == 1; });
  without("the " + many + " with an even index", [&](std::size_t i) { return i % 2 == 0; });
  without("the last " + one + " of every block of " + grouped(block),
          [&](std::size_t i) { return i % block == block - 1; });
  without("the first " + one + " of every block of " + grouped(block),
          [&](std::size_t i) { return i % block == 0; });
  without("the " + many + " of block 0", [&](std::size_t i) { return i < block; });
  if (n > 32) {
    without("the last " + one + " of every 32", [&](std::size_t i) { return i % 32 == 31; });
    without("the first " + one + " of every 32", [&](std::size_t i) { return i % 32 == 0; });
  }
  if (terms.row > 1 && terms.row < n) {
    const std::size_t row = terms.row;
    without("the first row of " + many, [&](std::size_t i) { return i < row; });
    without("the last row of " + many, [&](std::size_t i) { return i >= n - row; });
    without("the first column of " + many, [&](std::size_t i) { return i % row == 0; });
    without("the last column of " + many, [&](std::size_t i) { return i % row == row - 1; });
  }
  only_first(block, ": those of block 0");
  only_first(block / 2, ": half a block");
  for (std::size_t step = 1; step <= 16; ++step)
    only_first(step * threads,
               step == 1 ? ": one for every thread" : ": " + grouped(step) + " for every thread");
  for (const std::size_t unit :
       {block, std::size_t{32}, std::size_t{16}, std::size_t{8}, std::size_t{4}, std::size_t{2}})
    if (n > unit) only_first(n / unit * unit, ": a multiple of " + grouped(unit));
  for (std::size_t tiles = 1; tiles <= 16; ++tiles)
    only_first(32 * tiles, ": " + grouped(tiles) + (tiles == 1 ? " tile" : " tiles") + " of 32");
  only_last(n % 32 == 0 ? 32 : n % 32, ": those of the last tile of 32");
  only_last(n % block == 0 ? block : n % block, ": those of the last block");
  only_first(1, "");
  add("counted-twice", "with the last " + one + " twice",
      [&](std::size_t i) { return i == n - 1 ? 2.0 : 1.0; });
  add("counted-twice", "with the first " + one + " twice", [&](std::size_t i) { return i == 0 ? 2.0 : 1.0; });
  add("counted-twice", "with every " + one + " twice", [](std::size_t) { return 2.0; });
}

void add_other_indices(const Candidates& of, Best& best) {
  const Reference& reference =
      of.problem.references.plain ? of.problem.references.plain : of.problem.references.openmp;
  const std::size_t block = of.items.launch.block.volume();
  for (const SizedArray& array : of.problem.arrays) {
    if (array.role != Role::input || array.length < 2) continue;
    const std::size_t length = array.length, width = array.shape.x, height = array.shape.y;
    const auto with = [&](const std::string& index, const std::function<std::size_t(std::size_t)>& place) {
      best.add(
          "input-index", subject(of) + "what comes out if " + array.name + " is read " + index,
          [&](Outputs& outputs) {
            Inputs inputs = copied(of);
            const std::size_t bytes = size_of(array.type);
            const std::byte* from = of.inputs.begin()->bytes().data();
            for (const Array& one : of.inputs)
              if (one.name() == array.name) from = one.bytes().data();
            std::byte* to = inputs.find(array.name)->bytes().data();
            for (std::size_t i = 0; i < length; ++i)
              std::memcpy(to + i * bytes, from + std::min(place(i), length - 1) * bytes, bytes);
            reference(inputs, outputs);
          },
          Best::Fits::nearly_all_wrong_ones);
    };
    with("one element further on", [](std::size_t i) { return i + 1; });
    with("one element before", [](std::size_t i) { return i == 0 ? 0 : i - 1; });
    with("backwards", [&](std::size_t i) { return length - 1 - i; });
    with("at index 0 alone", [](std::size_t) { return std::size_t{0}; });
    if (height == 1) with("at threadIdx alone, without blockIdx", [&](std::size_t i) { return i % block; });
    if (height == 1) with("at blockIdx alone, without threadIdx", [&](std::size_t i) { return i / block; });
    for (std::size_t most = 4; most < std::min<std::size_t>(length, 4097); most *= 2)
      if (height == 1)
        with("at its index modulo " + grouped(most), [&, most](std::size_t i) { return i % most; });
    if (height == 1) continue;
    with("column by column, with rows and columns exchanged",
         [&](std::size_t i) { return i % width * height + i / width; });
    for (const SizedArray& other : of.problem.arrays)
      for (const std::size_t stride : {std::size_t{other.shape.x}, std::size_t{other.shape.y}})
        if (other.shape.y > 1 && stride != width)
          with("as if its rows had " + grouped(stride) + " elements and not " + grouped(width),
               [&](std::size_t i) { return i / width * stride + i % width; });
  }
}

void add_formulas(const Candidates& of, Best& best) {
  const Uses& uses = of.problem.uses ? of.problem.uses : of.problem.references.uses;
  if (!uses || uses(0).empty()) return;
  const std::vector<InputElement> used = uses(0);
  const auto value = [&](std::size_t which, std::size_t element) {
    const InputElement input = uses(element)[which];
    return static_cast<float>(value_of(of.inputs.of(input.array), input.index));
  };
  const auto add = [&](const std::string& formula, const std::function<float(std::size_t)>& of_element) {
    best.add_values("other-formula", subject(of) + formula, of_element);
  };
  for (std::size_t a = 0; a < used.size(); ++a) {
    const std::string x = used[a].array.name;
    add(x + " alone", [&](std::size_t i) { return value(a, i); });
    add("2 * " + x, [&](std::size_t i) { return 2 * value(a, i); });
    add(x + " * " + x, [&](std::size_t i) { return value(a, i) * value(a, i); });
    for (std::size_t b = 0; b < used.size(); ++b) {
      const std::string y = used[b].array.name;
      if (a == b) continue;
      add(x + " - " + y, [&](std::size_t i) { return value(a, i) - value(b, i); });
      add(x + " / " + y, [&](std::size_t i) { return value(a, i) / value(b, i); });
      if (a > b) continue;
      add(x + " + " + y, [&](std::size_t i) { return value(a, i) + value(b, i); });
      add(x + " * " + y, [&](std::size_t i) { return value(a, i) * value(b, i); });
      for (std::size_t c = b + 1; c < used.size(); ++c) {
        const std::string z = used[c].array.name;
        add(x + " + " + y + " + " + z,
            [&](std::size_t i) { return value(a, i) + value(b, i) + value(c, i); });
        add(x + " + " + y + " * " + z,
            [&](std::size_t i) { return value(a, i) + value(b, i) * value(c, i); });
        add(x + " * " + y + " * " + z,
            [&](std::size_t i) { return value(a, i) * value(b, i) * value(c, i); });
      }
    }
  }
}
}  // namespace gpulab::validate
