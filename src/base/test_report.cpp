#include "base/test_report.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/table.hpp"
#include "base/text.hpp"

namespace gpulab {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_xml(char32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code != 0xFFFE && code != 0xFFFF);
}

struct Escape {
  char letter;
  std::string_view text;
};

// In attributes a newline would become a space.
constexpr Escape xml_escapes[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"}, {'"', "&quot;"},
                                  {'\n', "&#10;"}, {'\r', "&#13;"}, {'\t', "&#9;"}};

// Line breaks end a command of GitHub's runner; commas and colons end a property.
constexpr Escape property_escapes[] = {
    {'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};
constexpr std::span message_escapes(property_escapes, 3);

// Returns "" for a letter that stays.
std::string_view escape_of(char32_t letter, std::span<const Escape> escapes) {
  for (const Escape& escape : escapes)
    if (static_cast<char32_t>(escape.letter) == letter) return escape.text;
  return {};
}

std::string escaped(const std::string& text, std::span<const Escape> escapes) {
  std::string safe;
  for (const char letter : text) {
    const std::string_view escape = escape_of(static_cast<unsigned char>(letter), escapes);
    safe += escape.empty() ? std::string_view(&letter, 1) : escape;
  }
  return safe;
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const CodePoint letter = first_code_point(rest);
    if (letter.bytes == 0 || !is_xml(letter.value)) {
      safe += replacement;
    } else {
      const std::string_view escape = escape_of(letter.value, xml_escapes);
      safe += escape.empty() ? rest.substr(0, letter.bytes) : escape;
    }
    at += letter.bytes > 0 ? letter.bytes : 1;
  }
  return safe;
}

std::string github_line(const Annotation& annotation) {
  constexpr const char* names[] = {"error", "warning", "notice"};
  std::string properties;
  if (!annotation.file.empty())
    properties = fmt::format("file={},line={},col={},", escaped(annotation.file, property_escapes),
                             annotation.line, annotation.column);
  const std::string message = annotation.message.substr(0, annotation.message.find_last_not_of(" \n") + 1);
  return fmt::format("::{} {}title={}::{}\n", names[static_cast<int>(annotation.severity)], properties,
                     escaped(annotation.title, property_escapes), escaped(message, message_escapes));
}

std::string gcc_line(const Annotation& annotation) {
  constexpr const char* names[] = {"error", "warning", "note"};
  return without_controls(fmt::format("{}:{}:{}: {}: {}", annotation.file, annotation.line, annotation.column,
                                      names[static_cast<int>(annotation.severity)], annotation.message)) +
         "\n";
}

namespace {

// Formats " time=\"0.123\"", or nothing for an empty value.
std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, xml_text(value));
}

std::string result_element(const TestCase& test) {
  const std::string message = xml_text(test.message);
  if (test.result == TestCase::Result::passed) return "";
  if (test.result == TestCase::Result::skipped)
    return fmt::format("      <skipped message=\"{}\"/>\n", message);
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n",
                     test.result == TestCase::Result::broken ? "error" : "failure", xml_text(test.type),
                     message, xml_text(test.text));
}

std::string case_element(const TestCase& test) {
  const std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}{}{}", xml_text(test.group),
                  xml_text(test.name), attribute("time", test.seconds), attribute("file", test.file),
                  test.line > 0 ? fmt::format(" line=\"{}\"", test.line) : "");
  if (test.result == TestCase::Result::passed && !test.output) return text + "/>\n";
  const std::string output = test.output.value_or("");
  return fmt::format(
      "{}>\n{}{}    </testcase>\n", text, result_element(test),
      output.empty() ? "" : fmt::format("      <system-out>{}</system-out>\n", xml_text(output)));
}

// Formats the name, counts and time of a suite.
std::string counts_of(const TestSuite& suite) {
  const auto count = [&](TestCase::Result result) {
    return std::ranges::count(suite.cases, result, &TestCase::result);
  };
  return fmt::format("name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\"{}", xml_text(suite.name),
                     suite.cases.size(), count(TestCase::Result::failed), count(TestCase::Result::broken),
                     attribute("time", suite.seconds));
}

std::string suite_element(const TestSuite& suite) {
  std::string cases;
  for (const TestCase& test : suite.cases) cases += case_element(test);
  return fmt::format("  <testsuite {} skipped=\"{}\"{}{}>\n{}  </testsuite>\n", counts_of(suite),
                     std::ranges::count(suite.cases, TestCase::Result::skipped, &TestCase::result),
                     attribute("timestamp", suite.started_utc), attribute("hostname", suite.hostname), cases);
}

std::string document(const std::string& attributes, const std::string& suites) {
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
                     attributes, suites);
}

}  // namespace

std::string junit_text(const TestSuite& suite) {
  return document(counts_of(suite), suite_element(suite));
}

std::string junit_text(const std::string& name, const std::vector<TestSuite>& suites) {
  std::string elements;
  TestSuite all{.name = name};
  for (const TestSuite& suite : suites) {
    elements += suite_element(suite);
    all.cases.insert(all.cases.end(), suite.cases.begin(), suite.cases.end());
  }
  return document(counts_of(all), elements);
}

}  // namespace gpulab
