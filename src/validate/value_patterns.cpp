#include <array>

#include "core/text.hpp"
#include "validate/explanation.hpp"

namespace gpulab::validate {
namespace {

using Line = std::optional<std::string>;

std::string first_difference(const Evidence& evidence) {
  return "first " + element_in_full(evidence, evidence.wrong_at.first());
}

Line shifted(const Evidence& evidence, std::size_t fitting, bool edge_is_wrong, const char* neighbour) {
  // The element at the edge has no such neighbour, so it may hold anything.
  const std::size_t explained = fitting + (edge_is_wrong ? 1 : 0);
  if (fitting < min_for_a_rule || explained != evidence.wrong()) return std::nullopt;
  return share_wrong(evidence) + ", " + grouped(fitting) + " of them hold what the " + neighbour +
         " element should, " + first_difference(evidence) + "; consistent with an index that is off by one";
}

Line shifted_down(const Evidence& evidence) {
  const bool last_is_wrong = evidence.wrong_at.last() + 1 == evidence.checked();
  return shifted(evidence, evidence.equal_to_next, last_is_wrong, "next");
}

Line shifted_up(const Evidence& evidence) {
  return shifted(evidence, evidence.equal_to_previous, evidence.wrong_at.first() == 0, "previous");
}

Line doubled(const Evidence& evidence) {
  if (evidence.doubled < min_for_a_rule || evidence.doubled != evidence.wrong()) return std::nullopt;
  return share_wrong(evidence) + ", each twice what is expected, " + first_difference(evidence) +
         "; consistent with counting every contribution twice";
}

Line zero_everywhere(const Evidence& evidence) {
  if (evidence.zeros != evidence.checked()) return std::nullopt;
  return share_wrong(evidence) + ", every element was set to 0, " + first_difference(evidence);
}

Line not_a_number(const Evidence& evidence) {
  const Positions& nans = evidence.not_a_number;
  if (nans.count() == 0) return std::nullopt;
  return share_wrong(evidence) + ", " + grouped(nans.count()) + " of them written as NaN, first " +
         element_in_full(evidence, nans.first());
}

Line lost_updates(const Evidence& evidence) {
  const bool counts = evidence.before == Before::cleared && holds_integers(evidence);
  if (!counts || evidence.too_small != evidence.wrong()) return std::nullopt;
  const Difference first = difference_at(evidence, evidence.wrong_at.first());
  const ElementType type = evidence.actual.type();
  const std::string verb = evidence.items.element_name == "element" ? " holds " : " counts ";
  std::string line = name_of_element(evidence, first.index) + verb + value_text(first.actual, type) + " of " +
                     value_text(first.expected, type) + ": updates were lost";
  if (evidence.checked() > 1) line += ", in " + share_of_elements(evidence, evidence.wrong());
  const auto owner = owner_of(evidence.items, first.index);
  if (evidence.items.item_of && owner) line += "; " + text_of(*owner) + " was the first to count there";
  return line;
}

Line transposed(const Evidence& evidence) {
  if (evidence.equal_to_transposed < min_for_a_rule || evidence.equal_to_transposed != evidence.wrong())
    return std::nullopt;
  return share_wrong(evidence) + ", each of them holds what the element at its mirrored place should, " +
         first_difference(evidence) + "; consistent with row and column exchanged";
}

Line rounding_only(const Evidence& evidence) {
  if (holds_integers(evidence)) return std::nullopt;
  const bool is_half = evidence.wrong() >= min_for_a_rule && evidence.few_bits == evidence.wrong();
  if (is_half)
    return share_wrong(evidence) + ", each right to 11 bits, " + first_difference(evidence) +
           "; consistent with a shorter type on the way, such as half";
  if (evidence.off_by_little != evidence.wrong()) {
    if (evidence.off_as_by_half != evidence.wrong()) return std::nullopt;
    return share_wrong(evidence) + ", none by more than 0.1 %, " + first_difference(evidence) +
           "; consistent with a shorter type on the way, such as half, or with a small part that is missing";
  }
  return share_wrong(evidence) + ", none by more than rounding makes, " + first_difference(evidence) +
         "; consistent with another order of operations, or a shorter type on the way";
}

// Wrong along the border of all the data, and right along the edges of blocks inside it.
Line border_only(const Evidence& evidence) {
  const Extent& work = evidence.items.work;
  const std::size_t depth = evidence.farthest_from_border + 1;
  const bool has_inside = work.y > 1 && work.volume() == evidence.checked() &&
                          2 * depth < std::min(work.x, work.y) && evidence.blocks() > 4;
  if (!has_inside || evidence.wrong() < min_for_a_rule || evidence.unwritten.count() > 0) return std::nullopt;
  return share_wrong(evidence) + ", none farther than " + std::to_string(depth) +
         " from the border of the data, " + first_difference(evidence) +
         "; consistent with another rule for what lies beyond it";
}

// Right inside, wrong within so little of the edges of the blocks, and so in most of them: a halo has nothing
// to do with what is wrong in a single place.
Line tile_edges(const Evidence& evidence) {
  const std::size_t from_edge = evidence.farthest_from_block_edge;
  const Extent& block = evidence.items.launch.block;
  const unsigned shortest = block.y > 1 ? std::min(block.x, block.y) : block.x;
  const bool spread = evidence.wrong() >= min_for_a_rule && evidence.blocks_with_wrong >= 2 &&
                      2 * evidence.blocks_with_wrong >= evidence.blocks();
  if (!spread || evidence.unwritten.count() > 0 || 4 * (from_edge + 1) > shortest) return std::nullopt;
  return share_wrong(evidence) + ", none farther than " + std::to_string(from_edge + 1) +
         " from the edge of its block, " + first_difference(evidence) +
         "; consistent with a halo that is missing or too small";
}

Line anything_else(const Evidence& evidence) {
  std::string line = share_wrong(evidence);
  if (evidence.unwritten.count() > 0)
    line += ", " + grouped(evidence.unwritten.count()) + " of them unwritten";
  return line + where_wrong(evidence) + ", " + first_difference(evidence);
}

}  // namespace

std::span<const Pattern> value_patterns() {
  static constexpr std::array patterns = {
      Pattern{"shifted", shifted_down},
      Pattern{"shifted", shifted_up},
      Pattern{"doubled", doubled},
      Pattern{"zero-everywhere", zero_everywhere},
      Pattern{"not-a-number", not_a_number},
      Pattern{"lost-updates", lost_updates},
      Pattern{"transposed", transposed},
      Pattern{"rounding-only", rounding_only},
      Pattern{"repeated", repeated_value},
      Pattern{"misplaced", misplaced_values},
      Pattern{"border", border_only},
      Pattern{"tile-edges", tile_edges},
      Pattern{"wrong-values", anything_else},
  };
  return patterns;
}

}  // namespace gpulab::validate
