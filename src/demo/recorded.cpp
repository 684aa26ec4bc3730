#include "demo/recorded.hpp"

#include <sstream>
#include <stdexcept>

#include "core/text.hpp"

namespace gpulab::demo {

Recorded::Recorded(const std::string& csv) {
  const std::vector<std::string> lines = lines_of(csv);
  if (lines.size() < 2 || !lines.front().starts_with("# ") || lines[1] != "lesson,variant,figure,unit,value")
    throw std::logic_error("these are no recorded figures");
  source_ = lines.front().substr(2);
  for (std::size_t i = 2; i < lines.size(); ++i) {
    std::istringstream cells(lines[i]);
    Row row;
    std::string value;
    std::getline(cells, row.lesson, ',');
    std::getline(cells, row.variant, ',');
    std::getline(cells, row.figure, ',');
    std::getline(cells, row.unit, ',');
    std::getline(cells, value);
    row.value = std::stod(value);
    rows_.push_back(std::move(row));
  }
}

std::optional<Figure> Recorded::row(const std::string& lesson, const std::string& variant,
                                    const std::string& figure) const {
  for (const Row& row : rows_)
    if (row.lesson == lesson && row.variant == variant && row.figure == figure)
      return Figure{variant, row.value, row.unit};
  return std::nullopt;
}

std::optional<Figure> Recorded::of(const std::string& lesson, const std::string& variant,
                                   const std::string& figure, const std::string& with) const {
  const auto exactly = row(lesson, variant, figure + " at " + with);
  return exactly ? exactly : row(lesson, variant, figure);
}

}  // namespace gpulab::demo
