#include "radio_astronomy/source_table.hpp"

#include <array>
#include <charconv>

namespace gpulab::lessons::radio_astronomy {
namespace {

template <class Number>
std::string shortest(Number number) {
  std::array<char, 32> buffer;  // the longest double, -2.2250738585072014e-308, has 24
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

}  // namespace

Records source_records(const std::vector<Source>& sources, const std::string& unit) {
  Records records{.columns = {"label", "x", "y", "flux", "peak", "pixels"},
                  .units = {"", "pixel", "pixel", unit, unit, ""}};
  double label = 0;
  for (const Source& source : sources)
    records.rows.push_back(
        {++label, source.x, source.y, source.flux, source.peak, static_cast<double>(source.pixels)});
  return records;
}

std::string source_csv(const std::vector<Source>& sources) {
  std::string text = "label,x,y,flux,peak,pixels\n";
  int label = 0;
  for (const Source& source : sources)
    text += shortest(++label) + "," + shortest(source.x) + "," + shortest(source.y) + "," +
            shortest(source.flux) + "," + shortest(source.peak) + "," + shortest(source.pixels) + "\n";
  return text;
}

}  // namespace gpulab::lessons::radio_astronomy
