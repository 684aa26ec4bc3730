#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lesson/arrays.hpp"
#include "lesson/finding.hpp"
#include "lesson/handles.hpp"

namespace gpulab {

// The value of a lesson's own option: a word or file path, a count, or a number.
using OptionValue = std::variant<std::string, std::uint64_t, double>;

// The user's settings.
struct Settings {
  std::size_t size = 0;  // elements; 0 if the lesson's own options give the size
  std::uint64_t seed = 42;
  std::map<std::string, OptionValue> options = {};  // every option of the lesson
  bool edge_inputs = false;  // mixes zeros of both signs, smallest and largest numbers into the inputs
  // First element that has memory, a multiple of the block size; the blocks before it do not run. Only for
  // problems that look at it (Lesson::checked_far).
  std::size_t begins_at = 0;
  bool only_some_ranks = false;  // the others skip their parts; only for problems that look at it

  const std::string& word(const std::string& option) const {
    return std::get<std::string>(options.at(option));
  }
  std::size_t count(const std::string& option) const { return std::get<std::uint64_t>(options.at(option)); }
  double number(const std::string& option) const { return std::get<double>(options.at(option)); }

  friend bool operator==(const Settings&, const Settings&) = default;

  // Returns no path if the option was not given.
  std::optional<std::filesystem::path> file(const std::string& option) const {
    const std::string& path = word(option);
    return path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
  }
};

// Options of a single lesson: --distribution uniform|one-bin|sorted, --width 2048, --input FILE.

// One of several words; the first is the default.
struct Choice {
  std::vector<std::string> words;
};

struct Count {
  std::uint64_t default_value = 1;
  std::uint64_t min = 1;
  std::uint64_t max = std::numeric_limits<std::int32_t>::max();
};

struct Number {
  double default_value = 0;
  double min = 0;
  double max = std::numeric_limits<double>::max();
};

// A file to read; by default none.
struct InputFile {};

// A file to write with the problem's artifact of the same name; by default none.
struct OutputFile {
  std::string ending = {};  // required suffix of its name: ".png"
};

struct Option {
  std::string name;
  std::string help;
  std::variant<Choice, Count, Number, InputFile, OutputFile> kind;
};

// Returns an option's default value.
OptionValue default_value(const Option& option);

// Returns the default values by name.
std::map<std::string, OptionValue> default_values(const std::vector<Option>& options);

// Neighbouring elements of an array, or rows of an image.
struct Share {
  std::size_t first = 0;
  std::size_t count = 0;

  std::size_t end() const { return first + count; }
};

// Returns the share of rank r of n: from floor(size r / n) up to floor(size (r + 1) / n). Shares differ by at
// most one.
constexpr Share share_of(std::size_t size, int rank, int ranks) {
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
  const auto first_of = [&](std::size_t k) { return size / n * k + size % n * k / n; };
  return {first_of(r), first_of(r + 1) - first_of(r)};
}

// A part of an array that one rank sends and another receives.
struct Message {
  int peer = 0;  // rank to send to or receive from
  ArrayHandle array;
  std::size_t first = 0, count = 0;  // elements within this rank's part
};

// One of several devices that work on a problem together, with the terms of MPI and NCCL. Each rank runs the
// same steps on its own part of the problem (Problem::part), in its own thread or process.
//
// All ranks must call collective operations in the same order, with arrays of the same type and count;
// otherwise all of them end with an error that says which rank waits where. Operations with a stream
// parameter are ordered by that stream, as in Execution.
class Rank {
 public:
  virtual ~Rank() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Replaces the array by its sum over all ranks (ncclAllReduce).
  virtual void all_reduce(const ArrayHandle& array, int stream = 0) = 0;

  // Sends and receives in one group, so that ranks do not wait in a cycle (ncclSend, ncclRecv).
  virtual void exchange(const std::vector<Message>& sent, const std::vector<Message>& received,
                        int stream = 0) = 0;

  // Does the same for values in host memory (MPI_Allreduce, MPI_Sendrecv). Returns when done.
  virtual void all_reduce(std::span<int> values) = 0;
  virtual std::vector<float> exchange(int peer, std::span<const float> sent) = 0;

  // Waits on the host until all ranks are here (MPI_Barrier).
  virtual void barrier() = 0;

  // These need peer access between ranks of one process.

