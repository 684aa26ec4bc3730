#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab::program {

// Libraries that programs use with the CUDA Toolkit's own headers, where these are installed: Thrust, whose
// algorithms run on the host (headers/thrust.cuh), libcu++'s part of the C++ library (cuda::std), and
// cuRAND's functions for kernels.
class ToolkitHeaders {
 public:
  // Finds the headers of the libraries that the program includes, if it may use them.
  ToolkitHeaders(const std::vector<std::string>& included, bool may_use);

  bool may_be_used() const { return may_use_; }
  // Returns whether the toolkit's header is used, and not an empty file.
  bool has(const std::string& header) const;
  // Returns whether programs can use the library: "Thrust", "cuRAND".
  bool offers(std::string_view library) const;
  // Returns #includes that precede the prelude, as those of the C++ library do.
  std::string includes() const;
  // Returns words by which parts of the prelude are chosen.
  std::vector<std::string> words() const;
  std::vector<std::string> options() const;             // of the compiler
  std::vector<std::filesystem::path> readable() const;  // in the sandbox
  // Returns a text that changes when other headers are installed.
  std::string version() const;
  // Writes links to the headers, and the headers that replace some, into the folder of a compilation.
  void write_to(const std::filesystem::path& folder) const;

 private:
  const char* version_header() const;

  std::vector<std::string> included_;
  bool may_use_ = false;
  bool uses_thrust_ = false;
  std::optional<std::filesystem::path> cccl_, curand_;  // folders; none where the libraries are not used
};

}  // namespace gpulab::program
