#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "run/validate/candidates.hpp"

namespace gpulab::run::validate {

namespace {

constexpr std::size_t reads_zero = ~std::size_t{0};  // instead of an index: the element is 0

using IndexMapping = std::function<std::size_t(std::size_t)>;

// Copies an array to another of the same length, whose element i comes from source_of(i).
void gather(const IndexMapping& source_of, const Array& array, Array& copy) {
  const std::size_t bytes = size_of(array.type()), length = array.length();
  for (std::size_t i = 0; i < length; ++i)
    if (const std::size_t source = source_of(i); source == reads_zero)
      std::memset(copy.bytes().data() + i * bytes, 0, bytes);
    else
      std::memcpy(copy.bytes().data() + i * bytes,
                  array.bytes().data() + std::min(source, length - 1) * bytes, bytes);
}

// Transposes each square tile of a matrix.
IndexMapping transposed_in_tiles(std::size_t tile, const Extent& matrix) {
  return [=](std::size_t i) {
    const std::size_t x = i % matrix.x, y = i / matrix.x;
    const std::size_t row = y / tile * tile + x % tile, column = x / tile * tile + y % tile;
    return row < matrix.y && column < matrix.x ? row * matrix.x + column : reads_zero;
  };
}

}  // namespace

void add_other_indices(const WrongResult& result, BestExplanation& best) {
  const Reference& reference =
      result.problem.references.plain ? result.problem.references.plain : result.problem.references.openmp;
  const Extent& shape = result.items.launch.block;
  const std::size_t block = shape.volume(), blocks = result.items.launch.grid.volume();
  for (const SizedArray& array : result.problem.arrays) {
    if (array.role != Role::input || array.length < 2) continue;
    const std::size_t length = array.length, width = array.shape.x, height = array.shape.y;
    const auto add_read = [&](const std::string& index, const IndexMapping& source_of) {
      best.add(
          "input-index", fmt::format("what comes out if {} is read {}", array.name, index),
          [&](Outputs& outputs) {
            Inputs inputs = copied_inputs(result);
            gather(source_of, *result.inputs.find(array.name), *inputs.find(array.name));
            reference(inputs, outputs);
          },
          Scope::nearly_all_wrong_ones);
    };
    add_read("one element further on", [](std::size_t i) { return i + 1; });
    add_read("one element before", [](std::size_t i) { return i == 0 ? 0 : i - 1; });
    add_read("backwards", [&](std::size_t i) { return length - 1 - i; });
    add_read("at index 0 alone", [](std::size_t) { return std::size_t{0}; });
    if (height == 1)
      for (const IndexMap& map : index_maps())
        add_read("at " + std::string(map.index),
                 [&](std::size_t i) { return map.element(i / block, i % block, block, blocks); });
    for (std::size_t divisor = 4; divisor < std::min<std::size_t>(length, 4097); divisor *= 2)
      if (height == 1)
        add_read("at its index modulo " + grouped(divisor),
                 [&, divisor](std::size_t i) { return i % divisor; });
    if (height == 1) continue;
    add_read("column by column, with rows and columns exchanged",
             [&](std::size_t i) { return i % width * height + i / width; });
    if (shape.x == shape.y)
      add_read("with rows and columns of each tile exchanged", transposed_in_tiles(shape.x, array.shape));
    for (const SizedArray& other : result.problem.arrays)
      for (const std::size_t stride : {std::size_t{other.shape.x}, std::size_t{other.shape.y}})
        if (other.shape.y > 1 && stride != width)
          add_read(fmt::format("as if its rows had {} elements and not {}", grouped(stride), grouped(width)),
                   [&](std::size_t i) { return i / width * stride + i % width; });
  }
  if (shape.x != shape.y) return;
  best.add(
      "transposed", "what comes out if all inputs are read with rows and columns of each tile exchanged",
      [&](Outputs& outputs) {
        Inputs inputs = copied_inputs(result);
        for (const SizedArray& array : result.problem.arrays)
          if (array.role == Role::input && array.shape.y > 1)
            gather(transposed_in_tiles(shape.x, array.shape), *result.inputs.find(array.name),
                   *inputs.find(array.name));
        reference(inputs, outputs);
      },
      Scope::nearly_all_wrong_ones);
}

namespace {

struct ValueMap {
  const char* pattern;
  const char* text;  // "is squared"
  float (*apply)(float);
};

constexpr ValueMap value_maps[] = {
    {"wrong-formula", "is 0 everywhere", [](float) { return 0.0f; }},
    {"whole-numbers", "loses its fraction", [](float value) { return std::trunc(value); }},
    {"wrong-formula", "is squared", [](float value) { return value * value; }},
    {"wrong-sign", "loses its sign", [](float value) { return std::abs(value); }},
    {"wrong-sign", "has the other sign", [](float value) { return -value; }},
};

}  // namespace

void add_other_values(const WrongResult& result, BestExplanation& best) {
  const Reference& reference =
      result.problem.references.plain ? result.problem.references.plain : result.problem.references.openmp;
  for (const ValueMap& map : value_maps)
    for (const Array& changed : result.inputs) {
      if (changed.type() != ElementType::float32) continue;
      best.add(map.pattern, fmt::format("what comes out if {} {}", changed.name(), map.text),
               [&](Outputs& outputs) {
                 Inputs inputs = copied_inputs(result);
                 for (float& value : inputs.find(changed.name())->as<float>()) value = map.apply(value);
                 reference(inputs, outputs);
               });
    }
  best.add("whole-numbers", "what comes out if all inputs lose their fractions", [&](Outputs& outputs) {
    Inputs inputs = copied_inputs(result);
    for (Array& input : inputs)
      if (input.type() == ElementType::float32)
        for (float& value : input.as<float>()) value = std::trunc(value);
    reference(inputs, outputs);
  });
}

void add_other_places(const WrongResult& result, BestExplanation& best) {
  const Extent &work = result.items.work, &block = result.items.launch.block;
  if (work.y < 2 || work.z > 1 || work.volume() != result.actual.length()) return;
  const auto width = static_cast<std::ptrdiff_t>(work.x), height = static_cast<std::ptrdiff_t>(work.y);
  const auto expected_at = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    const bool exists = x >= 0 && y >= 0 && x < width && y < height;
    return exists ? value_of(result.expected, static_cast<std::size_t>(y * width + x)) : 0.0;
  };
  if (const std::ptrdiff_t tile = block.x; block.x == block.y)
    best.add_values(
        "transposed", "what the one at its mirrored place in its tile should be", [&](std::size_t i) {
          const auto x = static_cast<std::ptrdiff_t>(i) % width, y = static_cast<std::ptrdiff_t>(i) / width;
          return expected_at(x / tile * tile + y % tile, y / tile * tile + x % tile);
        });
  constexpr std::ptrdiff_t farthest = 4;
  const auto distance_text = [](std::ptrdiff_t by, const char* name) {
    return grouped(static_cast<std::size_t>(std::abs(by))) + " " + name +
           (by > 0 ? " further on" : " before it");
  };
  for (std::ptrdiff_t down = -farthest; down <= farthest; ++down)
    for (std::ptrdiff_t right = -farthest; right <= farthest; ++right) {
      if (down == 0 && right == 0) continue;
      std::string where = right == 0 ? "" : distance_text(right, std::abs(right) == 1 ? "column" : "columns");
      if (down != 0)
        where += (right == 0 ? "" : " and ") + distance_text(down, std::abs(down) == 1 ? "row" : "rows");
      best.add_values(
          "misplaced", "nearly everywhere what the one " + where + " should be",
          [&](std::size_t i) {
            const auto x = static_cast<std::ptrdiff_t>(i) % width, y = static_cast<std::ptrdiff_t>(i) / width;
            return expected_at(x + right, y + down);
          },
          /*tolerates_outliers=*/true);
    }
}

void add_formulas(const WrongResult& result, BestExplanation& best) {
  const Uses& inputs_of_element = result.problem.uses ? result.problem.uses : result.problem.references.uses;
  if (!inputs_of_element || inputs_of_element(0).empty()) return;
  const std::vector<InputElement> used = inputs_of_element(0);  // the same arrays for each element
  const auto value = [&](std::size_t which, std::size_t element) {
    const InputElement input = inputs_of_element(element)[which];
    return static_cast<float>(value_of(result.inputs.of(input.array), input.index));
  };
  const auto add = [&](const std::string& formula, const std::function<float(std::size_t)>& of_element) {
    best.add_values("wrong-formula", formula, of_element);
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
        add(fmt::format("{} + {} + {}", x, y, z),
            [&](std::size_t i) { return value(a, i) + value(b, i) + value(c, i); });
        add(fmt::format("{} + {} * {}", x, y, z),
            [&](std::size_t i) { return value(a, i) + value(b, i) * value(c, i); });
        add(fmt::format("{} * {} * {}", x, y, z),
            [&](std::size_t i) { return value(a, i) * value(b, i) * value(c, i); });
      }
    }
  }
}

}  // namespace gpulab::run::validate
