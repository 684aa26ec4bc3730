#include "report/catalogue_text.hpp"

#include "core/number_text.hpp"
#include "report/table.hpp"

namespace gpulab {
namespace {

std::string names(const Lesson& lesson) {
  std::string result = lesson.name;
  for (const std::string& alias : lesson.aliases) result += ", " + alias;
  return result;
}

std::string variant_names(const Lesson& lesson) {
  std::string result;
  for (const Variant& variant : lesson.variants) result += (result.empty() ? "" : ", ") + variant.name;
  return result;
}

}  // namespace

std::string catalogue_text(const std::vector<Lesson>& lessons, const TextStyle& style) {
  Table table(
      {{"lesson"}, {"default size", Align::right, 1}, {"what it shows, and its variants", Align::left, 2}});
  for (const Lesson& lesson : lessons) {
    table.add({{names(lesson), Ink::bold}, {lesson.has_size() ? grouped(lesson.default_size) : "-"}},
              lesson.title);
    table.add({{}, {}}, variant_names(lesson));
  }
  return table.text(style);
}

}  // namespace gpulab
