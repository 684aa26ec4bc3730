#include "check/explanations.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "check/check_formats.hpp"
#include "source/code.hpp"

namespace gpulab::check {
namespace {

// Returns the parts of a text, without the blanks around them.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts = lines_of(replaced(text, separator, '\n'));
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

// Parses groups of hints. A line "# Title: how its patterns are found" begins a group, and other lines with #
// are comments. A line "pattern: what is wrong" begins a pattern; the indented lines below it are its fields,
// such as "beside: other, patterns". PatternHint and the head of the file say what each field means.
std::vector<PatternGroup> groups_in(const std::string& text) {
  constexpr std::string_view wrong = "wrong: ", right = "right: ", compiler = "compiler: ",
                             looks_right = "looks right: ", would_look = "would: ", compatible = "beside: ",
                             keywords = "needs: ", choice = "choice: ";
  std::vector<PatternGroup> groups;
  std::string title, found;
  for (const std::string& line : lines_of(text)) {
    if (line.empty()) continue;
    if (line.starts_with("# ")) {
      const std::size_t colon = std::min(line.find(": "), line.size());
      title = line.substr(2, colon - 2);
      found = trimmed(std::string_view(line).substr(std::min(colon + 1, line.size())));
    } else if (!line.starts_with(' ')) {
      if (groups.empty() || groups.back().title != title) groups.push_back({title, found, {}});
      const std::size_t colon = std::min(line.find(": "), line.size());
      groups.back().patterns.push_back(
          {.pattern = line.substr(0, colon),
           .summary = trimmed(std::string_view(line).substr(std::min(colon + 1, line.size())))});
    } else {
      PatternHint& last = groups.back().patterns.back();
      const std::string part = trimmed(line);
      if (part.starts_with(wrong))
        last.wrong_line = part.substr(wrong.size());
      else if (part.starts_with(right))
        last.right_line = part.substr(right.size());
      else if (part.starts_with(looks_right))
        last.looks_right = part.substr(looks_right.size());
      else if (part.starts_with(would_look))
        last.would_look = part.substr(would_look.size());
      else if (part.starts_with(choice))
        last.choice = part.substr(choice.size());
      else if (part.starts_with(keywords))
        std::ranges::move(split(part.substr(keywords.size()), ' '), std::back_inserter(last.keywords));
      else if (part.starts_with(compatible))
        std::ranges::move(split(part.substr(compatible.size()), ','), std::back_inserter(last.compatible));
      else if (part.starts_with(compiler))
        last.compilers.push_back(split(part.substr(compiler.size()), '|'));
      else
        last.hint += (last.hint.empty() ? "" : " ") + part;
    }
  }
  return groups;
}

// Parses Markdown: a heading for each term, "Also:" with its aliases, paragraphs and code, and a list of
// facts such as "- Kernel: matmul tiled".
std::vector<GlossaryTerm> terms_in(const std::string& text) {
  constexpr std::string_view heading = "## ", aliases = "Also: ", fact = "- ";
  std::vector<GlossaryTerm> terms;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(heading)) {
      terms.push_back({line.substr(heading.size()), {}, "", {}});
    } else if (terms.empty()) {
      continue;
    } else if (line.starts_with(aliases)) {
      terms.back().aliases = split(line.substr(aliases.size()), ',');
    } else if (line.starts_with(fact)) {
      const std::size_t colon = std::min(line.find(": "), line.size());
      terms.back().facts.emplace_back(
          line.substr(fact.size(), colon - fact.size()),
          trimmed(std::string_view(line).substr(std::min(colon + 1, line.size()))));
    } else {
      terms.back().text += line + "\n";
    }
  }
  for (GlossaryTerm& term : terms) term.text = trimmed(flowing_text(term.text));
  return terms;
}

std::string key_of(std::string_view name) {
  std::string key(name);
  std::ranges::transform(key, key.begin(), [](unsigned char letter) {
    return letter == '-' || letter == '_' ? ' ' : static_cast<char>(std::tolower(letter));
  });
  if (key.ends_with("()")) key.resize(key.size() - 2);
  return trimmed(key);
}

}  // namespace

