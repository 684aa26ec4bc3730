#include <fmt/format.h>
#include <algorithm>

#include "base/test_report.hpp"
#include "run/picture/picture.hpp"

namespace gpulab::run::picture {
namespace {

// Sizes in the image's own units. It is readable at this width in pixels, and is mostly shown wider.
constexpr double image_width = 400, left = 60, gap = 3, row_height = 18, line_height = 15;
constexpr std::size_t letters_of_title = 50, letters_of_text = 70;

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

std::string middle(double x, double y, const char* kind, const std::string& text) {
  return fmt::format("<text x=\"{:.4g}\" y=\"{:.4g}\" class=\"{}\" text-anchor=\"middle\">{}</text>\n", x, y,
                     kind, xml_text(text));
}

std::string box(double x, double y, double width, const char* kind) {
  return fmt::format("<rect x=\"{:.4g}\" y=\"{:.4g}\" width=\"{:.4g}\" height=\"15\" class=\"{}\"/>\n", x, y,
                     width, kind);
}

// Draws a piece; `y` is the upper edge of its row.
std::string drawn(const Piece& piece, double x, double y, double width) {
  constexpr double width_of_letter = 4.9, border = 0.6;
  const std::string label = cut(piece.label, static_cast<std::size_t>(width / width_of_letter));
  const double centre = x + width / 2, base_line = y + 11;
  if (piece.shade == Shade::plain) return text_at(x, base_line, "s", label);
  if (piece.shade == Shade::used || piece.shade == Shade::wasted) {
    const bool is_used = piece.shade == Shade::used;
    const std::string shape = box(x, y, width - border, is_used ? "u" : "w");
    return label == piece.label && !label.empty() ? shape + middle(centre, base_line, "n i", label) : shape;
  }
  const bool is_missing = piece.shade == Shade::missing;
  return fmt::format("<path d=\"M{:.4g} {:.4g}h{:.4g}\" class=\"{}\"/>\n", x, y + 15, width,
                     is_missing ? "m" : "b") +
         middle(centre, base_line, is_missing ? "r" : "g", label);
}

std::string drawn(const Picture& picture, const Row& row, double y) {
  const std::size_t gaps = picture.gap_every > 0 ? (picture.columns - 1) / picture.gap_every : 0;
  const double column =
      (image_width - left - gap * static_cast<double>(gaps)) / static_cast<double>(picture.columns);
  std::string text = row.label.empty() ? "" : text_at(0, y + 11, "s f", row.label);
  for (const Piece& piece : row.pieces) {
    const std::size_t gaps_before = picture.gap_every > 0 ? piece.column / picture.gap_every : 0;
    text += drawn(piece,
                  left + column * static_cast<double>(piece.column) + gap * static_cast<double>(gaps_before),
                  y, column * static_cast<double>(piece.columns));
  }
  return text;
}

std::string legend(const Picture& picture, double y) {
  return box(left, y, 15, "u") + text_at(left + 20, y + 11, "f", picture.used) + box(left + 170, y, 15, "w") +
         text_at(left + 190, y + 11, "f", picture.wasted);
}

}  // namespace

std::string picture_svg(const Picture& picture) {
  std::string body;
  double y = 0;
  for (const std::string& line : wrapped(picture.title, letters_of_title))
    body += text_at(0, y += line_height, "t", line);
  y += 7;
  for (const Row& row : picture.rows) {
    body += drawn(picture, row, y);
    y += row_height;
  }
  if (!picture.used.empty()) {
    body += legend(picture, y += 4);
    y += row_height;
  }
  for (const std::string& line : wrapped(picture.caption, letters_of_text))
    body += text_at(0, y += line_height, "f", line);
  const double height = y + 6;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gp\" role=\"img\" "
      "style=\"max-width:100%;height:auto\" width=\"{0:.4g}\" height=\"{1:.4g}\" "
      "viewBox=\"0 0 {2:.4g} {3:.4g}\">\n<title>{4}</title>\n<style>{5}</style>\n{6}</svg>\n",
      1.5 * image_width, 1.5 * height, image_width, height, xml_text(picture.title), style_sheet, body);
}

}  // namespace gpulab::run::picture
