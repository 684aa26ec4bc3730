#include "run/picture/picture.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/lists.hpp"
#include "base/test_report.hpp"

namespace gpulab::run::picture {
namespace {

// Sizes in the image's own units. It is readable at this width in pixels, and is mostly shown wider.
constexpr double image_width = 400, left_margin = 60, gap = 3, row_height = 18, line_height = 15;
constexpr std::size_t letters_of_title = 50, letters_of_text = 70;

// Classes: t title, s small, n lane number, f faint, u used, i on top of used, w wasted, b barrier, m missing
// barrier; g and r are the labels of these barriers.
constexpr const char* style_sheet =
    ".gp{font:11px system-ui,'DejaVu Sans',sans-serif;fill:#1b1f24}.gp .t{font-size:13px;font-weight:600}"
    ".gp .s{font-size:9px}.gp .n{font-size:8px}.gp .f{fill:#57606a}.gp .u{fill:#0b62b0}.gp .i{fill:#fff}.gp .w{fill:#f5d9ae}"
    ".gp .b{stroke:#0f7a55;stroke-width:2}.gp .m{stroke:#b3261e;stroke-width:2;stroke-dasharray:6 4}"
    ".gp .g{fill:#0f7a55}.gp .r{fill:#b3261e;font-weight:600}"
    "@media screen and (prefers-color-scheme:dark){.gp{fill:#e6edf3}.gp .f{fill:#a3afbb}.gp .u{fill:#63a8f2}"
    ".gp .i{fill:#0b1118}.gp .w{fill:#5c4a2c}.gp .b{stroke:#3fc38f}.gp .m{stroke:#ff8b80}.gp .g{fill:#3fc38f}"
    ".gp .r{fill:#ff8b80}}";

std::string text_at(double x, double y, const char* kind, const std::string& text) {
  return fmt::format("<text x=\"{:.4g}\" y=\"{:.4g}\" class=\"{}\">{}</text>\n", x, y, kind, xml_text(text));
}

std::string centred_text_at(double x, double y, const char* kind, const std::string& text) {
  return fmt::format("<text x=\"{:.4g}\" y=\"{:.4g}\" class=\"{}\" text-anchor=\"middle\">{}</text>\n", x, y,
                     kind, xml_text(text));
}

std::string box(double x, double y, double width, const char* kind) {
  return fmt::format("<rect x=\"{:.4g}\" y=\"{:.4g}\" width=\"{:.4g}\" height=\"15\" class=\"{}\"/>\n", x, y,
                     width, kind);
}

double width_of_column(const Picture& picture) {
  const std::size_t gaps = picture.gap_every > 0 ? (picture.columns - 1) / picture.gap_every : 0;
  return (image_width - left_margin - gap * static_cast<double>(gaps)) / static_cast<double>(picture.columns);
}

std::string label_in(double width, const Piece& piece) {
  constexpr double width_of_letter = 4.9;
  return cut(piece.label, static_cast<std::size_t>(width / width_of_letter));
}

// Returns whether there is a box whose lanes have no room for their numbers.
bool hides_lanes(const Picture& picture) {
  return picture.has_solid_cells && std::ranges::any_of(picture.rows, [&](const Row& row) {
           return std::ranges::any_of(row.pieces, [&](const Piece& piece) {
             const double width = width_of_column(picture) * static_cast<double>(piece.columns);
             return piece.shade == Shade::used && label_in(width, piece) != piece.label;
           });
         });
}

// Draws a piece; `y` is the upper edge of its row.
std::string piece_svg(const Piece& piece, double x, double y, double width) {
  constexpr double border = 0.6;
  const std::string label = label_in(width, piece);
  const double centre = x + width / 2, base_line = y + 11;
  if (piece.shade == Shade::plain) return text_at(x, base_line, "s", label);
  if (piece.shade == Shade::used || piece.shade == Shade::wasted) {
    const bool is_used = piece.shade == Shade::used;
    const std::string shape = box(x, y, width - border, is_used ? "u" : "w");
    return label == piece.label && !label.empty() ? shape + centred_text_at(centre, base_line, "n i", label)
                                                  : shape;
  }
  const bool is_missing = piece.shade == Shade::missing;
  return fmt::format("<path d=\"M{:.4g} {:.4g}h{:.4g}\" class=\"{}\"/>\n", x, y + 15, width,
                     is_missing ? "m" : "b") +
         centred_text_at(centre, base_line, is_missing ? "r" : "g", label);
}

std::string row_svg(const Picture& picture, const Row& row, double y) {
  const double column = width_of_column(picture);
  std::string text = row.label.empty() ? "" : text_at(0, y + 11, "s f", row.label);
  for (const Piece& piece : row.pieces) {
    const std::size_t gaps_before = picture.gap_every > 0 ? piece.column / picture.gap_every : 0;
    text += piece_svg(
        piece,
        left_margin + column * static_cast<double>(piece.column) + gap * static_cast<double>(gaps_before), y,
        column * static_cast<double>(piece.columns));
  }
  return text;
}

std::string legend(const Picture& picture, double y) {
  return box(left_margin, y, 15, "u") + text_at(left_margin + 20, y + 11, "f", picture.used) +
         box(left_margin + 170, y, 15, "w") + text_at(left_margin + 190, y + 11, "f", picture.wasted);
}

}  // namespace

std::string picture_svg(const Picture& picture) {
  std::string body;
  double y = 0;
  for (const std::string& line : wrapped(picture.title, letters_of_title))
    body += text_at(0, y += line_height, "t", line);
  y += 7;
  for (const Row& row : picture.rows) {
    body += row_svg(picture, row, y);
    y += row_height;
  }
  if (!picture.used.empty()) {
    body += legend(picture, y += 4);
    y += row_height;
  }
  const std::string caption =
      picture.caption + (hides_lanes(picture) ? " A box without a number serves several lanes." : "");
  for (const std::string& line : wrapped(caption, letters_of_text))
    body += text_at(0, y += line_height, "f", line);
  const double height = y + 6;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gp\" role=\"img\" "
      "style=\"max-width:100%;height:auto\" width=\"{0:.4g}\" height=\"{1:.4g}\" "
      "viewBox=\"0 0 {2:.4g} {3:.4g}\">\n<title>{4}</title>\n<style>{5}</style>\n{6}</svg>\n",
      1.5 * image_width, 1.5 * height, image_width, height, xml_text(picture.title), style_sheet, body);
}

