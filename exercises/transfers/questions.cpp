#include "transfers/questions.hpp"

#include <algorithm>

namespace gpulab::lessons::transfers {
namespace {

double time_on_link(const Facts& facts) {
  return facts.of("bytes") / facts.of("link");
}

Question page_locked() {
  // In milliseconds, as a calculator shows it: 55 GB/s over 134 MB is 0.41.
  return {.name = "Page-locked memory",
          .answer = time_on_link,
          .errors = {{"upside-down", "that divides the rate by the bytes", [](const Facts& facts) {
                        constexpr double giga = 1e9, mega = 1e6, milli = 1e-3;
                        return facts.of("link") / giga / (facts.of("bytes") / mega) * milli;
                      }}}};
}

// Returns the time by way of the driver, which fills one page-locked buffer while the one before it crosses
// the link: the slower of the two sets the pace. The first buffer is small, and left out.
double time_through_driver(const Facts& facts) {
  return facts.of("bytes") / std::min(facts.of("in the host"), facts.of("link"));
}

Question pageable() {
  return {
      .name = "Pageable memory",
      .answer = time_through_driver,
      .errors = {{"stages-added", "that is so if the link waited until the host has copied everything",
                  [](const Facts& facts) {
                    return facts.of("bytes") / facts.of("in the host") + time_on_link(facts);
                  }},
                 {"host-copy-forgotten",
                  "that is the time on the link alone, as if the memory were page-locked", time_on_link},
                 {"rates-added", "that is so if the two rates added up, as if each moved a part of the data",
                  [](const Facts& facts) {
                    return facts.of("bytes") / (facts.of("in the host") + facts.of("link"));
                  }}}};
}

double time_of_copy(const Facts& facts, double bytes) {
  return facts.of("cost of a copy") + bytes / facts.of("link");
}

double bytes_together(const Facts& facts) {
  return facts.of("copies") * facts.of("bytes of each");
}

double ratio_of_small_to_large(const Facts& facts) {
  return facts.of("copies") * time_of_copy(facts, facts.of("bytes of each")) /
         time_of_copy(facts, bytes_together(facts));
}

Question small_copies() {
  return {.name = "Small copies",
          .answer = ratio_of_small_to_large,
          .errors = {{"latency-forgotten", "that is so if only bytes took time: they are the same, after all",
                      [](const Facts&) { return 1.0; }},
                     {"latency-forgotten", "that leaves out what the one large copy costs besides its bytes",
                      [](const Facts& facts) {
                        return facts.of("copies") * time_of_copy(facts, facts.of("bytes of each")) /
                               (bytes_together(facts) / facts.of("link"));
                      }},
                     {"bytes-for-copies", "that counts bytes, and it is copies that cost something each",
                      bytes_together}}};
}

double bytes_at_half_the_rate(const Facts& facts) {
  return facts.of("cost of a copy") * facts.of("link");
}

Question half_the_link() {
  return {.name = "Half of the link",
          .answer = bytes_at_half_the_rate,
          .errors = {{"half-the-time", "at that size the rate is two thirds of the link's",
                      [](const Facts& facts) { return 2 * bytes_at_half_the_rate(facts); }},
                     {"half-the-time", "at that size the rate is a third of the link's",
                      [](const Facts& facts) { return bytes_at_half_the_rate(facts) / 2; }}}};
}

double speed_up_with_copies(const Facts& facts, double arrays) {
  return facts.of("one thread") / (arrays * time_on_link(facts) + facts.of("kernel"));
}

double speed_up_end_to_end(const Facts& facts) {
  return speed_up_with_copies(facts, facts.of("arrays there") + facts.of("arrays back"));
}

Question end_to_end_speed() {
  return {.name = "End to end",
          .answer = speed_up_end_to_end,
          .errors = {
              {"copies-forgotten", "that compares the kernel alone, as if the data were on the GPU already",
               [](const Facts& facts) { return speed_up_with_copies(facts, 0); }},
              {"array-forgotten", "that leaves the way back out",
               [](const Facts& facts) { return speed_up_with_copies(facts, facts.of("arrays there")); }},
              {"array-forgotten", "that counts one array, and there are more of them",
               [](const Facts& facts) { return speed_up_with_copies(facts, 1); }}}};
}

}  // namespace

QuestionSheet questions() {
  return {
      .questions = {page_locked(), pageable(), small_copies(), half_the_link(), end_to_end_speed()},
      .shown_by =
          "on a GPU, gpulab transfers measures it: GB/s from pageable and from page-locked memory, and a thousand small copies beside one"};
}

}  // namespace gpulab::lessons::transfers
