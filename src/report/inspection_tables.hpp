#pragma once

#include "core/inspection.hpp"
#include "report/access_columns.hpp"

namespace gpulab {

// The columns for everything that the variants access, so that all their tables have the same.
AccessColumns columns_for(const Inspection& inspection);

// A row for each kind of access in each line that has one, with the text of the line at the end.
Table table_of_accesses(const VariantInspection& variant, const AccessColumns& columns);

// Every line of the variant's kernel and of what else of the file has accesses, with the same beside it.
Table table_of_source(const VariantInspection& variant, const AccessColumns& columns);

}  // namespace gpulab