namespace {

constexpr std::size_t label_width = 12, max_width = 64;

std::string repeated(std::string_view sign, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += sign;
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text = cut(text, width);
  return text + std::string(width - display_width(text), ' ');
}

std::string centred(const std::string& label, std::string_view line, std::size_t width) {
  const std::string text = " " + cut(label, width - std::min<std::size_t>(width, 4)) + " ";
  const std::size_t left_width = (width - std::min(width, display_width(text))) / 2;
  return repeated(line, left_width) + text + repeated(line, width - left_width - display_width(text));
}

std::string piece_text(const Piece& piece, std::size_t width, bool has_solid_cells, const TextStyle& style) {
  switch (piece.shade) {
    case Shade::used:
      if (has_solid_cells) return painted(repeated("█", width), Ink::blue, style);
      if (display_width(piece.label) + 2 <= width)
        return painted("[" + padded(piece.label, width - 2) + "]", Ink::blue, style);
      return painted(padded(piece.label, width), Ink::blue, style);
    case Shade::wasted:
      return painted(repeated(has_solid_cells ? "░" : "·", width), Ink::yellow, style);
    case Shade::barrier:
      return painted(centred(piece.label, "═", width), Ink::green, style);
    case Shade::missing:
      return painted(centred(piece.label, "╌", width), Ink::red, style);
    default:
      return padded(piece.label, width);
  }
}

std::string row_text(const Picture& picture, const Row& row, const TextStyle& style) {
  constexpr unsigned label_and_gaps = 15;
  const std::size_t room =
      std::min<std::size_t>(max_width, style.width - std::min(style.width, label_and_gaps));
  const std::size_t width =
      picture.has_solid_cells ? picture.columns * std::max<std::size_t>(1, room / picture.columns) : room;
  const auto position_of = [&](std::size_t column) { return column * width / picture.columns; };
  std::string line;
  std::size_t position = 0;  // in characters, without gaps
  for (const Piece& piece : row.pieces) {
    const std::size_t begin = position_of(piece.column), end = position_of(piece.column + piece.columns);
    if (picture.gap_every > 0 && piece.column > 0 && piece.column % picture.gap_every == 0) line += ' ';
    line +=
        std::string(begin - position, ' ') + piece_text(piece, end - begin, picture.has_solid_cells, style);
    position = end;
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string picture_text(const Picture& picture, const TextStyle& style) {
  std::vector<std::string> rows;
  for (const Row& row : picture.rows) rows.push_back(row_text(picture, row, style));
  std::string text = paragraph(picture.title, Ink::bold, style);
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && picture.has_solid_cells && rows[end] == rows[begin];) ++end;
    const std::size_t alike = end - begin > 2 ? end - begin - 1 : 0;
    for (std::size_t i = begin; i < end - alike; ++i)
      text += padded(picture.rows[i].label, label_width) + rows[i];
    if (alike > 0) text += std::string(label_width, ' ') + fmt::format("… and {} more like it\n", alike);
  }
  const std::string legend =
      picture.has_solid_cells ? fmt::format("█ {}  ░ {}. ", picture.used, picture.wasted) : std::string();
  return text + paragraph(legend + picture.caption, Ink::faint, style);
}

std::string pictures_text(const VariantInspection& variant, const TextStyle& style) {
  std::vector<Picture> pictures;
  if (variant.defect) pictures = pictures_of(*variant.defect, variant.source);
  const auto& lines = variant.counts.lines;
  const bool is_any_costly =
      std::ranges::any_of(lines, [](const LineAccesses& line) { return line.costliest.excess > 0; });
  for (const LineAccesses& accesses : lines)
    if (is_any_costly ? accesses.costliest.excess > 0 : &accesses == &lines.front())
      append(pictures, pictures_of(accesses));
  append(pictures, pictures_of_arrays(variant));
  std::string text;
  for (const Picture& picture : pictures) text += "\n" + picture_text(picture, style);
  return text;
}

}  // namespace gpulab::run::picture
