#include "simulator/watch/published_stores.hpp"

#include <algorithm>

#include "simulator/watch/block_checker.hpp"
#include "simulator/watch/concurrent_ops.hpp"

namespace gpulab::simulator::watch {
namespace {

// Stores the value if the slot is empty (0). Returns whether the slot then holds the value.
bool claim(std::atomic<std::uintptr_t>& slot, std::uintptr_t value) {
  std::uintptr_t known = slot.load(std::memory_order_relaxed);
  if (known == 0 && slot.compare_exchange_strong(known, value)) return true;
  return known == value;
}

}  // namespace

void PublishedStores::clear() {
  for (Changes& changes : changes_of_) {
    changes.flag.store(0, std::memory_order_relaxed);
    for (auto& pc : changes.pcs) pc.store(0, std::memory_order_relaxed);
  }
  count_ = 0;
}

std::size_t PublishedStores::slot_of(std::uintptr_t flag) const {
  constexpr std::size_t max_probes = 16;
  const std::size_t hash = (flag * 0x9E3779B97F4A7C15u) >> 56;
  for (std::size_t probe = 0; probe < max_probes; ++probe) {
    const std::size_t slot = (hash + probe) % max_flags;
    const std::uintptr_t holder = changes_of_[slot].flag.load(std::memory_order_relaxed);
    if (holder == 0 || holder == flag) return slot;
  }
  return max_flags;
}

void PublishedStores::note_change(std::uintptr_t flag, std::uintptr_t pc) {
  std::size_t slot = slot_of(flag);
  // Another worker may take the free slot first, for another flag.
  while (slot < max_flags && !claim(changes_of_[slot].flag, flag)) slot = slot_of(flag);
  if (slot == max_flags) return;
  for (auto& known : changes_of_[slot].pcs)
    if (claim(known, pc)) return;
}

bool PublishedStores::is_changed(std::uintptr_t flag) const {
  const std::size_t slot = slot_of(flag);
  return slot < max_flags && changes_of_[slot].flag == flag;
}

std::vector<std::uintptr_t> PublishedStores::changes_of(std::uintptr_t flag) const {
  std::vector<std::uintptr_t> pcs;
  if (!is_changed(flag)) return pcs;
  for (const auto& pc : changes_of_[slot_of(flag)].pcs)
    if (pc != 0) pcs.push_back(pc);
  return pcs;
}

template <class Test>
const PublishedStore* PublishedStores::find(const Test& test) const {
  for (std::size_t i = 0; i < count_; ++i)
    if (test(all_[i])) return &all_[i];
  return nullptr;
}

void PublishedStores::add(const PublishedStore& published) {
  const auto is_known = [&] {
    const bool is_half_full = count_ > all_.size() / 2;  // then one flag for each load is enough
    return find([&](const PublishedStore& known) {
             return known.store == published.store && known.flag_load == published.flag_load &&
                    (is_half_full || known.flag == published.flag);
           }) != nullptr;
  };
  if (is_known()) return;
  const std::lock_guard lock(mutex_);
  const std::size_t count = count_;
  if (count == all_.size() || is_known()) return;
  all_[count] = published;
  count_ = count + 1;
}

std::vector<PublishedStore> PublishedStores::of_store(std::uintptr_t pc) const {
  std::vector<PublishedStore> found;
  std::copy_if(all_.begin(), all_.begin() + count_, std::back_inserter(found),
               [&](const PublishedStore& entry) { return entry.store == pc && entry.flag_load != 0; });
  return found;
}

const PublishedStore* PublishedStores::before_change_of(std::uintptr_t flag) const {
  return find([&](const PublishedStore& entry) { return entry.flag == flag && !entry.is_released; });
}

// Notes a store. It is ordered before the thread's next change of a flag only if a fence comes in between;
// otherwise it is a late store. An atomic or a volatile store changes a flag.
void BlockChecker::note_unfenced_store(const CheckedAccess& checked, bool is_flag) {
  UnfencedStores& stores = unfenced_stores_[checked.thread];
  if (checked.access.operation == MemoryAccess::Operation::atomic && stores.count > 0) {
    const UnfencedStores::Store& store = stores.last[(stores.count - 1) % stores.last.size()];
    if (store.address != checked.access.address)
      watch_.published_stores.add(
          {.store = store.pc, .stored_address = store.address, .flag = checked.access.address});
  }
  if (is_flag && watch_.concurrent_ops())
    for (std::size_t i = 0; i < std::min(stores.count, stores.last.size()); ++i)
      if (const UnfencedStores::Store& store = stores.last[i]; store.address != checked.access.address)
        watch_.concurrent_ops()->add_late_store(
            LateStore{checked.access.address, checked.access.pc, store.address, store.pc, store.bytes});
  if (checked.access.operation == MemoryAccess::Operation::store) stores.add(checked.access);
}

// Notes a change or a load of a word that may be a flag.
void BlockChecker::note_flag_access(const MemoryAccess& access) {
  if (access.operation != MemoryAccess::Operation::load)
    watch_.published_stores.note_change(access.address, access.pc);
  if (access.operation == MemoryAccess::Operation::store) return;
  const auto known = std::ranges::find(flag_loads_, access.pc, &FlagLoad::pc);
  const auto replaced = known == flag_loads_.end() ? known - 1 : known;  // the oldest, if none is the same
  std::rotate(flag_loads_.begin(), replaced, replaced + 1);
  flag_loads_.front() = {access.address, access.pc, (access.traits & relaxed) == 0};
}

// Notes which release or acquire is missing between another block's store and this block's access to the same
// bytes, if this block has read flags that may publish the store. The source shows which flag does.
void BlockChecker::note_published_store(const RaceCheck::Conflict& conflict, const MemoryAccess& access) {
  const AccessRecord& past = conflict.past;
  if (!conflict.has_thread || watch_.sites.access(past) != DefectAccess::store) return;
  for (const FlagLoad& flag_load : flag_loads_) {
    if (flag_load.flag == 0 || flag_load.flag == access.address ||
        !watch_.published_stores.is_changed(flag_load.flag))
      continue;
    const bool is_released = order_.is_released(flag_load.flag, past.segment(), past.lane());
    if (is_released && flag_load.is_acquired) continue;  // nothing is missing: the flag publishes other data
    watch_.published_stores.add({.store = watch_.sites.pc(past.site()),
                                 .stored_address = access.address,
                                 .flag = flag_load.flag,
                                 .flag_load = flag_load.pc,
                                 .is_released = is_released,
                                 .is_acquired = flag_load.is_acquired});
  }
}

}  // namespace gpulab::simulator::watch
