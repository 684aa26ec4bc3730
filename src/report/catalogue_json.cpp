#include "report/catalogue_json.hpp"

#include <nlohmann/json.hpp>

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json lesson_json(const Lesson& lesson) {
  Json options = Json::array(), variants = Json::array(), claims = Json::array();
  for (const Option& option : lesson.options)
    options.push_back({{"name", option.name}, {"help", option.help}, {"choices", option.choices}});
  for (const Variant& variant : lesson.variants)
    variants.push_back({{"name", variant.name}, {"kernel", variant.kernel}, {"idea", variant.idea}});
  for (const Claim& claim : lesson.claims)
    claims.push_back({{"faster", claim.faster}, {"slower", claim.slower}, {"least_ratio", claim.ratio}});
  return {{"name", lesson.name},
          {"aliases", lesson.aliases},
          {"title", lesson.title},
          {"episode", lesson.place.episode},
          {"step", lesson.place.step},
          {"page", lesson.page},
          {"kernels", lesson.kernels},
          {"default_size", lesson.default_size},
          {"largest_size", lesson.largest_size},
          {"options", options},
          {"variants", variants},
          {"claims", claims},
          {"solution", lesson.solution}};
}

}  // namespace

std::string catalogue_json(const std::vector<Lesson>& lessons) {
  Json document = {{"schema", "gpulab.list"}, {"schema_version", "1.0.0"}, {"lessons", Json::array()}};
  for (const Lesson& lesson : lessons) document["lessons"].push_back(lesson_json(lesson));
  return document.dump(2) + "\n";
}

}  // namespace gpulab
