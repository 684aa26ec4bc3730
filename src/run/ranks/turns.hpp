#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace gpulab::run::ranks {

// Runs the ranks of one process, each in a thread of its own, of which only one goes on at a time. A rank
// gives way where it waits for others, to the next one that can go on. So what they do comes in the same
// order on every machine, and it shows at once when nobody can go on any more.
class Turns {
 public:
  explicit Turns(int first_rank) : first_rank_(first_rank) {}

  // Runs work(k) for k from 0 to count - 1, and returns when all have ended. Throws what the first of them
  // threw; the others then end where they wait.
  void run(int count, const std::function<void(int)>& work);

  // Of rank k: waits until the condition, which others bring about, is true. `where` is what it tells the
  // others when nobody can go on: "the all-reduce of output". Throws Error then.
  void wait(int k, const std::string& where, const std::function<bool()>& is_over);

 private:
  struct Place {
    bool has_ended = false;
    std::string where;
    std::function<bool()> is_over;  // none while it can go on

    bool can_go_on() const { return !has_ended && (!is_over || is_over()); }
  };

  void end(int k, const std::exception_ptr& error);
  void give_way(int k);
  std::string who_waits_where() const;

  int first_rank_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;
  int turn_ = 0;
  std::exception_ptr error_;  // the first; all end
};

}  // namespace gpulab::run::ranks
