#include "run/ranks/processes.hpp"

#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "device/host.hpp"
#include "run/ranks/mpi_module.hpp"

namespace gpulab::run::ranks {
namespace {

// Returns the module, opened on first use and never closed, because MPI's own threads run in it. Throws
// std::runtime_error with the loader's message if it cannot be opened.
const GpulabMpi& opened_module() {
  static const device::DynamicLibrary* const library =
      new device::DynamicLibrary(device::places_of_module("mpi"));
  GpulabMpiOf* offered = nullptr;
  library->find(offered, "gpulab_mpi");
  return *offered();
}

// Throws Error with the message returned by a call of the module, unless null.
void check(const char* error) {
  if (error) throw Error(ExitCode::device, std::string("MPI: ") + error);
}

GpulabMpiType type_of(ElementType type) {
  switch (type) {
    case ElementType::int32:
      return gpulab_mpi_int32;
    case ElementType::uint32:
      return gpulab_mpi_uint32;
    case ElementType::uint8:
      return gpulab_mpi_uint8;
    case ElementType::float32:
      return gpulab_mpi_float32;
    case ElementType::float64:
      break;
  }
  return gpulab_mpi_float64;
}

enum class Waiting { for_ranks, for_data };

// Waits until everything started by send() and receive() is done; returns false if that takes longer than the
// limit. For ranks, the limit is for the whole wait; for data, it starts again with each message. This thread
// has to move the data itself, so it sleeps only while it waits for ranks. Throws Error.
bool finish_transfers(Waiting waiting, double limit_s) {
  using Clock = std::chrono::steady_clock;
  constexpr auto short_wait = std::chrono::milliseconds(2);
  constexpr std::chrono::microseconds max_sleep{1000};
  const std::chrono::duration<double> limit(limit_s);
  std::chrono::microseconds sleep{20};
  auto start = Clock::now();
  for (int pending = 0, pending_before = 0;; pending_before = pending) {
    check(opened_module().advance(&pending));
    if (pending == 0) return true;
    const auto now = Clock::now();
    if (waiting == Waiting::for_data && pending != pending_before) start = now;
    if (now - start > limit) return false;
    if (waiting == Waiting::for_data || now - start < short_wait) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(sleep);
      sleep = std::min(2 * sleep, max_sleep);
    }
  }
}

// Returns 0 if the variable is missing or not a number.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  const long number = text ? std::strtol(text, nullptr, 10) : 0;
  return number > 0 && number < 1 << 24 ? static_cast<int>(number) : 0;
}

bool is_set(const char* variable) {
  return std::getenv(variable) != nullptr;
}

}  // namespace

std::optional<Launcher> find_launcher() {
  if (is_set("OMPI_COMM_WORLD_SIZE"))
    return Launcher{.name = "mpirun (Open MPI)",
                    .rank = number_in("OMPI_COMM_WORLD_RANK"),
                    .processes = number_in("OMPI_COMM_WORLD_SIZE")};
  const bool has_pmi = is_set("PMIX_RANK") || is_set("PMI_RANK");
  if (is_set("SLURM_PROCID") && is_set("SLURM_STEP_ID")) {
    const int tasks = number_in("SLURM_STEP_NUM_TASKS");
    if (tasks > 1)
      return Launcher{.name = "srun",
                      .rank = number_in("SLURM_PROCID"),
                      .processes = tasks,
                      .lets_processes_connect = has_pmi};
    if (number_in("PMI_SIZE") <= 1)
      return std::nullopt;  // if it is more, mpiexec has used srun to start its own helper
  }
  if (has_pmi)
    return Launcher{.name = "mpiexec", .rank = number_in("PMI_RANK"), .processes = number_in("PMI_SIZE")};
  return std::nullopt;
}

void forget_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    ::unsetenv(variable);
}

namespace {

// Returns "rank 2" or "ranks 0-2, 5 and 7", for ascending ranks.
std::string names_of(const std::vector<std::size_t>& ranks) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (last == i + 1) last = i;  // no range for two
    parts.push_back(std::to_string(ranks[i]) + (last > i ? "-" + std::to_string(ranks[last]) : ""));
    i = last + 1;
  }
  std::string text = (ranks.size() > 1 ? "ranks " : "rank ") + parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) text += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text;
}

std::vector<std::size_t> ranks_at(std::span<const std::string> places, const std::string& place) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    if (places[rank] == place) ranks.push_back(rank);
  return ranks;
}

