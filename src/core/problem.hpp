#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/arrays.hpp"
#include "core/findings.hpp"
#include "core/handles.hpp"
#include "core/inputs.hpp"
#include "core/rank.hpp"
#include "core/references.hpp"

namespace gpulab {

// |actual - expected| <= absolute + relative * |expected| is right, anything else is wrong.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

constexpr Tolerance exact{};

// The least that any kernel must move through the device's memory, and the arithmetic it must do.
struct Traffic {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;               // floating-point, additions and multiplications counted one each
  bool limited_by_operations = false;  // so GFLOP/s tell more than GB/s
};

// What a problem says of it. Left out: each input is read once, and each output written once.
struct ExpectedTraffic {
  std::optional<double> bytes_read = {}, bytes_written = {};
  double operations = 0;
  bool limited_by_operations = false;
};

constexpr ExpectedTraffic no_traffic{.bytes_read = 0, .bytes_written = 0};

// Makes the content of the file that the option of that name asks for.
struct ArtifactMaker {
  std::string option;
  std::function<std::string(const Inputs& inputs, const Outputs& outputs)> content;
};

// What comes out for somebody who has not understood one thing, to be told from any other wrong result.
struct TypicalResult {
  std::string pattern;      // "filter-not-turned"
  std::string explanation;  // "every element is what a correlation gives: consistent with ..."
  Reference result;
};

// A result that is a sum: what comes out if each term counts so many times, usually once.
struct Terms {
  std::string name = "term";  // "element", "tap"
  std::size_t count = 0;
  std::function<void(const Inputs&, const std::function<double(std::size_t term)>& times, Outputs&)> compute =
      {};
  std::size_t row = 0;  // of terms that lie in rows: how many in one
};

// Work items that do not lie over the first output, but over another array, and why.
struct WorkOver {
  ArrayHandle array;
  std::string reason;
};

// What one rank of several holds of an array: neighbouring elements of it.
struct HeldPart {
  ArrayHandle array;
  Share held;
  std::size_t width = 0;  // of its rows, if it has any
};

// What one rank has of a problem: of these arrays a part, of others all, and values of its own for some
// scalars.
struct PartOfProblem {
  std::vector<HeldPart> arrays;
  std::vector<ScalarValue> scalars = {};
  std::string description = {};  // "elements 250 to 499"
};

// What is computed: inputs, CPU references, the traffic it must cause, the tolerance.
struct Problem {
  std::string description;         // "33 554 432 int32 in 256 bins, uniform"
  std::vector<SizedArray> arrays;  // every one that a variant uses; the outputs are compared in this order
  std::vector<ScalarValue> scalars = {};
  Fill fill = {};
  Fill edges = {};  // what it puts among the inputs to check kernels with: see with_edges
  References references = {};
  ExpectedTraffic traffic = {};
  // Accesses and operations of a kernel that is checked; left out: the traffic's operations.
  std::optional<double> work_to_check = {};
  Tolerance tolerance = exact;
  std::string element = "element";  // what one element of the output is called: "bin"
  // Left out: a work item for each element of the first output, in its shape.
  std::optional<WorkOver> work = {};
  // Which work item is the first to add to an output element, if any is. Left out: item i writes element i of
  // every output that has the shape of the work.
  std::function<std::optional<std::size_t>(const Inputs& inputs, std::size_t element)> first_item = {};
  std::vector<TypicalResult> typically_wrong = {};
  Terms terms = {};
  Uses uses = {};  // left out: what the references say
  // What else the outputs of a variant show. It is asked for every variant that came out right.
  std::function<Findings(const Inputs& inputs, const Outputs& outputs)> findings = {};
  std::vector<ArtifactMaker> artifacts = {};
  // How several devices divide it; left out: they do not.
  std::function<PartOfProblem(int rank, int ranks)> part = {};
  int ranks_in_turn = 1;  // whose work one device does, in a variant that does it in turn
  // The arrays that have to be copied for the whole problem; left out: all inputs and outputs.
  std::vector<ArrayHandle> copied = {};

  // Whether an end-to-end run has to copy the array.
  bool copies(const SizedArray& array) const;
  // Throws std::logic_error where there is no such array.
  const SizedArray& array(const ArrayHandle& handle) const;
  // The bits of a scalar's value. Throws std::logic_error where there is none of that name.
  std::uint64_t scalar(const std::string& name) const;
  Extent work_items() const;
  Traffic min_traffic() const;
};

}  // namespace gpulab
