#include "cli/format_option.hpp"

#include "cli/validators.hpp"

namespace gpulab {

void add_format_option(CLI::App& command, std::string& format) {
  format = "text";
  command.add_option("--format", format, "text or json (default text)")
      ->check(one_of({"text", "json"}))
      ->type_name("WORD");
}

}  // namespace gpulab
