#include "report/catalogue_json.hpp"

#include <nlohmann/json.hpp>

#include "report/claim_text.hpp"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

struct KindJson {
  Json operator()(const Choice& choice) const { return {{"kind", "choice"}, {"choices", choice.words}}; }
  Json operator()(const Count& count) const {
    return {{"kind", "count"}, {"default", count.default_value}, {"least", count.min}, {"most", count.max}};
  }
  Json operator()(const Number& number) const {
    return {{"kind", "number"}, {"default", number.default_value}, {"least", number.min}, {"most", number.max}};
  }
  Json operator()(const InputFile&) const { return {{"kind", "input_file"}}; }
  Json operator()(const OutputFile&) const { return {{"kind", "output_file"}}; }
};

Json option_json(const Option& option) {
  Json json = {{"name", option.name}, {"help", option.help}};
  json.update(std::visit(KindJson{}, option.kind));
  return json;
}

Json lesson_json(const Lesson& lesson) {
  Json options = Json::array(), variants = Json::array(), claims = Json::array();
  for (const Option& option : lesson.options) options.push_back(option_json(option));
  for (const Variant& variant : lesson.variants)
    variants.push_back({{"name", variant.name}, {"kernel", variant.kernel}, {"idea", variant.idea}});
  for (const Claim& claim : lesson.claims)
    claims.push_back({{"text", claim_text(claim)},
                      {"better", claim.better},
                      {"worse", claim.worse},
                      {"least_ratio", claim.ratio}});
  return {{"name", lesson.name},
          {"aliases", lesson.aliases},
          {"title", lesson.title},
          {"episode", lesson.place.episode},
          {"step", lesson.place.step},
          {"page", lesson.page},
          {"kernels", lesson.kernels},
          {"default_size", lesson.has_size() ? Json(lesson.default_size) : Json(nullptr)},
          {"largest_size", lesson.has_size() ? Json(lesson.largest_size) : Json(nullptr)},
          {"options", options},
          {"variants", variants},
          {"claims", claims},
          {"solution", lesson.solution}};
}

}  // namespace

std::string catalogue_json(const std::vector<Lesson>& lessons) {
  Json document = {{"schema", "gpulab.list"}, {"schema_version", "2.0.0"}, {"lessons", Json::array()}};
  for (const Lesson& lesson : lessons) document["lessons"].push_back(lesson_json(lesson));
  return document.dump(2) + "\n";
}

}  // namespace gpulab
