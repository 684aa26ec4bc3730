#include "simulator/remote/channel.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulator/remote/mutated_messages.hpp"
#include "test.hpp"

// Tests what a stranger at the other end can do to a process that waits for a message.

namespace gpulab::simulator::remote {
namespace {

class StrangersChannel : public testing::Test {
 protected:
  void TearDown() override {
    ::kill(stranger_, SIGKILL);
    ::waitpid(stranger_, nullptr, 0);
  }

  // Starts a process, the stranger, that acts and then sleeps.
  void start_stranger(const std::function<void(int socket)>& act) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    stranger_ = ::fork();
    if (stranger_ == 0) {
      act(ends[1]);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    channel_ = Channel(Descriptor(ends[0]));
  }

  std::optional<std::string> received(double seconds = 0.3, const StopToken& stop = {}) {
    TimeLimit limit(seconds);
    return channel_.receive(1000, {limit, stop});
  }

  static void write_length(int socket, std::uint64_t length) {
    (void)!::write(socket, &length, sizeof length);
  }

  pid_t stranger_ = -1;
  Channel channel_;
};

TEST_F(StrangersChannel, TakesAWholeMessage) {
  start_stranger([](int socket) { Channel(Descriptor(socket)).send("hello"); });
  EXPECT_EQ(received(10), "hello");
}

TEST_F(StrangersChannel, DoesNotWaitForTheRestOfALength) {
  start_stranger([](int socket) { (void)!::write(socket, "x", 1); });
  EXPECT_THROW(received(), OutOfTime);
}

TEST_F(StrangersChannel, DoesNotWaitForTheRestOfAMessage) {
  start_stranger([](int socket) {
    write_length(socket, 100);
    (void)!::write(socket, "x", 1);
  });
  EXPECT_THROW(received(), OutOfTime);
}

TEST_F(StrangersChannel, EndsInTimeAlthoughBytesTrickleIn) {
  start_stranger([](int socket) {
    write_length(socket, 1000);
    for (;; ::usleep(10'000)) (void)!::write(socket, "x", 1);
  });
  EXPECT_THROW(received(), OutOfTime);
}

TEST_F(StrangersChannel, RefusesAMessageThatIsTooLong) {
  start_stranger([](int socket) { write_length(socket, std::uint64_t{1} << 36); });
  EXPECT_THROW(received(10), BadMessage);
}

TEST_F(StrangersChannel, RefusesAFile) {
  start_stranger([](int socket) { Channel(Descriptor(socket)).send("take this", STDIN_FILENO); });
  EXPECT_THROW(received(10), BadMessage);
}

TEST_F(StrangersChannel, SeesThatTheOtherEndIsGone) {
  start_stranger([](int socket) {
    write_length(socket, 100);
    ::_exit(0);
  });
  EXPECT_EQ(received(10), std::nullopt);
}

TEST_F(StrangersChannel, DoesNotWaitForAStrangerWhoDoesNotRead) {
  start_stranger([](int) {});
  TimeLimit limit(0.3);
  EXPECT_THROW(channel_.send(std::string(std::size_t{1} << 24, 'x'), -1, {limit, {}}), OutOfTime);
}

TEST_F(StrangersChannel, StopsOnRequestInTheMiddleOfAMessage) {
  start_stranger([](int socket) { (void)!::write(socket, "x", 1); });
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "q", 1), 1);
  EXPECT_THROW(received(60, {ends[0], [] { return true; }}), WorkStopped);
  for (const int end : ends) ::close(end);
}

std::vector<Defect> some_defects() {
  Defect race{.kind = DefectKind::shared_race, .party = {.line = 7, .access = DefectAccess::store}};
  race.party.place = DefectThread{.block = {1, 0, 0}, .thread = {3, 0, 0}, .warp = 0, .lane = 3};
  race.other = Defect::Party{.line = 9, .access = DefectAccess::load, .file = "sum.cuh"};
  race.memory = {.variable = "partial", .begin = 4096, .bytes = 128};
  race.work = "kernel add";
  return {race,
          {.kind = DefectKind::out_of_bounds,
           .address = 5000,
           .bytes = 4,
           .index = 32,
           .detail = "float [32]",
           .count = 3}};
}

TEST(Wire, ReadsWhatWasWritten) {
  Reader reader(Writer()(some_defects(), std::optional<int>(), true, std::string("text")).take());
  const auto defects = reader.next<std::vector<Defect>>();
  ASSERT_EQ(defects.size(), 2u);
  EXPECT_EQ(explanation_of(defects[0]), explanation_of(some_defects()[0]));
  EXPECT_EQ(reader.next<std::optional<int>>(), std::nullopt);
  EXPECT_TRUE(reader.next<bool>());
  EXPECT_EQ(reader.last<std::string>(), "text");
}

TEST(Wire, RefusesNumbersOutsideAnEnumeration) {
  EXPECT_THROW(Reader("\x77").next<Answer>(), BadMessage);
  EXPECT_THROW(Reader("\x02").next<bool>(), BadMessage);
  EXPECT_THROW(Reader(Writer()(static_cast<int>(DefectKind::other) + 1).take()).next<DefectKind>(),
               BadMessage);
  EXPECT_THROW(Reader(Writer()(-1).take()).next<DefectKind>(), BadMessage);
}

TEST(Wire, BelievesNoLengthBeforeTheBytesAreThere) {
  const std::string length = Writer()(std::size_t{1} << 60).take();
  EXPECT_THROW(Reader(length).next<std::string>(), BadMessage);
  EXPECT_THROW(Reader(length + "abc").next<std::vector<std::string>>(), BadMessage);
  EXPECT_THROW(Reader(length + std::string(1000, '\0')).next<std::vector<Defect>>(), BadMessage);
  EXPECT_THROW(Reader("ab").last<char>(), BadMessage) << "something is left over";
}

TEST(Wire, ShowsNoTextThatATerminalWouldObey) {
  Defect defect{.detail = "\x1b[2J\ngpulab: good"};
  Reader reader(Writer()(std::vector<Defect>{defect}).take());
  EXPECT_EQ(reader.next<std::vector<Defect>>()[0].detail, "?[2J?gpulab: good");
  EXPECT_THROW(Reader(Writer()(std::string(100'000, 'x')).take()).text(), BadMessage);
}

TEST(Wire, SurvivesMutations) {
  const std::string message = Writer()(some_defects()).take();
  const int count = 20'000;
  const int refused = refused_mutations(message, count, [](std::string bytes) {
    for (const Defect& defect : by_severity(Reader(std::move(bytes)).last<std::vector<Defect>>()))
      EXPECT_EQ((explanation_of(defect) + text_of_other_party(defect)).find('\n'), std::string::npos);
  });
  EXPECT_GT(refused, count / 2);
  EXPECT_LT(refused, count);
}

TEST(Wire, SurvivesMutationsOfNumbers) {
  const LineAccesses line{
      .line = 3, .kind = AccessKind::shared_atomic, .sums = {.requests = 4, .bytes = 128}};
  const device::KernelAttributes kernel{.registers_per_thread = 20, .spill_load_bytes = 8};
  const std::string message = Writer()(AccessCounts{std::vector<LineAccesses>(3, line), {{"tile", {1, 2}}}},
                                       kernel, Failure{DefectKind::deadlock, 4})
                                  .take();
  refused_mutations(message, 20'000, [](std::string bytes) {
    Reader reader(std::move(bytes));
    for (const LineAccesses& accesses : reader.next<AccessCounts>().lines)
      EXPECT_FALSE(name_of(accesses.kind).empty());
    reader.next<device::KernelAttributes>();
    EXPECT_FALSE(name_of(reader.last<Failure>().kind).empty());
  });
}

}  // namespace
}  // namespace gpulab::simulator::remote
