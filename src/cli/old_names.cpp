#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/output.hpp"
#include "cli/command.hpp"

namespace gpulab::cli {

// Commands that are a part of another one since 1.0. Their old names go on working for one release.

namespace {

using Words = std::vector<std::string>;

struct OldName {
  const char* name;
  Words now;  // the words in its place
};

const std::vector<OldName>& old_names() {
  static const std::vector<OldName> all{{"compare", {"report"}},
                                        {"devices", {"doctor"}},
                                        {"kernels", {"show"}},
                                        {"reset", {"start", "--again"}},
                                        {"crossover", {"bench", "--crossover"}}};
  return all;
}

// Removes an option and returns its value: "--keep DIR" or "--keep=DIR".
std::optional<std::string> take_value(Words& words, const std::string& option) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with(option + "=")) {
      const std::string value = word->substr(option.size() + 1);
      words.erase(word);
      return value;
    }
    if (*word != option || word + 1 == words.end()) continue;
    const std::string value = *(word + 1);
    words.erase(word, word + 2);
    return value;
  }
  return std::nullopt;
}

// Turns "crossover LESSON... --from FILE" into "report --crossover FILE --lesson LESSON ...".
Words crossover_of_document(Words words, const std::string& file) {
  Words result{words.front(), "report", "--crossover", file};
  for (auto word = words.begin() + 2; word != words.end(); ++word) {
    const bool is_value = (word - 1)->starts_with("--") && *(word - 1) != "--plot" &&
                          *(word - 1) != "--quiet" && (word - 1)->find('=') == std::string::npos;
    if (!word->starts_with("-") && !is_value) result.emplace_back("--lesson");
    result.push_back(*word);
  }
  return result;
}

// Turns "ab OLD NEW [options] -- bench LESSON..." into "bench LESSON... --against OLD --program NEW
// [options]".
Words bench_against(Words words) {
  const auto mark = std::ranges::find(words, "--");
  if (words.size() < 4 || words.end() - mark < 2 || *(mark + 1) != "bench" || words[2].starts_with("-") ||
      words[3].starts_with("-"))
    throw UsageError("ab is now gpulab bench LESSON... --against OLD_PROGRAM [--program NEW_PROGRAM]");
  Words own(words.begin() + 4, mark);
  Words result{words.front(), "bench", "--against", words[2], "--program", words[3]};
  result.insert(result.end(), mark + 2, words.end());
  if (const auto folder = take_value(own, "--keep")) {
    std::error_code failed;
    std::filesystem::create_directories(*folder, failed);
    result.insert(result.end(), {"--baseline", *folder + "/old.json", "--output", *folder + "/new.json"});
  }
  result.insert(result.end(), own.begin(), own.end());
  return result;
}

Words renamed(Words words) {
  if (words[1] == "ab") return bench_against(std::move(words));
  if (words[1] == "crossover")
    if (const auto file = take_value(words, "--from")) return crossover_of_document(words, *file);
  for (const auto& [name, now] : old_names()) {
    if (words[1] != name) continue;
    words.erase(words.begin() + 1);
    words.insert(words.begin() + 1, now.begin(), now.end());
    break;
  }
  return words;
}

}  // namespace

std::vector<std::string> with_new_names(std::vector<std::string> words) {
  if (words.size() < 2) return words;
  Words now = renamed(words);
  if (now[1] == words[1]) return words;
  const bool has_option = now.size() > 2 && now[2].starts_with("--") && now[2] != "--help";
  tell(fmt::format("gpulab: {} is now {}{}; its old name goes away with the next release\n", words[1], now[1],
                   has_option ? " " + now[2] : ""));
  return now;
}

}  // namespace gpulab::cli
