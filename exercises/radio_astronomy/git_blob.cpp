#include "radio_astronomy/git_blob.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace gpulab::lessons::radio_astronomy {
namespace {

constexpr std::size_t block = 64;  // bytes
using State = std::array<std::uint32_t, 5>;

std::array<std::uint32_t, 80> schedule_of(const unsigned char* bytes) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < block; ++i) words[i / 4] = words[i / 4] << 8 | bytes[i];
  for (std::size_t i = 16; i < words.size(); ++i)
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  return words;
}

void compress_block(State& state, const unsigned char* bytes) {
  const auto words = schedule_of(bytes);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999u
                                : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1u
                                : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu
                                         : (b ^ c ^ d) + 0xca62c1d6u;
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + words[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

// Returns the end of the message: the bytes after the last whole block, a one bit, zeros, and the length in
// bits.
std::string padded_end(std::string_view bytes) {
  std::string end(bytes.substr(bytes.size() / block * block));
  end += '\x80';
  while (end.size() % block != block - 8) end += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xff);
  return end;
}

}  // namespace

std::string sha1(std::string_view bytes) {
  State state{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  const std::string end = padded_end(bytes);
  for (const std::string_view part : {bytes.substr(0, bytes.size() / block * block), std::string_view(end)})
    for (std::size_t i = 0; i < part.size(); i += block)
      compress_block(state, reinterpret_cast<const unsigned char*>(part.data()) + i);
  std::string text;
  for (const std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

std::string git_blob_hash(std::string_view content) {
  return sha1("blob " + std::to_string(content.size()) + '\0' + std::string(content));
}

std::string git_blob_hash_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return "";
  return git_blob_hash(std::string(std::istreambuf_iterator<char>(stream), {}));
}

}  // namespace gpulab::lessons::radio_astronomy