// Returns "rank 0 waits in the all-reduce of output, rank 2 in a barrier".
std::string waiting_ranks_text(std::span<const std::string> places) {
  std::vector<std::string> described{""};  // ranks that have not come are left out
  std::string text;
  for (const std::string& place : places) {
    if (contains(described, place)) continue;
    const std::vector<std::size_t> ranks = ranks_at(places, place);
    const char* const verb = ranks.size() > 1 ? " wait " : " waits ";
    const bool is_first = text.empty();
    text += (is_first ? "" : ", ") + names_of(ranks) + (is_first ? verb : " ") +
            (place == at_the_end ? "at " : "in ") + printable(place);
    described.push_back(place);
  }
  return text;
}

}  // namespace

std::string who_waits_where(std::span<const std::string> places, double limit_s) {
  if (std::ranges::all_of(places,
                          [&](const std::string& place) { return !place.empty() && place == places[0]; }))
    return {};
  const std::vector<std::size_t> missing = ranks_at(places, "");
  if (missing.empty()) return waiting_ranks_text(places) + ": all must make the same calls in the same order";
  const std::string late = names_of(missing) + (missing.size() > 1 ? " have" : " has") + " not come within " +
                           device::seconds_text(limit_s);
  return missing.size() == places.size() ? late : late + "; " + waiting_ranks_text(places);
}

namespace {

// The message from a process to every other process before a collective operation.
struct Header {
  char where[120] = {};
  std::size_t bytes = 0;  // bytes that follow
  bool has_come = false;
};

enum Tag { tag_of_headers, tag_of_gathered, tag_of_exchange };

// The process that has joined the others and has not left them; 0 for none.
pid_t joined = 0;

// Ends all processes however this one exits while joined, so that the others do not wait for it.
void end_all_at_exit(int status, void*) {
  if (joined == ::getpid()) opened_module().abort(status != 0 ? status : static_cast<int>(ExitCode::device));
}

// Reports, from rank 0, an error that affects all processes. The others give it time, and end in silence.
[[noreturn]] void refuse(const Launcher& launcher, const std::string& why) {
  if (launcher.rank > 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::_Exit(static_cast<int>(ExitCode::usage));
  }
  throw UsageError(launcher.name + " has started " + std::to_string(launcher.processes) + why);
}

const std::string srun_advice = " processes and not told them how to find each other: type srun --mpi=";

// Refuses an srun without PMI. Open MPI would end the process and wrongly say that it lacks Slurm support.
void check_srun(const Launcher& launcher) {
  if (!launcher.lets_processes_connect && std::string_view(opened_module().library).starts_with("Open MPI"))
    refuse(launcher, srun_advice + "pmix");
}

// Refuses processes that each find themselves alone, because their MPI is not the launcher's.
[[noreturn]] void refuse_lonely(const Launcher& launcher) {
  if (!launcher.lets_processes_connect)
    refuse(launcher, srun_advice + "pmi2, or what srun --mpi=list offers");
  refuse(launcher, " processes, and each finds itself alone: it does not belong to " +
                       std::string(opened_module().library) +
                       ", which this gpulab was built with; use the mpirun of that MPI");
}

class ProcessesOfMpi : public Processes {
 public:
  explicit ProcessesOfMpi(const Launcher& launcher) {
    check(opened_module().join(&world_));
    forget_launcher();
    if (world_.count == 1 && launcher.processes > 1) {
      opened_module().leave();
      refuse_lonely(launcher);
    }
    node_ = world_.node;
    joined = ::getpid();
    ::on_exit(end_all_at_exit, nullptr);
  }

  // After an error the others end when this process exits, after its message.
  ~ProcessesOfMpi() override {
    if (std::uncaught_exceptions() > exceptions_before_ || !broken_.empty()) return;
    try {
      gather({}, at_the_end);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "gpulab: %s\n", error.what());
      return;
    }
    joined = 0;
    opened_module().leave();
  }

  int rank() const override { return world_.rank; }
  int count() const override { return world_.count; }
  int local_rank() const override { return world_.local_rank; }
  int local_count() const override { return world_.local_count; }
  const std::string& node() const override { return node_; }
  std::string library() const override { return opened_module().library; }

  std::vector<std::string> gather(const std::string& mine, const std::string& where) override {
    return gather(mine, where, device::time_limit());
  }

  std::vector<std::string> gather(const std::string& mine, const std::string& where, double limit_s) {
    if (!broken_.empty()) throw Error(ExitCode::device, broken_);
    auto posted = std::make_unique<Posted>(mine, count());
    try {
      meet(where, *posted, limit_s);
      return gathered(*posted);
    } catch (const Error& error) {
      posted.release();  // MPI may still write to it
      throw;
    }
  }

