#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html/figure.hpp"

namespace gpulab::report::html {

// As text between tags or as an attribute in quotes.
std::string escaped(std::string_view text);

// <tag>text</tag>, the text escaped; none for an empty text.
std::string element(const std::string& tag, const std::string& text);

// With a caption; the first cell of each row is its heading. It can be scrolled sideways where it is too
// wide.
std::string table_markup(const FigureTable& table, const std::string& caption);

// The heading, the place to draw in, the note, and the table to unfold.
std::string figure_markup(const Figure& figure);

}  // namespace gpulab::report::html
