#include "radio_astronomy/git_blob.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace gpulab::lessons::radio_astronomy {
namespace radio_astronomy_git_blob_test {

// The examples of NIST for SHA-1 (FIPS 180 example values), and the empty message.
TEST(Sha1, MatchesThePublishedExamples) {
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(sha1(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

// From coreutils' sha1sum: lengths around the end of a block, where the padding takes one block or two.
TEST(Sha1, PadsMessagesOfAnyLength) {
  EXPECT_EQ(sha1(std::string(55, 'x')), "cef734ba81a024479e09eb5a75b6ddae62e6abf1");
  EXPECT_EQ(sha1(std::string(56, 'x')), "901305367c259952f4e7af8323f480d59f81335b");
  EXPECT_EQ(sha1(std::string(63, 'x')), "0ddc4e0cccd9a12850deb5abb0853a4425559fec");
  EXPECT_EQ(sha1(std::string(64, 'x')), "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163");
}

TEST(GitBlob, HashesAsGitDoes) {
  EXPECT_EQ(git_blob_hash(""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  EXPECT_EQ(git_blob_hash("hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(GitBlob, ReadsAFileAndHasNoHashForOneThatIsMissing) {
  const auto file = std::filesystem::path(testing::TempDir()) / "gpulab_git_blob_test";
  std::ofstream(file) << "hello\n";
  EXPECT_EQ(git_blob_hash_of_file(file), "ce013625030ba8dba906f756967f9e9ca394464a");
  std::filesystem::remove(file);
  EXPECT_EQ(git_blob_hash_of_file(file), "");
}

}  // namespace radio_astronomy_git_blob_test
}  // namespace gpulab::lessons::radio_astronomy
