#include <fmt/format.h>
#include <algorithm>
#include <iterator>

#include "run/picture/picture.hpp"

namespace gpulab::run::picture {
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
  const std::size_t left = (width - std::min(width, display_width(text))) / 2;
  return repeated(line, left) + text + repeated(line, width - left - display_width(text));
}

std::string drawn(const Piece& piece, std::size_t width, bool has_blocks, const TextStyle& style) {
  switch (piece.shade) {
    case Shade::used:
      if (has_blocks) return painted(repeated("█", width), Ink::blue, style);
      if (display_width(piece.label) + 2 <= width)
        return painted("[" + padded(piece.label, width - 2) + "]", Ink::blue, style);
      return painted(padded(piece.label, width), Ink::blue, style);
    case Shade::wasted:
      return painted(repeated(has_blocks ? "░" : "·", width), Ink::yellow, style);
    case Shade::barrier:
      return painted(centred(piece.label, "═", width), Ink::green, style);
    case Shade::missing:
      return painted(centred(piece.label, "╌", width), Ink::red, style);
    default:
      return padded(piece.label, width);
  }
}

std::string drawn(const Picture& picture, const Row& row, const TextStyle& style) {
  const std::size_t room = std::min<std::size_t>(max_width, style.width - std::min(style.width, 15u));
  const std::size_t width =
      picture.has_blocks ? picture.columns * std::max<std::size_t>(1, room / picture.columns) : room;
  const auto place_of = [&](std::size_t column) { return column * width / picture.columns; };
  std::string line;
  std::size_t at = 0;
  for (const Piece& piece : row.pieces) {
    const std::size_t begin = place_of(piece.column), end = place_of(piece.column + piece.columns);
    if (picture.gap_every > 0 && piece.column > 0 && piece.column % picture.gap_every == 0) line += ' ';
    line += std::string(begin - at, ' ') + drawn(piece, end - begin, picture.has_blocks, style);
    at = end;
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string picture_text(const Picture& picture, const TextStyle& style) {
  std::vector<std::string> rows;
  for (const Row& row : picture.rows) rows.push_back(drawn(picture, row, style));
  std::string text = paragraph(picture.title, Ink::bold, style);
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && picture.has_blocks && rows[end] == rows[begin];) ++end;
    const std::size_t alike = end - begin > 2 ? end - begin - 1 : 0;
    for (std::size_t i = begin; i < end - alike; ++i)
      text += padded(picture.rows[i].label, label_width) + rows[i];
    if (alike > 0) text += std::string(label_width, ' ') + fmt::format("… and {} more like it\n", alike);
  }
  const std::string legend =
      picture.has_blocks ? "█ " + picture.used + "  ░ " + picture.wasted + ". " : std::string();
  return text + paragraph(legend + picture.caption, Ink::faint, style);
}

std::string pictures_text(const VariantInspection& variant, const TextStyle& style) {
  std::vector<Picture> pictures;
  if (variant.defect) pictures = pictures_of(*variant.defect, variant.source);
  const auto& lines = variant.counts.lines;
  const bool is_any_costly =
      std::ranges::any_of(lines, [](const LineAccesses& one) { return one.costliest.excess > 0; });
  for (const LineAccesses& accesses : lines)
    if (is_any_costly ? accesses.costliest.excess > 0 : &accesses == &lines.front())
      std::ranges::move(pictures_of(accesses), std::back_inserter(pictures));
  std::ranges::move(pictures_of_arrays(variant), std::back_inserter(pictures));
  std::string text;
  for (const Picture& picture : pictures) text += "\n" + picture_text(picture, style);
  return text;
}

}  // namespace gpulab::run::picture
