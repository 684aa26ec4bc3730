#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "lesson/result.hpp"

namespace gpulab::run::picture {

enum class Shade {
  plain,    // a label alone
  used,     // wanted by a lane, served by a bank, stored by a thread
  wasted,   // fetched and not used, idle, stored by nobody
  barrier,  // across all columns
  missing,  // a barrier that is not there
};

// Neighbouring columns of a row that are drawn together.
struct Piece {
  std::size_t column = 0;   // the first
  std::size_t columns = 1;  // how many
  Shade shade = Shade::plain;
  std::string label = {};  // left out where there is no room
};

struct Row {
  std::string label;
  std::vector<Piece> pieces = {};
};

// A drawing, on a grid, of something that a run has recorded. It is drawn on a terminal and as SVG.
struct Picture {
  std::string title, caption;
  std::string used = {}, wasted = {};  // legend of these shades
  std::size_t columns = 32;
  std::size_t gap_every = 0;    // columns from one gap to the next; 0: there are none
  bool has_solid_cells = true;  // a terminal draws cells as █ and ░, without labels
  std::vector<Row> rows = {};
};

// Returns the sectors or banks of the costliest request; nothing if none was recorded.
std::vector<Picture> pictures_of(const LineAccesses& accesses);

// Returns the shared arrays of two dimensions and dynamic shared memory, each with the threads that stored
// its elements.
std::vector<Picture> pictures_of_arrays(const VariantInspection& variant);

// Returns the two threads of a race; nothing for another defect.
std::vector<Picture> pictures_of(const Defect& defect, const std::string& source);

std::string picture_text(const Picture& picture, const TextStyle& style);

// Returns an SVG image that needs no other file. It is light or dark, as the reader's screen is.
std::string picture_svg(const Picture& picture);

// Formats the pictures of a variant: of a race, of the requests that cost more than they need or, if there
// are none, of the first request, and of the shared arrays.
std::string pictures_text(const VariantInspection& variant, const TextStyle& style);

}  // namespace gpulab::run::picture
