#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gpulab {

// Where a report goes: stdout, or a file that appears only when it is whole.
class Output {
 public:
  // Throws UsageError at once when the file cannot be written, rather than after a long run. Touches nothing
  // yet.
  explicit Output(const std::optional<std::filesystem::path>& file);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  bool is_file() const { return file_.has_value(); }
  void write(const std::string& text);

 private:
  std::optional<std::filesystem::path> file_;
  std::filesystem::path written_;  // until it is whole, beside the file
};

}  // namespace gpulab