bool is_kind_of(const std::string& pattern, const std::string& general) {
  return pattern == general || pattern.starts_with(general + "-");
}

bool may_be_true_too(const std::string& pattern, const std::string& found) {
  const auto lists = [](const std::string& listing, const std::string& other) {
    const PatternHint* known = find_pattern(listing);
    return known && std::ranges::any_of(known->compatible, [&](const std::string& general) {
             return is_kind_of(other, general);
           });
  };
  const PatternHint* known = find_pattern(pattern);
  return is_kind_of(pattern, found) || is_kind_of(found, pattern) || lists(pattern, found) ||
         lists(found, pattern) ||
         (known && std::ranges::find(known->compatible, "everything") != known->compatible.end());
}

bool may_be_in(const std::string& pattern, const std::string& text) {
  const PatternHint* known = find_pattern(pattern);
  if (!known || known->keywords.empty()) return true;
  const source::Code code(text);
  return std::ranges::any_of(code.tokens(), [&](const source::CodeToken& token) {
    return std::ranges::any_of(known->keywords, [&](const std::string& word) {
      return word.ends_with('*') ? token.text.starts_with(std::string_view(word).substr(0, word.size() - 1))
                                 : token.text == word;
    });
  });
}

std::string why_no_choice(const std::string& pattern, const std::string& found, const std::string& text) {
  const PatternHint* const known = find_pattern(pattern);
  if (!known) return "there is no such pattern";
  if (known->summary.empty() || pattern == name_of(DefectKind::missing_kernel) ||
      pattern == name_of(DefectKind::wrong_parameters))
    return "it is never a choice";
  if (!may_be_in(pattern, text))
    return fmt::format("the text has no {}", fmt::join(known->keywords, ", and no "));
  return may_be_true_too(pattern, found) ? "it may be true of a text with " + found : "";
}

const std::vector<PatternGroup>& pattern_groups() {
  static const std::vector<PatternGroup> groups = groups_in(embedded_pattern_hints());
  return groups;
}

const PatternHint* find_pattern(std::string_view name) {
  const std::string wanted = key_of(name);
  for (const PatternGroup& group : pattern_groups())
    for (const PatternHint& known : group.patterns)
      if (key_of(known.pattern) == wanted) return &known;
  return nullptr;
}

std::string pattern_hint(const std::string& pattern) {
  const PatternHint* known = find_pattern(pattern);
  return known ? known->hint : "";
}

std::string hint_for(const CheckResult& result) {
  // The hint for compile errors says that later errors may follow from the first: with one error, that
  // is no help.
  const auto is_further_error = [](const CheckPlace& place) { return !place.pattern.empty(); };
  if (result.pattern == does_not_compile && std::ranges::none_of(result.related, is_further_error)) return "";
  return pattern_hint(result.pattern);
}

const std::vector<GlossaryTerm>& glossary() {
  static const std::vector<GlossaryTerm> terms = terms_in(embedded_glossary());
  return terms;
}

namespace {

// Returns a key without the s at the end of each word: "sector per load".
std::string in_the_singular(const std::string& key) {
  std::string text;
  for (const char letter : key + " ") {
    if (letter == ' ' && text.ends_with('s')) text.pop_back();
    text += letter;
  }
  return text;
}

}  // namespace

const GlossaryTerm* find_term(std::string_view name) {
  const std::string wanted = key_of(name);
  for (const GlossaryTerm& term : glossary()) {
    const auto is_wanted = [&](const std::string& known) {
      const std::string key = key_of(known);
      return in_the_singular(key) == in_the_singular(wanted) || key + "es" == wanted;
    };
    if (is_wanted(term.name) || std::ranges::any_of(term.aliases, is_wanted)) return &term;
  }
  return nullptr;
}

}  // namespace gpulab::check