  void all_reduce(std::span<std::byte> values, ElementType type) override {
    check(opened_module().all_reduce(values.data(), values.size() / size_of(type), type_of(type)));
  }

  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    for (const Message& message : received)
      check(
          opened_module().receive(message.peer, tag_of_exchange, message.bytes.data(), message.bytes.size()));
    for (const Message& message : sent)
      check(opened_module().send(message.peer, tag_of_exchange, message.bytes.data(), message.bytes.size()));
    if (!finish_transfers(Waiting::for_data, device::time_limit()))
      give_up("a rank neither sends nor takes the data of an exchange");
  }

  void barrier() override { gather({}, "a barrier"); }
  void wait_for_all(const std::string& where) override {
    constexpr double a_year_s = 3e7;
    gather({}, where, a_year_s);
  }

  [[noreturn]] void abort(int exit_code) override {
    std::fflush(nullptr);
    opened_module().abort(exit_code);
    std::_Exit(exit_code);
  }

 private:
  // Buffers that MPI reads and writes during a gather.
  struct Posted {
    Posted(std::string text, int count)
        : mine(std::move(text)), headers(static_cast<std::size_t>(count)), texts(headers.size()) {}
    std::string mine;
    Header header;
    std::vector<Header> headers;  // by rank
    std::vector<std::string> texts;
  };

  // Visits each other rank, starting with the next one, so that not all send to the same one at once.
  template <class Function>
  void for_each_other(const Function& function) const {
    for (int step = 1; step < count(); ++step) function((rank() + step) % count());
  }

  // Waits until all ranks have come to the same operation. Throws Error if one does not.
  void meet(const std::string& where, Posted& posted, double limit_s) {
    where.copy(posted.header.where, sizeof posted.header.where - 1);
    posted.header.bytes = posted.mine.size();
    posted.header.has_come = true;
    for_each_other([&](int peer) {
      check(opened_module().receive(peer, tag_of_headers, &posted.headers[static_cast<std::size_t>(peer)],
                                    sizeof(Header)));
      check(opened_module().send(peer, tag_of_headers, &posted.header, sizeof(Header)));
    });
    posted.headers[static_cast<std::size_t>(rank())] = posted.header;
    const bool have_all_come = finish_transfers(Waiting::for_ranks, limit_s);
    std::vector<std::string> places;
    for (const Header& header : posted.headers) places.emplace_back(header.has_come ? header.where : "");
    const std::string sentence = who_waits_where(places, limit_s);
    if (have_all_come && sentence.empty()) return;
    // The first rank that has come reports the error and ends the others, which wait a second for that.
    const auto first = std::ranges::find_if(posted.headers, &Header::has_come) - posted.headers.begin();
    if (first != rank()) std::this_thread::sleep_for(std::chrono::seconds(1));
    if (have_all_come) throw Error(ExitCode::device, sentence);
    give_up(sentence.empty() ? "a rank does not take what is sent to it" : sentence);
  }

  std::vector<std::string> gathered(Posted& posted) {
    for_each_other([&](int peer) {
      std::string& text = posted.texts[static_cast<std::size_t>(peer)];
      text.resize(posted.headers[static_cast<std::size_t>(peer)].bytes);
      if (!text.empty()) check(opened_module().receive(peer, tag_of_gathered, text.data(), text.size()));
      if (!posted.mine.empty())
        check(opened_module().send(peer, tag_of_gathered, posted.mine.data(), posted.mine.size()));
    });
    if (!finish_transfers(Waiting::for_data, device::time_limit()))
      give_up("a rank ended while it was sending to the others");
    posted.texts[static_cast<std::size_t>(rank())] = std::move(posted.mine);
    return std::move(posted.texts);
  }

  // Ends with an error. Messages are still in flight, so no collective operation is possible any more.
  [[noreturn]] void give_up(const std::string& why) {
    broken_ = why;
    throw Error(ExitCode::device, why);
  }

  GpulabMpiWorld world_{};
  std::string node_;
  std::string broken_;  // why no collective operation is possible any more
  int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace

Status status() {
  Status here;
  if (const std::optional<Launcher> launcher = find_launcher()) here.launcher = launcher->name;
  try {
    here.library = opened_module().library;
  } catch (const std::runtime_error& error) {
    const bool is_built = std::filesystem::exists(device::places_of_module("mpi").front());
    here.problem = is_built ? error.what() : "gpulab was built without it";
  }
  return here;
}

std::unique_ptr<Processes> join_processes() {
  const std::optional<Launcher> launcher = find_launcher();
  if (!launcher) return nullptr;
  if (const std::string problem = status().problem; !problem.empty())
    throw Error(
        ExitCode::device,
        launcher->name + " has started several processes, which need MPI to find each other: " + problem);
  check_srun(*launcher);
  return std::make_unique<ProcessesOfMpi>(*launcher);
}

}  // namespace gpulab::run::ranks
