#include "base/test_report.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/table.hpp"
#include "base/text.hpp"

namespace gpulab {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_xml(char32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code != 0xFFFE && code != 0xFFFF);
}

std::string_view entity_of(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";  // attributes turn a newline into a space
    case '\r':
      return "&#13;";
    case '\t':
      return "&#9;";
    default:
      return {};
  }
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
      const std::string_view entity = entity_of(letter.value);
      safe += entity.empty() ? rest.substr(0, letter.bytes) : entity;
    }
    at += letter.bytes > 0 ? letter.bytes : 1;
  }
  return safe;
}

namespace {

enum class CommandPart { message, property };

// Escapes line breaks, which end a command, and commas and colons, which end a property.
std::string escaped(const std::string& text, CommandPart part) {
  const bool is_property = part == CommandPart::property;
  std::string safe;
  for (const char letter : text) {
    if (letter == '%')
      safe += "%25";
    else if (letter == '\r')
      safe += "%0D";
    else if (letter == '\n')
      safe += "%0A";
    else if (is_property && letter == ':')
      safe += "%3A";
    else if (is_property && letter == ',')
      safe += "%2C";
    else
      safe += letter;
  }
  return safe;
}

}  // namespace

std::string github_line(const Annotation& annotation) {
  constexpr const char* names[] = {"error", "warning", "notice"};
  std::string properties;
  if (!annotation.file.empty())
    properties = fmt::format("file={},line={},col={},", escaped(annotation.file, CommandPart::property),
                             annotation.line, annotation.column);
  const std::string message = annotation.message.substr(0, annotation.message.find_last_not_of(" \n") + 1);
  return fmt::format("::{} {}title={}::{}\n", names[static_cast<int>(annotation.severity)], properties,
                     escaped(annotation.title, CommandPart::property),
                     escaped(message, CommandPart::message));
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
  const char* const element = test.result == TestCase::Result::broken ? "error" : "failure";
  switch (test.result) {
    case TestCase::Result::passed:
      return "";
    case TestCase::Result::skipped:
      return fmt::format("      <skipped message=\"{}\"/>\n", message);
    case TestCase::Result::failed:
    case TestCase::Result::broken:
      break;
  }
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, xml_text(test.type),
                     message, xml_text(test.text));
}

std::string case_element(const TestCase& test) {
  const std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}{}{}", xml_text(test.group),
                  xml_text(test.name), attribute("time", test.seconds), attribute("file", test.file),
                  test.line > 0 ? fmt::format(" line=\"{}\"", test.line) : "");
  if (test.result == TestCase::Result::passed && !test.output) return text + "/>\n";
  const std::string output = test.output.value_or("");
  return text + ">\n" + result_element(test) +
         (output.empty() ? "" : fmt::format("      <system-out>{}</system-out>\n", xml_text(output))) +
         "    </testcase>\n";
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
  for (const TestSuite& suite : suites) elements += suite_element(suite);
  return document(fmt::format("name=\"{}\"", xml_text(name)), elements);
}

}  // namespace gpulab
