#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/cuda_text.hpp"

namespace gpulab {

// Reads a text from its beginning, one piece after another. What does not fit stays. A stranger's text may be
// of any length: unlike std::regex, nothing here takes the stack with it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  bool is_at_end() const { return rest_.empty(); }

  bool take(std::string_view words) {
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }
  bool take_one_of(std::string_view letters) {
    const bool fits = !rest_.empty() && letters.find(rest_.front()) != std::string_view::npos;
    if (fits) rest_.remove_prefix(1);
    return fits;
  }
  template <class Predicate>
  std::string_view take_while(Predicate predicate) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), predicate);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view digits() {
    return take_while([](char c) { return c >= '0' && c <= '9'; });
  }
  std::string_view word() { return take_while(is_word_character); }
  void blanks() {
    take_while(
        [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; });
  }
  // None, with nothing taken, where there are no digits or too many.
  std::optional<int> number() {
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  // All before one of the letters; the whole rest where there is none.
  std::string_view up_to_one_of(std::string_view letters) {
    return take_while([&](char c) { return letters.find(c) == std::string_view::npos; });
  }
  // Goes on behind these words; false, with nothing taken, where they do not come.
  bool skip_past(std::string_view words) {
    const std::size_t at = rest_.find(words);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + words.size());
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace gpulab
