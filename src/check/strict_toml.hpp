#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#define TOML_ENABLE_FORMATTERS 0  // TOML is only read
#include <toml++/toml.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gpulab::check {

// Reader of a TOML file that an instructor writes. Unknown keys and values of another type are refused: they
// throw UsageError, with the line. The functions with a key return a default if the table lacks the key.
class StrictToml {
 public:
  StrictToml(const std::string& file, const std::string& text) : file_(file) {
    try {
      root_ = toml::parse(text);
    } catch (const toml::parse_error& error) {
      const std::vector<std::string> lines = lines_of(text);
      const std::size_t line = std::min<std::size_t>(error.source().begin.line, lines.size());
      // A word without quotes is taken for the beginning of true, false, inf or nan.
      const bool is_word = error.description().starts_with("Error while parsing boolean");
      throw UsageError(fmt::format(
          "{}this is not TOML: '{}'; a line is KEY = VALUE or [TABLE], a date is 2026-12-01 or 2026-12-01T23:59:00, and texts, and keys with blanks or umlauts, stand in quotes{}",
          place(error.source()), line > 0 ? printable(trimmed(lines[line - 1])) : "",
          is_word ? "" : " (" + printable(error.description()) + ")"));
    }
  }

  const toml::table& root() const { return root_; }

  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const {
    throw UsageError(place(node.source()) + printable(why));
  }

  void refuse_unknown(const toml::table& table, const std::vector<std::string>& known,
                      const char* what = "key") const {
    for (const auto& [key, node] : table)
      if (const std::string word(key.str()); std::ranges::find(known, word) == known.end())
        refuse(node,
               fmt::format("there is no {} '{}'; {}", what, word,
                           suggestion(word, known, fmt::format("there are {}", fmt::join(known, ", ")))));
  }

  const toml::table* table(const toml::table& in, std::string_view key) const {
    const toml::node* node = in.get(key);
    if (node && !node->is_table()) refuse(*node, fmt::format("{0} is a table: {0} = {{ ... }}", key));
    return node ? node->as_table() : nullptr;
  }

  std::string text(const toml::table& in, const char* key) const {
    const toml::node* node = in.get(key);
    if (node && !node->is_string()) refuse(*node, std::string(key) + " is a text: \"...\"");
    return node ? *node->value<std::string>() : "";
  }

  bool flag(const toml::table& in, const char* key) const {
    const toml::node* node = in.get(key);
    if (node && !node->is_boolean()) refuse(*node, std::string(key) + " is true or false");
    return node && *node->value<bool>();
  }

  double number(const toml::table& in, const char* key, double default_value, double max) const {
    const toml::node* node = in.get(key);
    return node ? number(*node, key, 0, max) : default_value;
  }
  double number(const toml::node& node, const std::string& what, double min, double max) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !(min <= *value && *value <= max))
      refuse(node, fmt::format("{} is a number from {} to {}", what, min, max));
    return *value;
  }

  std::int64_t whole(const toml::node& node, const std::string& what, std::int64_t min,
                     std::int64_t max) const {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < min || *value > max)
      refuse(node, fmt::format("{} is a whole number from {} to {}", what, min, max));
    return *value;
  }
  std::int64_t whole(const toml::table& in, const char* key, std::int64_t default_value, std::int64_t min,
                     std::int64_t max) const {
    const toml::node* node = in.get(key);
    return node ? whole(*node, key, min, max) : default_value;
  }

  std::string place(const toml::source_region& at) const {
    return fmt::format("{}, line {}: ", file_, at.begin.line);
  }

 private:
  std::string file_;
  toml::table root_;
};

}  // namespace gpulab::check
