#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "image/formats.hpp"

namespace gpulab::image {
namespace {

constexpr std::size_t block_bytes = 2880;
constexpr std::size_t card_bytes = 80;

// The number of bytes of whole blocks.
std::size_t in_blocks(std::size_t bytes) {
  return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

// Keywords and values in cards of 80 characters, up to the card END (FITS Standard 4.0, section 4).
class Header {
 public:
  Header(std::string_view contents, const std::filesystem::path& name) : name_(name) {
    for (std::size_t place = 0; place + card_bytes <= contents.size(); place += card_bytes)
      if (contents.substr(place).starts_with("END     ")) {
        cards_ = contents.substr(0, place);
        return;
      }
    throw cut_short(name_);
  }

  std::size_t bytes() const { return in_blocks(cards_.size() + card_bytes); }

  // Empty when the keyword is not there.
  std::string_view value(std::string keyword) const {
    keyword.resize(8, ' ');
    for (std::size_t place = 0; place < cards_.size(); place += card_bytes) {
      const std::string_view card = cards_.substr(place, card_bytes);
      if (!card.starts_with(keyword + "= ")) continue;
      const std::size_t first = card.find_first_not_of(' ', keyword.size() + 1);
      return first == std::string_view::npos ? "" : card.substr(first);
    }
    return "";
  }

  // At least 0.
  std::int64_t count(const std::string& keyword) const {
    const std::string_view text = value(keyword);
    std::int64_t number = -1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number < 0)
      throw unreadable(name_, "it is a damaged FITS file (its " + keyword +
                                  " is missing or no count); copy or download it again");
    return number;
  }

 private:
  std::filesystem::path name_;
  std::string_view cards_;
};

// Section 4.4.1.2 of the standard; a double cannot overflow whatever a damaged header says.
double data_bytes(const Header& header, bool is_extension) {
  const std::int64_t axes = header.count("NAXIS");
  double elements = axes == 0 ? 0 : 1;
  for (std::int64_t axis = 1; axis <= axes && elements > 0; ++axis)
    elements *= static_cast<double>(header.count("NAXIS" + std::to_string(axis)));
  if (is_extension) elements += static_cast<double>(header.count("PCOUNT"));
  const std::string_view bitpix = header.value("BITPIX");
  const bool is_signed = bitpix.starts_with('-');
  int bits = 0;
  std::from_chars(bitpix.data() + is_signed, bitpix.data() + bitpix.size(), bits);
  bits = std::max(bits, 0);  // of "--8": its image, if it is one, is refused where it is read
  return elements * bits / 8;
}

}  // namespace

std::size_t find_fits_image(std::string_view contents, const std::filesystem::path& name) {
  for (std::size_t place = 0; place < contents.size();) {
    const std::string_view rest = contents.substr(place);
    const bool is_extension = place > 0;
    if (is_extension && !rest.starts_with("XTENSION=")) break;  // other records may follow the last one
    const Header header(rest, name);
    const bool is_image = !is_extension || header.value("XTENSION").starts_with("'IMAGE");
    if (is_image && header.count("NAXIS") >= 2) return place;
    if (header.value("ZIMAGE").starts_with('T'))
      throw unreadable(name, "its image is tile-compressed; unpack it first, with funpack");
    const double data = data_bytes(header, is_extension);
    if (!(static_cast<double>(header.bytes()) + data <= static_cast<double>(rest.size())))
      throw cut_short(name);
    place += header.bytes() + in_blocks(static_cast<std::size_t>(data));
  }
  throw unreadable(name, "it holds no image with two axes, only tables or spectra; name another file");
}

}  // namespace gpulab::image
