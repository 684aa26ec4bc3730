#include "scaling/questions.hpp"

#include <algorithm>
#include <cmath>

#include "lesson/lesson.hpp"
#include "lesson/problem.hpp"

namespace gpulab::lessons::scaling {
namespace {

int gpus(const Facts& facts) {
  return static_cast<int>(facts.of("number of GPUs"));
}

ScalingModel model_of(const Facts& facts, int devices = 2) {
  return {.fixed_s = facts.of("launch"),
          .bytes_per_s = facts.of("memory"),
          .collective_s = {{devices, facts.of("all-reduce")}}};
}

// Returns the time of one GPU that reads `bytes`.
double time_to_count(const Facts& facts, double bytes) {
  return facts.of("launch") + bytes / facts.of("memory");
}

double time_to_count_all(const Facts& facts) {
  return time_to_count(facts, facts.of("bytes"));
}

double time_to_count_in_parts(const Facts& facts) {
  return model_of(facts, gpus(facts)).predicted_s(gpus(facts), facts.of("bytes"));
}

double elements_before_rank(const Facts& facts) {
  const auto size = static_cast<std::size_t>(facts.of("size"));
  return static_cast<double>(
      share_of(size, static_cast<int>(facts.of("rank")), static_cast<int>(facts.of("ranks"))).first);
}

double unrounded_first(const Facts& facts, double rank) {
  return facts.of("size") * rank / facts.of("ranks");
}

Question part_of_a_rank() {
  return {.name = "The part of a rank",
          .answer = elements_before_rank,
          .errors = {
              {"rounded-too-early", "that is rounded down first, and multiplied then",
               [](const Facts& facts) {
                 return facts.of("rank") * std::floor(facts.of("size") / facts.of("ranks"));
               }},
              {"rounded-too-early", "that is rounded up first, and multiplied then",
               [](const Facts& facts) {
                 return facts.of("rank") * std::ceil(facts.of("size") / facts.of("ranks"));
               }},
              {"not-rounded-down", "that is rounded up, or to the nearest element",
               [](const Facts& facts) { return std::ceil(unrounded_first(facts, facts.of("rank"))); }},
              {"ranks-from-one", "that is so if ranks counted from 1",
               [](const Facts& facts) { return std::floor(unrounded_first(facts, facts.of("rank") - 1)); }},
              {"end-of-the-part", "that is where the part of this rank ends, not where it begins",
               [](const Facts& facts) { return std::floor(unrounded_first(facts, facts.of("rank") + 1)); }}}};
}

Question one_gpu() {
  return {.name = "One GPU",
          .answer = time_to_count_all,
          .errors = {{"fixed-time-forgotten", "that is for the bytes alone, as if a launch cost nothing",
                      [](const Facts& facts) { return facts.of("bytes") / facts.of("memory"); }},
                     {"bytes-forgotten", "that is the launch alone",
                      [](const Facts& facts) { return facts.of("launch"); }}}};
}

Question four_gpus() {
  return {
      .name = "Four GPUs",
      .answer = time_to_count_in_parts,
      .errors = {{"collective-forgotten", "that is until each GPU has counts of its own, and nobody the sum",
                  [](const Facts& facts) { return time_to_count_in_parts(facts) - facts.of("all-reduce"); }},
                 {"everything-divided", "that divides the fixed times among the GPUs, too",
                  [](const Facts& facts) {
                    return (time_to_count_all(facts) + facts.of("all-reduce")) / gpus(facts);
                  }},
                 {"everything-divided", "that divides the launch among the GPUs, too",
                  [](const Facts& facts) {
                    return time_to_count_all(facts) / gpus(facts) + facts.of("all-reduce");
                  }},
                 {"nothing-divided", "that is so if each GPU counted all elements",
                  [](const Facts& facts) { return time_to_count_all(facts) + facts.of("all-reduce"); }},
                 {"one-after-another", "that is so if one GPU began when the one before it was done",
                  [](const Facts& facts) {
                    return gpus(facts) * time_to_count(facts, facts.of("bytes") / gpus(facts)) +
                           facts.of("all-reduce");
                  }}}};
}

Question two_against_one() {
  return {.name = "Two against one",
          .answer = [](const Facts& facts) { return model_of(facts).crossover_bytes(); },
          .errors = {{"saved-half", "that is so if two GPUs saved all of the time of one",
                      [](const Facts& facts) { return facts.of("memory") * facts.of("all-reduce"); }},
                     {"launch-on-both", "that counts the launch for two GPUs, and not for one",
                      [](const Facts& facts) {
                        return 2 * facts.of("memory") * (facts.of("all-reduce") + facts.of("launch"));
                      }},
                     {"launch-on-both", "that counts the launch for one GPU, and not for two",
                      [](const Facts& facts) {
                        return 2 * facts.of("memory") * (facts.of("all-reduce") - facts.of("launch"));
                      }},
                     {"saved-half", "that is what one GPU reads in the launch and the all-reduce",
                      [](const Facts& facts) {
                        return facts.of("memory") * (facts.of("all-reduce") + facts.of("launch"));
                      }}}};
}

double strong_speed_up(const Facts& facts) {
  return speed_up(time_to_count_all(facts), time_to_count_in_parts(facts));
}

Question strong_scaling() {
  return {.name = "Strong scaling",
          .answer =
              [](const Facts& facts) {
                return parallel_efficiency(time_to_count_all(facts), time_to_count_in_parts(facts),
                                           gpus(facts));
              },
          .errors = {{"speed-up-for-efficiency", "that is the speed-up", strong_speed_up},
                     {"time-for-efficiency", "that is the time on all GPUs, as a part of the time on one",
                      [](const Facts& facts) { return 1 / strong_speed_up(facts); }},
                     {"collective-forgotten", "that is so without the all-reduce",
                      [](const Facts& facts) {
                        return time_to_count_all(facts) /
                               (time_to_count_in_parts(facts) - facts.of("all-reduce")) / gpus(facts);
                      }},
                     {"fixed-time-forgotten", "that is so without the launch",
                      [](const Facts& facts) {
                        return (time_to_count_all(facts) - facts.of("launch")) /
                               (time_to_count_in_parts(facts) - facts.of("launch")) / gpus(facts);
                      }},
                     {"weak-for-strong", "that is so if each GPU had as many elements as one had alone",
                      [](const Facts& facts) {
                        return time_to_count_all(facts) / (time_to_count_all(facts) + facts.of("all-reduce"));
                      }}}};
}

double time_to_count_own(const Facts& facts) {
  return time_to_count(facts, facts.of("bytes of each"));
}

double weak_efficiency(const Facts& facts) {
  const double all = gpus(facts) * facts.of("bytes of each");
  return time_to_count_own(facts) / model_of(facts, gpus(facts)).predicted_s(gpus(facts), all);
}

Question weak_scaling() {
  return {
      .name = "Weak scaling",
      .answer = weak_efficiency,
      .errors = {
          {"strong-for-weak", "that is so if all GPUs together had as many elements as one alone",
           [](const Facts& facts) {
             return time_to_count_own(facts) /
                    (time_to_count(facts, facts.of("bytes of each") / gpus(facts)) + facts.of("all-reduce")) /
                    gpus(facts);
           }},
          {"collective-forgotten", "that is so without the all-reduce", [](const Facts&) { return 1.0; }},
          {"divided-by-gpus", "that is divided by the number of GPUs once more",
           [](const Facts& facts) { return weak_efficiency(facts) / gpus(facts); }},
          {"everything-multiplied", "that is so if the all-reduce took its time once for each GPU",
           [](const Facts& facts) {
             return time_to_count_own(facts) /
                    (time_to_count_own(facts) + gpus(facts) * facts.of("all-reduce"));
           }}}};
}

double time_of_divided_part(const Facts& facts) {
  return facts.of("whole") - facts.of("on the host");
}

Question serial_part() {
  return {
      .name = "A serial part",
      .answer =
          [](const Facts& facts) {
            return facts.of("whole") / (facts.of("on the host") + time_of_divided_part(facts) / gpus(facts));
          },
      .errors = {{"serial-part-forgotten", "that is so if all of it were divided",
                  [](const Facts& facts) { return static_cast<double>(gpus(facts)); }},
                 {"limit-for-speed-up", "that is the limit for very many GPUs",
                  [](const Facts& facts) { return facts.of("whole") / facts.of("on the host"); }},
                 {"weak-for-strong", "that is so if the input grew with the GPUs",
                  [](const Facts& facts) {
                    return (facts.of("on the host") + time_of_divided_part(facts) * gpus(facts)) /
                           facts.of("whole");
                  }},
                 {"serial-part-added", "that adds the part on the host to the whole, which has it already",
                  [](const Facts& facts) {
                    return facts.of("whole") / (facts.of("on the host") + facts.of("whole") / gpus(facts));
                  }}}};
}

double algorithm_bandwidth_of(const Facts& facts) {
  return algorithm_bandwidth(facts.of("buffer"), facts.of("time"));
}

Question bandwidth_of_the_bus() {
  return {
      .name = "Bus bandwidth",
      .answer =
          [](const Facts& facts) { return bus_bandwidth(facts.of("buffer"), facts.of("time"), gpus(facts)); },
      .errors = {{"algorithm-for-bus", "that is the algorithm bandwidth", algorithm_bandwidth_of},
                 {"one-half-of-it", "that is for one half of an all-reduce",
                  [](const Facts& facts) {
                    return algorithm_bandwidth_of(facts) * (gpus(facts) - 1) / gpus(facts);
                  }},
                 {"own-share-sent", "that counts the share that each GPU need not send, too",
                  [](const Facts& facts) { return 2 * algorithm_bandwidth_of(facts); }},
                 {"whole-buffers-sent", "that is so if each GPU sent its whole buffer every time",
                  [](const Facts& facts) { return algorithm_bandwidth_of(facts) * 2 * (gpus(facts) - 1); }}}};
}

double bytes_of_rows(const Facts& facts, double rows) {
  return rows * facts.of("width") * facts.of("bytes of a pixel");
}

double halo_rows(const Facts& facts) {
  return std::floor(facts.of("side of the filter") / 2);
}

Question the_halo() {
  return {.name = "The halo",
          .answer = [](const Facts& facts) { return bytes_of_rows(facts, 2 * halo_rows(facts)); },
          .errors = {
              {"one-neighbour", "that is for one neighbour",
               [](const Facts& facts) { return bytes_of_rows(facts, halo_rows(facts)); }},
              {"whole-filter", "that sends as many rows as the filter has to each neighbour",
               [](const Facts& facts) { return bytes_of_rows(facts, 2 * facts.of("side of the filter")); }},
              {"not-rounded-down", "that is half the side of the filter without rounding it down",
               [](const Facts& facts) { return bytes_of_rows(facts, facts.of("side of the filter")); }},
              {"pixels-for-bytes", "those are the pixels",
               [](const Facts& facts) { return 2 * halo_rows(facts) * facts.of("width"); }},
              {"received-too", "that counts what it receives, too",
               [](const Facts& facts) { return bytes_of_rows(facts, 4 * halo_rows(facts)); }}}};
}

double time_of_exchange(const Facts& facts) {
  return facts.of("latency") + facts.of("halo") / facts.of("link");
}

double time_of_interior(const Facts& facts) {
  return facts.of("step on one GPU") / gpus(facts);
}

Question overlapped_exchange() {
  return {
      .name = "Behind the interior",
      .answer = [](const Facts& facts) { return std::max(time_of_exchange(facts), time_of_interior(facts)); },
      .errors = {{"exchange-not-hidden", "that is the interior and then the exchange, one after the other",
                  [](const Facts& facts) { return time_of_exchange(facts) + time_of_interior(facts); }},
                 {"exchange-always-hidden", "that is the interior alone", time_of_interior},
                 {"latency-forgotten", "that is for the bytes of the halo alone",
                  [](const Facts& facts) { return facts.of("halo") / facts.of("link"); }},
                 {"bytes-forgotten", "that is the latency alone",
                  [](const Facts& facts) { return facts.of("latency"); }},
                 {"nothing-divided", "that is a step on one GPU",
                  [](const Facts& facts) { return facts.of("step on one GPU"); }}}};
}

}  // namespace

QuestionSheet questions() {
  return {
      .questions = {part_of_a_rank(), one_gpu(), four_gpus(), two_against_one(), strong_scaling(),
                    weak_scaling(), serial_part(), bandwidth_of_the_bus(), the_halo(), overlapped_exchange()},
      .shown_by = "on several GPUs, gpulab scaling measures such times, and says before what it expects"};
}

}  // namespace gpulab::lessons::scaling
