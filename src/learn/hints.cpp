#include "learn/hints.hpp"

#include <algorithm>
#include <iterator>

namespace gpulab::learn {
namespace {

struct AnswerHint {
  const char* pattern;
  const char* hint;
};

constexpr AnswerHint answer_hints[] = {
    // Any answer.
    {"unanswered", "Take one question after the other: a check tells which answers are right so far."},
    {"unreadable-answer", "An answer is one number, with its unit: 3 ms, 25 %, 1.5 x."},
    {"wrong-unit", "The brackets behind the word answer say in which unit a number alone is taken."},
    {"wrong-prefix", "1 s is 1000 ms, 1 ms is 1000 us, and 1 GB/s is 1 MB in a ms."},
    {"bits-for-bytes", "B is a byte, of 8 bits. Memory and the links to GPUs are measured in bytes."},
    {"fraction-for-percent", "Write 0.5 as 50 %."},
    {"upside-down", "What is asked to be a times as fast or as long stands above the line."},
    {"wrong-number",
     "Write every step down with its unit, and look for the first one that you cannot give a reason for."},
    // Streams.
    {"nothing-overlaps",
     "Which pieces of work are in different streams, need different engines, and do not wait for each "
     "other?"},
    {"everything-overlaps", "What is done by one engine, or in one stream, is done one after the other."},
    {"order-forgotten",
     "In one stream everything runs in the order in which it was put there. Draw a line for each stream."},
    {"event-forgotten",
     "A stream that waits for an event does nothing until all is done that stood before the event."},
    {"wait-for-one", "What does a stream do with work that stands behind something that has to wait?"},
    {"divided-by-streams", "Streams are queues. How many engines are there to work on them?"},
    {"ends-forgotten",
     "What does the first chunk have to go through before the busiest engine begins, and the last one after "
     "it?"},
    {"parts-as-equal", "Which of the three takes longest, and what hides behind it?"},
    {"one-way-link", "A link carries data both ways at once, and there is an engine for each."},
    {"shortest-for-longest", "A chain is as fast as its slowest part."},
    // Coalescing.
    {"size-of-element", "Work out how many bytes the warp wants, from the type."},
    {"sector-for-each", "Write down the addresses of threads 0, 1, 2 ... until they leave the first sector."},
    {"one-thread", "A warp has 32 threads, and their accesses are one request."},
    {"bytes-for-sectors", "A sector has 32 bytes."},
    {"lines-for-sectors", "Caches keep lines of 128 bytes, and fetch sectors of 32."},
    {"as-if-aligned", "At which byte does thread 0 read, and does a sector begin there?"},
    {"as-if-neighbours", "Write down the addresses of threads 0, 1, 2 ...: how far are they apart?"},
    {"grows-for-ever", "How many different sectors can 32 threads touch, if each wants 4 bytes of one?"},
    {"distance-for-number", "Count the different sectors in which the 32 threads have something."},
    {"shape-of-block", "Threads are numbered along x first. Write down x and y of threads 0 to 31."},
    {"load-for-store", "Loads go by in[...], stores by out[...]: which of the two is asked for?"},
    {"sectors-forgotten", "What is the smallest piece of memory that is fetched, and what else lies in it?"},
    {"the-other-part", "Used, or fetched for nothing: which of the two is asked for?"},
    // Transfers.
    {"stages-added", "While one piece crosses the link, what does the host do?"},
    {"link-alone", "How does the data get into the driver's buffers, and how fast?"},
    {"rates-added", "Every byte takes both ways, one after the other."},
    {"latency-forgotten",
     "A copy takes what it costs at any size, and what its bytes take. Write down both, for each way to "
     "copy."},
    {"bytes-for-copies", "How often is the cost of a copy paid?"},
    {"half-and-double", "Half of the rate is twice the time. What is the time made of?"},
    {"copies-forgotten", "Where are the data before, and where are they wanted afterwards?"},
    {"array-forgotten", "Which arrays cross the link, and in which direction?"},
};

}  // namespace

std::string answer_hint(const std::string& pattern) {
  const auto found = std::ranges::find(answer_hints, pattern, &AnswerHint::pattern);
  return found == std::end(answer_hints) ? "" : found->hint;
}

TakenHint take_hint(const Exercise& exercise, ExerciseProgress& progress) {
  TakenHint hint{.exercise = exercise.lesson, .of_pattern = pattern_hint(progress.last_pattern)};
  if (!hint.of_pattern.empty()) hint.pattern = progress.last_pattern;
  const std::size_t taken = progress.hints_taken;
  if (taken < exercise.hints.size()) {
    hint.texts = {exercise.hints[taken]};
    hint.first = taken + 1;
    hint.left = exercise.hints.size() - hint.first;
    ++progress.hints_taken;
  } else {
    hint.texts = exercise.hints;
  }
  return hint;
}

}  // namespace gpulab::learn
