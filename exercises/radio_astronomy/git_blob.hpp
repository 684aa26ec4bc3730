#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gpulab::lessons::radio_astronomy {

// Returns the SHA-1 of the bytes in lower-case hexadecimal (FIPS 180-4, section 6.1). It tells files apart,
// but does not protect against forgery.
std::string sha1(std::string_view bytes);

// Returns what `git hash-object` prints for a file with this content.
std::string git_blob_hash(std::string_view content);

// Returns the same for a file, or an empty string if it cannot be read.
std::string git_blob_hash_of_file(const std::filesystem::path& file);

}  // namespace gpulab::lessons::radio_astronomy
