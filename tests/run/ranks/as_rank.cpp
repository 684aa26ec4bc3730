#include <unistd.h>

#include "base/error.hpp"
#include "run/ranks/as_rank.hpp"
#include "run/ranks/processes.hpp"
#include "test.hpp"

namespace gpulab::run::ranks {
namespace {

void expect(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error("wrong: " + what);
}

void check_place(Processes& all) {
  expect(all.rank() >= 0 && all.rank() < all.count(), "rank");
  expect(all.local_rank() >= 0 && all.local_rank() < all.local_count() && all.local_count() <= all.count(),
         "local rank");
  expect(!all.node().empty(), "the node's name");
  expect(!find_launcher(), "a process that this one starts would take itself for a rank");
  expect(!join_processes(), "joined twice");
}

std::string text_of_rank(int rank) {
  const std::size_t sizes[] = {5, 1'000'003, 0, 70'000};
  return std::string(sizes[rank % 4], static_cast<char>('a' + rank));
}

void check_gather(Processes& all) {
  const std::vector<std::string> texts = all.gather(text_of_rank(all.rank()), "gather");
  expect(texts.size() == static_cast<std::size_t>(all.count()), "texts of all ranks");
  for (int rank = 0; rank < all.count(); ++rank)
    expect(texts[static_cast<std::size_t>(rank)] == text_of_rank(rank),
           "text of rank " + std::to_string(rank));
}

template <class T>
void check_all_reduce(Processes& all) {
  std::vector<T> values(1009);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 7 + all.rank());
  all.all_reduce(std::as_writable_bytes(std::span(values)), element_type_of<T>());
  const auto n = static_cast<std::size_t>(all.count());
  for (std::size_t i = 0; i < values.size(); ++i)
    expect(values[i] == static_cast<T>(i % 7 * n + n * (n - 1) / 2),
           "sum of " + std::to_string(sizeof(T)) + " bytes");
}

// Sends to the next rank and receives from the previous one, in messages of several sizes at once.
void check_exchange(Processes& all) {
  const int next = (all.rank() + 1) % all.count(), previous = (all.rank() + all.count() - 1) % all.count();
  std::vector<std::vector<std::byte>> outgoing, incoming;
  std::vector<Processes::Message> sent, received;
  for (const std::size_t bytes : {0, 1, 13, 100'003, 3'000'001}) {
    outgoing.emplace_back(bytes, static_cast<std::byte>(all.rank() + 1));
    incoming.emplace_back(bytes, std::byte{0});
  }
  for (std::size_t i = 0; i < outgoing.size(); ++i) {
    sent.push_back({next, outgoing[i]});
    received.push_back({previous, incoming[i]});
  }
  all.exchange(sent, received);
  for (const std::vector<std::byte>& bytes : incoming)
    expect(bytes == std::vector<std::byte>(bytes.size(), static_cast<std::byte>(previous + 1)),
           "what was received");
}

void check_everything(Processes& all) {
  check_place(all);
  check_gather(all);
  check_all_reduce<std::int32_t>(all);
  check_all_reduce<std::uint32_t>(all);
  check_all_reduce<std::uint8_t>(all);
  check_all_reduce<float>(all);
  check_all_reduce<double>(all);
  for (int i = 0; i < 100; ++i) all.barrier();
  check_exchange(all);
  check_gather(all);
}

[[noreturn]] void sleep_for_a_minute() {
  ::sleep(60);
  throw std::runtime_error("nobody has ended this rank");
}

const std::map<std::string, std::function<void(Processes&)>> cases{
    {"everything", check_everything},
    {"other-place",
     [](Processes& all) {
       all.rank() == 2 ? all.barrier() : static_cast<void>(all.gather("", "the all-reduce of output"));
     }},
    {"absent", [](Processes& all) { all.rank() == 3 ? sleep_for_a_minute() : all.barrier(); }},
    {"killed", [](Processes& all) { all.rank() == 1 ? static_cast<void>(::raise(SIGKILL)) : all.barrier(); }},
    {"throws",
     [](Processes& all) {
       if (all.rank() == 1) throw UsageError("rank 1 lacks its kernel");
       all.barrier();
     }},
    {"exits", [](Processes& all) { all.rank() == 1 ? std::exit(0) : all.barrier(); }},
    {"ends-early",
     [](Processes& all) {
       if (all.rank() != 2) all.barrier();
     }},
    {"fewer-bytes",
     [](Processes& all) {
       std::vector<std::byte> sent(3), received(4);
       const Processes::Message to{1 - all.rank(), sent}, from{1 - all.rank(), received};
       if (all.rank() < 2) all.exchange(std::span(&to, 1), std::span(&from, 1));
       all.barrier();
     }},
};

}  // namespace

void act_as_rank(const std::string& test_case) {
  const std::unique_ptr<Processes> all = join_processes();
  if (!all) throw std::runtime_error("no launcher");
  cases.at(test_case)(*all);
  std::printf("rank %d of %d, local %d of %d on %s: right\n", all->rank(), all->count(), all->local_rank(),
              all->local_count(), all->node().c_str());
}

}  // namespace gpulab::run::ranks
