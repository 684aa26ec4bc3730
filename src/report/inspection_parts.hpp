#pragma once

#include <string>
#include <vector>

#include "core/access_counts.hpp"
#include "core/inspection.hpp"
#include "report/table.hpp"

namespace gpulab::report {

// A sum over requests divided by them, in three digits where it is no whole number: "4", "17.3".
std::string mean_text(std::uint64_t sum, std::uint64_t requests);

// What happens in that line, and what a well-formed access would take, in one or two sentences.
std::string costly_access_text(const CostlyAccess& costly);

// "worst: ..." of all accesses, or that nothing is bad.
std::string worst_access_text(const AccessCounts& counts, const TextStyle& style);

// The columns of a table that say what accesses come to: only those that one of the accesses has a figure
// for.
class AccessColumns {
 public:
  explicit AccessColumns(const AccessCounts& counts);

  std::vector<Column> columns() const;
  std::vector<Cell> cells(const LineAccesses& accesses) const;
  // Of a line that accesses nothing.
  std::vector<Cell> empty_cells() const;

 private:
  bool has_global_ = false, has_shared_ = false, has_atomics_ = false;
};

// A line of a kernel file, and what it accesses.
struct InspectedLine {
  int number = 0;  // 0 for accesses of which the line cannot be told
  std::vector<LineAccesses> accesses;
};

// The lines that access memory, in their order.
std::vector<InspectedLine> inspected_lines(const VariantInspection& variant);

// Every line of the variant's kernel and of all functions that have such lines, with the comments above them.
std::vector<InspectedLine> inspected_functions(const VariantInspection& variant);

// The kernels of these.
std::vector<std::string> inspected_kernels(const VariantInspection& variant);

// The columns for everything that the variants access, so that all their tables have the same.
AccessColumns columns_for(const Inspection& inspection);

// A row for each kind of access in each line that has one, with the text of the line at the end.
Table table_of_accesses(const VariantInspection& variant, const AccessColumns& columns);

// Every line of the variant's kernel and of what else of the file has accesses, with the same beside it.
Table table_of_source(const VariantInspection& variant, const AccessColumns& columns);

}  // namespace gpulab::report
