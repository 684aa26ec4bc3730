#pragma once

#include <vector>

#include "core/access_counts.hpp"
#include "report/table.hpp"

namespace gpulab {

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

}  // namespace gpulab
