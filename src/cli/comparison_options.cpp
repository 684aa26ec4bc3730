#include "cli/comparison_options.hpp"

#include <cstdlib>
#include <map>
#include <optional>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/scanner.hpp"
#include "report/comparison_formats.hpp"
#include "run/run_options.hpp"

namespace gpulab::cli {
namespace {

struct Quantity {
  double number = 0;
  std::string unit;
};

// "1.5 us" is 1.5 and "us"; none for what is no number with a word behind it.
std::optional<Quantity> quantity_of(const std::string& text) {
  double number = 0;  // from_chars takes neither a sign "+" nor blanks
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool has_digits =
      !text.empty() && std::string_view("0123456789.").find(text.front()) != std::string_view::npos;
  if (error != std::errc{} || !has_digits) return std::nullopt;
  Scanner scanner(std::string_view(end, text.data() + text.size()));
  scanner.take_while([](char letter) { return letter == ' '; });
  const std::string unit(
      scanner.take_while([](char letter) { return (letter >= 'a' && letter <= 'z') || letter == '%'; }));
  if (!scanner.is_at_end()) return std::nullopt;
  return Quantity{.number = number, .unit = unit};
}

double parse_threshold(const std::string& text) {
  const auto quantity = quantity_of(text);
  if (!quantity || (!quantity->unit.empty() && quantity->unit != "%"))
    throw UsageError("--threshold '" + text + "' is not a part; write it as 5% or 0.05");
  const bool is_percent = quantity->unit == "%";
  const double part = is_percent ? quantity->number / 100 : quantity->number;
  if (!is_percent && part >= 1)
    throw UsageError("--threshold " + text + " would be " + text + " times; write it as " + text +
                     "% or as a part below 1");
  if (part <= 0 || part > 10)
    throw UsageError("--threshold " + text +
                     " is not between 0 and 1000%, so it would find everything or nothing");
  return part;
}

double parse_duration(const std::string& option, const std::string& text) {
  static const std::map<std::string, double> units = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  const auto quantity = quantity_of(text);
  const auto unit = quantity ? units.find(quantity->unit) : units.end();
  if (unit == units.end())
    throw UsageError(option + " '" + text +
                     "' is not a time; write it with its unit, such as 1us, 500ns or 0.5ms");
  return quantity->number * unit->second;
}

}  // namespace

void add_comparison_options(CLI::App& command, ComparisonWords& words) {
  command
      .add_option("--threshold", words.threshold,
                  "a time that grows by this part has regressed, such as 5% (default 3%); an energy, three "
                  "times as much")
      ->type_name("PART");
  command
      .add_option("--min-difference", words.min_difference,
                  "times that differ by less are the same (default 500ns, steady 20ns)")
      ->type_name("TIME");
  command.add_flag("--strict", words.strict,
                   "end with 5 also if something is missing or inconclusive, or a document is incomplete");
}

ComparisonRules rules_of(const ComparisonWords& words) {
  ComparisonRules rules;
  if (words.threshold) rules.threshold = parse_threshold(*words.threshold);
  if (words.min_difference)
    rules.min_difference_s = parse_duration("--min-difference", *words.min_difference);
  rules.is_strict = words.strict;
  return rules;
}

ExitCode ComparisonReport::write(const Comparison& comparison, const std::vector<std::string>& typed) const {
  Output to(output);
  const report::Shown shown = all ? report::Shown::all : report::Shown::changes;
  if (format == "json")
    to.write(report::comparison_json(comparison, run::run_facts(typed)));
  else if (format == "md")
    to.write(report::comparison_markdown(comparison, shown));
  else if (format == "junit")
    to.write(report::comparison_junit(comparison));
  else if (format == "github")
    to.write(report::comparison_github(comparison));
  else
    to.show(
        report::comparison_text(comparison, shown, to.is_file() ? report::TextStyle{} : style_of_stdout()));
  if (output && !quiet) tell(report::comparison_summary(comparison) + "\n");
  return exit_code_of(comparison);
}

void add_comparison_report(CLI::App& command, ComparisonReport& report) {
  command.add_flag("--all", report.all, "show also what is the same, and what is not judged");
  add_choice(command, "--format", report.format, "how it is written",
             {"text", "json", "md", "junit", "github"});
  command.add_option("--output", report.output, "write the result here, not to stdout")->type_name("FILE");
  command.add_flag("--quiet", report.quiet, "nothing on stderr but errors");
}

}  // namespace gpulab::cli
