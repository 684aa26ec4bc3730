#include "run/ranks/turns.hpp"

#include <algorithm>
#include <thread>

#include "core/error.hpp"

namespace gpulab::run::ranks {
namespace {

// What a rank ends with that waited when another one failed. Only the first error is told.
struct OthersFailed {};

}  // namespace

void Turns::run(int count, const std::function<void(int)>& work) {
  places_.assign(static_cast<std::size_t>(count), {});
  turn_ = 0;
  error_ = nullptr;
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      std::exception_ptr error;
      try {
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return turn_ == k || error_; });
          if (error_) throw OthersFailed();
        }
        work(k);
      } catch (const OthersFailed&) {
      } catch (...) {
        error = std::current_exception();
      }
      end(k, error);
    });
  for (std::thread& thread : threads) thread.join();
  if (error_) std::rethrow_exception(error_);
}

void Turns::wait(int k, const std::string& where, const std::function<bool()>& is_over) {
  std::unique_lock lock(mutex_);
  Place& place = places_[static_cast<std::size_t>(k)];
  place.where = where;
  place.is_over = is_over;
  if (!place.can_go_on()) {
    give_way(k);
    changed_.wait(lock, [&] { return turn_ == k || error_; });
  }
  place.is_over = nullptr;
  if (error_) throw OthersFailed();
}

void Turns::end(int k, const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  places_[static_cast<std::size_t>(k)].has_ended = true;
  if (error && !error_) error_ = error;
  if (!error_) give_way(k);
  changed_.notify_all();
}

// The mutex is held. The turn goes to the next after k that can go on.
void Turns::give_way(int k) {
  const int count = static_cast<int>(places_.size());
  for (int step = 1; step <= count; ++step) {
    const int next = (k + step) % count;
    if (!places_[static_cast<std::size_t>(next)].can_go_on()) continue;
    turn_ = next;
    changed_.notify_all();
    return;
  }
  if (std::ranges::all_of(places_, &Place::has_ended)) return;
  error_ = std::make_exception_ptr(Error(ExitCode::device, who_waits_where()));
  changed_.notify_all();
}

std::string Turns::who_waits_where() const {
  std::string text;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    text += text.empty() ? "" : ", ";
    text += "rank " + std::to_string(first_rank_ + static_cast<int>(k)) +
            (places_[k].has_ended ? " has ended" : " waits in " + places_[k].where);
  }
  return "the ranks wait for each other for ever: " + text +
         "; all of them have to come to the same calls in the same order";
}

}  // namespace gpulab::run::ranks
