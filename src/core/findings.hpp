#pragma once

#include <optional>
#include <string>
#include <vector>

// What a result shows besides being right or wrong.

namespace gpulab {

// One number with a name: "registers", "sources", "relative error".
struct Figure {
  std::string name;
  double value = 0;
  std::string unit = {};  // "bytes", "GB/s"; empty for a count
};

// A list of things found, such as the sources in an image: one row each.
struct Records {
  std::vector<std::string> columns;
  std::vector<std::string> units;  // of each column; empty for none
  std::vector<std::vector<double>> rows;
};

struct Findings {
  std::vector<Figure> figures = {};
  std::optional<Records> records = {};
  std::vector<std::string> remarks = {};  // sentences
};

// A file that a run writes because its option was given.
struct Artifact {
  std::string option;
  std::string content;
};

// One thing that a stream did: a copy or a kernel, in seconds since the run began.
struct Span {
  enum class Kind { kernel, to_device, to_host, other };

  int stream = 0;
  Kind kind = Kind::kernel;
  std::string what;  // the kernel or the array
  double start_s = 0;
  double end_s = 0;
  double bytes = 0;  // of a copy
};

using Timeline = std::vector<Span>;

}  // namespace gpulab
