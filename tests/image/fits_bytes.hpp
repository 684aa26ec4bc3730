#pragma once

#include <bit>

#include "test.hpp"

// FITS files written byte by byte, after the FITS Standard 4.0 and not with the library that reads them.

namespace gpulab::image {

constexpr std::size_t fits_block = 2880;

inline std::string filled_block(std::string text, char filler) {
  text.resize((text.size() + fits_block - 1) / fits_block * fits_block, filler);
  return text;
}

inline std::string fits_card(std::string keyword, const std::string& value) {
  keyword.resize(8, ' ');
  std::string card = keyword + "= " + value;
  card.resize(80, ' ');
  return card;
}

// Returns the header of an image. Its first card is SIMPLE in a file's first unit, and XTENSION in others.
inline std::string image_header(const std::string& first_card, int bitpix, const std::vector<long long>& axes,
                                const std::string& more_cards) {
  std::string header = first_card + fits_card("BITPIX", std::to_string(bitpix)) +
                       fits_card("NAXIS", std::to_string(axes.size()));
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    header += fits_card("NAXIS" + std::to_string(axis + 1), std::to_string(axes[axis]));
  return filled_block(header + more_cards + "END", ' ');
}

inline std::string primary_header(int bitpix, const std::vector<long long>& axes,
                                  const std::string& more_cards = "") {
  return image_header(fits_card("SIMPLE", "T"), bitpix, axes, more_cards);
}

inline std::string image_extension_header(int bitpix, const std::vector<long long>& axes) {
  return image_header(fits_card("XTENSION", "'IMAGE   '"), bitpix, axes,
                      fits_card("PCOUNT", "0") + fits_card("GCOUNT", "1"));
}

// Returns a table of one column of one byte, with further cards that describe it.
inline std::string table_extension(const std::string& more_cards = "") {
  const std::string cards = fits_card("PCOUNT", "0") + fits_card("GCOUNT", "1") + fits_card("TFIELDS", "1") +
                            fits_card("TFORM1", "'1B      '") + more_cards;
  return image_header(fits_card("XTENSION", "'BINTABLE'"), 8, {1, 1}, cards) + filled_block("x", '\0');
}

// Returns the values as FITS stores them, most significant byte first.
template <class T>
std::string big_endian(const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) {
    std::array<char, sizeof(T)> bytes_of_value;
    std::memcpy(bytes_of_value.data(), &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::little)
      bytes.append(bytes_of_value.rbegin(), bytes_of_value.rend());
    else
      bytes.append(bytes_of_value.begin(), bytes_of_value.end());
  }
  return bytes;
}

template <class T>
std::string fits_image(const std::vector<long long>& axes, const std::vector<T>& values,
                       const std::string& more_cards = "") {
  const int bits = static_cast<int>(8 * sizeof(T));
  return primary_header(std::is_floating_point_v<T> ? -bits : bits, axes, more_cards) +
         filled_block(big_endian(values), '\0');
}

}  // namespace gpulab::image
