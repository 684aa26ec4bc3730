#pragma once

#include "test.hpp"

// PNG files written byte by byte, after the PNG Specification (W3C, 2003) and not with the library that reads
// them; the data are stored, not compressed.

namespace gpulab::image {

enum class PngColour : std::uint8_t { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgb_alpha = 6 };

struct PngHeader {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::uint8_t bits = 8;
  PngColour colour = PngColour::grey;
  bool interlaced = false;
};

inline const std::string png_signature = "\x89PNG\r\n\x1a\n";

inline std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift);
  return bytes;
}

inline std::uint32_t crc32_of(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) ? 0xedb88320 ^ (crc >> 1) : crc >> 1;
  }
  return ~crc;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  return four_bytes(static_cast<std::uint32_t>(data.size())) + type + data +
         four_bytes(crc32_of(type + data));
}

inline std::string header_chunk(const PngHeader& header) {
  std::string data = four_bytes(header.width) + four_bytes(header.height);
  data += static_cast<char>(header.bits);
  data += static_cast<char>(header.colour);
  data += std::string(2, '\0');  // the methods of compression and filtering
  data += static_cast<char>(header.interlaced);
  return png_chunk("IHDR", data);
}

// Returns a zlib stream of one stored block, of at most 65 535 bytes.
inline std::string stored(const std::string& data) {
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const unsigned char byte : data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const auto size = static_cast<std::uint16_t>(data.size());
  std::string stream = "\x78\x01\x01";
  for (const int part : {size & 255, size >> 8, ~size & 255, (~size >> 8) & 255})
    stream += static_cast<char>(part);
  return stream + data + four_bytes(b << 16 | a);
}

// Returns a file in which each row begins with its filter, 0 for none. `chunks` go before the data.
inline std::string png_file(const PngHeader& header, const std::string& rows,
                            const std::string& chunks = "") {
  return png_signature + header_chunk(header) + chunks + png_chunk("IDAT", stored(rows)) +
         png_chunk("IEND", "");
}

}  // namespace gpulab::image
