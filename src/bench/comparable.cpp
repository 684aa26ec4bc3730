#include "bench/comparable.hpp"

#include <algorithm>
#include <set>

#include "core/text.hpp"

namespace gpulab::bench {
namespace {

// A few words for each, in order, without those that are not known.
using Values = std::vector<std::string>;

void add(Values& values, const std::string& value) {
  if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
}

std::string joined(const Values& values) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i) text += (i > 0 ? ", " : "") + values[i];
  return text + (values.size() > most ? ", ..." : "");
}

std::string sides(const Values& before, const Values& now) {
  return joined(before) + " before, " + joined(now) + " now";
}

template <class Item, class Word>
Values values_of(const std::vector<Item>& items, const Word& word) {
  Values values;
  for (const Item& item : items) add(values, word(item));
  return values;
}

// Whether more than one value is known.
bool differ(const Values& before, const Values& now) {
  Values all = before;
  for (const std::string& value : now) add(all, value);
  return all.size() > 1;
}

std::string clock_words(double hz) {
  return hz > 0 ? megahertz(hz) : "";
}

std::string kind_of(const BenchResult& result) {
  return result.device.simulated() ? "the simulator" : "a GPU";
}

struct DeviceFact {
  const char* what;  // "the GPUs"
  std::string (*word)(const BenchResult&);
};

constexpr DeviceFact facts_of_gpus[] = {
    {"the GPUs", [](const BenchResult& result) { return result.device.name; }},
    {"the compute capabilities",
     [](const BenchResult& result) { return result.device.compute_capability(); }},
    {"the numbers of multiprocessors",
     [](const BenchResult& result) {
       return result.device.multiprocessors > 0 ? std::to_string(result.device.multiprocessors) : "";
     }},
    {"the GPUs' highest clocks",
     [](const BenchResult& result) { return clock_words(result.device.clock_hz); }},
    {"the GPUs' memory clocks",
     [](const BenchResult& result) { return clock_words(result.device.memory_clock_hz); }},
};

// What one property of the cases is, on both sides; empty where some value is in both.
template <class Word>
std::string nothing_shared(const std::string& what, const std::vector<CaseFigures>& before,
                           const std::vector<CaseFigures>& now, const Word& word) {
  const Values was = values_of(before, word), is = values_of(now, word);
  const bool shared =
      std::ranges::any_of(was, [&](const auto& value) { return std::ranges::find(is, value) != is.end(); });
  return shared ? "" : what + " differ: " + sides(was, is);
}

std::string options_text(const BenchCase& what) {
  std::string text;
  for (const auto& [name, value] : what.options)
    text += (text.empty() ? "" : " ") + name + "=" + text_of(value);
  return text.empty() ? "none" : text;
}

// The first property of which the sides share no value, or what to say if there is none.
std::string first_difference(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now) {
  std::string found;
  const auto look = [&](const char* what, const auto& word) {
    if (found.empty())
      found = nothing_shared(what, before, now, [&](const CaseFigures& one) { return word(one.what); });
  };
  look("the lessons", [](const BenchCase& what) { return what.lesson; });
  look("the variants", [](const BenchCase& what) { return what.variant; });
  look("the sizes", [](const BenchCase& what) { return std::to_string(what.size); });
  look("the options", options_text);
  look("the seeds", [](const BenchCase& what) { return std::to_string(what.seed); });
  look("the block sizes", [](const BenchCase& what) {
    return what.block_size > 0 ? std::to_string(what.block_size) : "the variant's own";
  });
  return found.empty() ? "they have lessons, variants and sizes in common, but never together" : found;
}

struct Remark {
  const char* what;
  std::string (*word)(const BenchResult&);
};

constexpr Remark remarks_if_different[] = {
    {"drivers", [](const BenchResult& result) { return result.device.driver_version; }},
    {"computers", [](const BenchResult& result) { return result.facts.hostname; }},
    {"CUDA Toolkits", [](const BenchResult& result) { return result.facts.build.cuda_toolkit; }},
    {"build types", [](const BenchResult& result) { return result.facts.build.build_type; }},
};

void remark_incomplete(const std::vector<BenchResult>& results, const std::string& when,
                       std::vector<std::string>& remarks) {
  for (const BenchResult& result : results)
    if (!result.complete())
      remarks.push_back("what was measured " + when + " is incomplete: " + result.stopped_by);
}

}  // namespace

void refuse_other_devices(const std::vector<BenchResult>& before, const std::vector<BenchResult>& now) {
  const Values was = values_of(before, kind_of), is = values_of(now, kind_of);
  if (differ(was, is))
    throw UsageError("the simulator's figures cannot be compared with a GPU's: it was " + sides(was, is));
  if (before.front().device.simulated()) return;  // its counts are the same on every machine
  for (const DeviceFact& fact : facts_of_gpus)
    if (const Values old = values_of(before, fact.word), fresh = values_of(now, fact.word);
        differ(old, fresh))
      throw UsageError(std::string(fact.what) + " differ: " + sides(old, fresh) +
                       "; measure both on the same GPU");
}

void refuse_nothing_in_common(const std::vector<CaseFigures>& before, const std::vector<CaseFigures>& now) {
  std::set<std::string> ids;
  for (const CaseFigures& one : before) ids.insert(id_of(one.what));
  if (std::ranges::any_of(now, [&](const CaseFigures& one) { return ids.contains(id_of(one.what)); })) return;
  throw UsageError("nothing was measured both before and now: " + first_difference(before, now));
}

std::vector<std::string> remarks_on(const std::vector<BenchResult>& before,
                                    const std::vector<BenchResult>& now) {
  std::vector<std::string> remarks;
  const bool simulated = before.front().device.simulated();
  for (const Remark& remark : remarks_if_different) {
    const Values was = values_of(before, remark.word), is = values_of(now, remark.word);
    if (!simulated && differ(was, is))
      remarks.push_back(std::string("the ") + remark.what + " differ: " + sides(was, is));
  }
  remark_incomplete(before, "before", remarks);
  remark_incomplete(now, "now", remarks);
  return remarks;
}

}  // namespace gpulab::bench
