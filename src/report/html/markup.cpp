#include "report/html/markup.hpp"

#include <fmt/format.h>

namespace gpulab::report::html {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char byte : text) switch (byte) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += byte;
    }
  return safe;
}

std::string element(const std::string& tag, const std::string& text) {
  return text.empty() ? "" : fmt::format("<{0}>{1}</{0}>\n", tag, escaped(text));
}

std::string table_markup(const FigureTable& table, const std::string& caption) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: "
      "{0}\">\n<table>\n<caption>{0}</caption>\n"
      "<thead><tr>",
      escaped(caption));
  for (const std::string& title : table.titles)
    text += fmt::format("<th scope=\"col\">{}</th>", escaped(title));
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i == 0 ? "<th scope=\"row\">" : "<td>") + escaped(row[i]) + (i == 0 ? "</th>" : "</td>");
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

std::string figure_markup(const Figure& figure) {
  return fmt::format(
             "<figure id=\"{0}\"{3}>\n<figcaption><h3>{1}</h3></figcaption>\n"
             "<div class=\"legend\"></div>\n"
             "<div class=\"chart\"><canvas role=\"img\" aria-label=\"{2}\"></canvas></div>\n",
             figure.id, escaped(figure.title), escaped(figure.sentence),
             figure.shape == Shape::ratios ? " class=\"wide\"" : "") +
         (figure.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", escaped(figure.note))) +
         "<details><summary>Table</summary>\n" + table_markup(figure.table, figure.title) +
         "</details>\n</figure>\n";
}

}  // namespace gpulab::report::html
