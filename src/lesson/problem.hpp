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

// The value of one of a lesson's own options: a word or the path of a file, a count, or a number.
using OptionValue = std::variant<std::string, std::uint64_t, double>;

// What the user asked for.
struct Settings {
  std::size_t size = 0;  // elements; 0 for a lesson whose own options say how large its problem is
  std::uint64_t seed = 42;
  std::map<std::string, OptionValue> options = {};  // of the lesson itself, every one of them
  bool edge_inputs = false;  // with zeros of both signs, the smallest, the largest numbers among the inputs

  const std::string& word(const std::string& option) const {
    return std::get<std::string>(options.at(option));
  }
  std::size_t count(const std::string& option) const { return std::get<std::uint64_t>(options.at(option)); }
  double number(const std::string& option) const { return std::get<double>(options.at(option)); }

  friend bool operator==(const Settings&, const Settings&) = default;

  // None when the option was not given.
  std::optional<std::filesystem::path> file(const std::string& option) const {
    const std::string& path = word(option);
    return path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
  }
};

// The options that only one lesson has: --distribution uniform|one-bin|sorted, --width 2048, --input FILE.

// One of several words. The first is the default.
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

// A file to read; none unless it is given.
struct InputFile {};

// A file to write, in the way that the problem's artifact of the same name says; none unless it is given.
struct OutputFile {
  std::string ending = {};  // that its name must have: ".png"
};

struct Option {
  std::string name;
  std::string help;
  std::variant<Choice, Count, Number, InputFile, OutputFile> kind;
};

// The value that an option has when it is not given.
OptionValue default_value(const Option& option);

// The same of each, by name.
std::map<std::string, OptionValue> default_values(const std::vector<Option>& options);

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
  std::string pattern;  // "filter-not-turned"
  // "{} element is what a correlation gives: consistent with ..."; {} stands for "every", or for "each wrong"
  // where some are right.
  std::string explanation;
  Reference result;

  std::string text(const std::string& which) const;
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
