#include "report/gpu_check_table.hpp"

#include "report/paragraphs.hpp"
#include "report/quantity_text.hpp"
#include "report/result_words.hpp"
#include "report/table.hpp"

namespace gpulab {
namespace {

void add(Table& table, const VariantResult& variant, const VariantResult& yours) {
  std::vector<Cell> cells = {{variant.name, &variant == &yours ? Ink::bold : Ink::plain},
                             result_cell(variant)};
  if (!variant.kernel_cold) return table.add(std::move(cells), story(variant, variant.size));
  const Timing& timing = *variant.kernel_cold;
  cells.push_back({duration_text(timing.median_s)});
  const auto half_width = timing.relative_half_width();
  cells.push_back({half_width ? "± " + percent_text(*half_width) : "", Ink::faint});
  if (yours.kernel_cold) cells.push_back({factor_text(yours.kernel_cold->median_s / timing.median_s)});
  table.add(std::move(cells));
}

}  // namespace

std::string gpu_check_table(const std::vector<VariantResult>& on_gpu, const TextStyle& style) {
  if (on_gpu.empty()) return "";
  Table table({{"on the GPU"},
               {"result"},
               {"kernel, cold", Align::right, 1, "cold: caches evicted before each launch, median"},
               {"", Align::right, 3},
               {"against yours", Align::right, 2, "x: times as fast as your kernel"}});
  for (const VariantResult& variant : on_gpu) add(table, variant, on_gpu.front());
  return table.text(style) + "\n" + paragraph(table.legend(style), Ink::faint, style);
}

}  // namespace gpulab