  // Returns another rank's array as an argument for a kernel.
  template <class Handle>
  auto of_rank(int peer, std::size_t element, const Handle& handle) {
    KernelArgument argument = argument_for(handle);
    argument.offset = element;
    argument.rank = peer;
    return Argument<typename ParameterOf<Handle>::type>(std::move(argument));
  }
  // Copies from this rank's array to another's (cuMemcpyPeerAsync).
  virtual void copy_to_rank(const Message& what, std::size_t first_there, int stream = 0) = 0;
  // Waits for an event that another rank recorded before a barrier that both have passed.
  virtual void wait_for_rank(int stream, int peer, int event) = 0;
};

// Accepts |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

constexpr Tolerance exact{};

// Minimum device memory traffic and arithmetic of any kernel.
struct Traffic {
  double bytes_read = 0;
  double bytes_written = 0;
  double operations = 0;               // floating-point; additions and multiplications count one each
  bool limited_by_operations = false;  // so GFLOP/s are more meaningful than GB/s
};

// A problem's own traffic. By default each input is read once, and each output written once.
struct ExpectedTraffic {
  std::optional<double> bytes_read = {}, bytes_written = {};
  double operations = 0;
  bool limited_by_operations = false;
};

constexpr ExpectedTraffic no_traffic{.bytes_read = 0, .bytes_written = 0};

// Makes the file for the option of that name.
struct ArtifactMaker {
  std::string option;
  std::function<std::string(const Inputs& inputs, const Outputs& outputs)> content;
};

// A result of one misunderstanding, to recognise among wrong results.
struct TypicalResult {
  std::string pattern;  // "filter-not-flipped"
  // "{} element is what a correlation gives: consistent with ..."; {} becomes "every", or "each wrong" if
  // some are right.
  std::string explanation;
  Reference result;

  std::string text(const std::string& which) const;
};

// Terms of a result that is a sum. `compute` makes the output with term i counted `times(i)` times, usually
// once.
struct Terms {
  std::string name = "term";  // "element", "tap"
  std::size_t count = 0;
  std::function<void(const Inputs&, const std::function<double(std::size_t term)>& times, Outputs&)> compute =
      {};
  std::size_t row = 0;  // terms per row, if they form rows
};

// An array other than the first output that work items correspond to, and why.
struct WorkOver {
  ArrayHandle array;
  std::string reason;
};

// Neighbouring elements of an array held by one rank of several.
struct HeldPart {
  ArrayHandle array;
  Share held;
  std::size_t width = 0;  // width of its rows, if any
};

// One rank's part of a problem: parts of these arrays, all of the others, and its own values of some scalars.
struct PartOfProblem {
  std::vector<HeldPart> arrays;
  std::vector<ScalarValue> scalars = {};
  std::string description = {};  // "elements 250 to 499"
};

// The computation: inputs, CPU references, required traffic and tolerance.
struct Problem {
  std::string description;         // "33 554 432 int32 in 256 bins, uniform"
  std::vector<SizedArray> arrays;  // every array of any variant; outputs are compared in this order
  std::vector<ScalarValue> scalars = {};
  Fill fill = {};
  Fill edges = {};  // mixed into the inputs to check kernels: see with_edges
  References references = {};
  ExpectedTraffic traffic = {};
  // Accesses and operations of a checked kernel; by default the traffic's operations.
  std::optional<double> work_to_check = {};
  Tolerance tolerance = exact;
  std::string element = "element";  // name of one output element: "bin"
  // By default one work item per element of the first output, in its shape.
  std::optional<WorkOver> work = {};
  // Returns the first work item to add to an output element, if any. By default item i writes element i of
  // every output that has the shape of the work.
  std::function<std::optional<std::size_t>(const Inputs& inputs, std::size_t element)> first_item = {};
  std::vector<TypicalResult> typically_wrong = {};
  Terms terms = {};
  Uses uses = {};  // by default those of the references
  // Computes further findings from the outputs of every right variant.
  std::function<Findings(const Inputs& inputs, const Outputs& outputs)> findings = {};
  std::vector<ArtifactMaker> artifacts = {};
  // Divides the problem among devices; by default it cannot be divided.
  std::function<PartOfProblem(int rank, int ranks)> part = {};
  int ranks_in_turn = 1;  // ranks that one device runs, one after another
  // Arrays copied for the whole problem; by default all inputs and outputs.
  std::vector<ArrayHandle> copied = {};

  // Returns whether an end-to-end run must copy the array.
  bool copies(const SizedArray& array) const;
  // Throws std::logic_error if there is no such array.
  const SizedArray& array(const ArrayHandle& handle) const;
  // Returns the bits of a scalar's value. Throws std::logic_error if there is none of that name.
  std::uint64_t scalar(const std::string& name) const;
  Extent work_items() const;
  Traffic min_traffic() const;
};

}  // namespace gpulab
