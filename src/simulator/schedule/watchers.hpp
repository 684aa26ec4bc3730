#pragma once

#include <memory>
#include <vector>

#include "simulator/check/block_checker.hpp"
#include "simulator/count/access_recorder.hpp"
#include "simulator/count/peer_accesses.hpp"
#include "simulator/schedule/launch.hpp"

namespace gpulab::simulator::schedule {

// Who watches the threads of a launch: the recorder where its accesses are counted, the checker where they
// are checked, nobody in a plain launch.
class Watchers {
 public:
  void start_launch(const SimulatedLaunch& launch);
  void start_block(const SimulatedLaunch& launch, std::uint32_t block, unsigned threads);

  count::AccessRecorder* recorder() const { return recorder_.get(); }
  check::BlockChecker* checker() const { return checker_.get(); }
  count::PeerAccesses& peers() { return peers_; }

  // The running thread is about to give way, or to return.
  void settle() {
    if (checker_) checker_->settle();
  }
  void at_barrier(unsigned live, int line) {
    if (recorder_) recorder_->fold_all();
    if (checker_) checker_->at_barrier(live, line);
  }
  // The lanes of the warp have met, and are all that it has left or only some of them.
  void at_warp_operation(unsigned warp, std::uint32_t lanes, bool are_all) {
    if (recorder_ && are_all) recorder_->fold(warp);
    if (checker_) checker_->at_warp_operation(warp, lanes, are_all);
  }
  void at_end_of_warp(unsigned warp) {
    if (recorder_) recorder_->fold(warp);
  }

  // The memory accesses of a launch that was to count them, which ends the counting.
  std::vector<count::AccessSite> take_accesses();
  // What was wrong with a launch that was to be checked, which ends the checking.
  std::vector<check::FoundDefect> take_defects();

 private:
  std::unique_ptr<count::AccessRecorder> recorder_;
  std::unique_ptr<check::BlockChecker> checker_;
  count::PeerAccesses peers_;
};

}  // namespace gpulab::simulator::schedule
