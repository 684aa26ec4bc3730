#include "image/image.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>

#include "image/fits_bytes.hpp"
#include "image/png_bytes.hpp"
#include "image/refusal.hpp"

namespace gpulab::image {
namespace {

using namespace std::string_literals;

class ReadImage : public testing::Test {
 protected:
  ReadImage() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpulab-image-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~ReadImage() override { std::filesystem::remove_all(folder); }

  std::filesystem::path write(const std::string& name, const std::string& contents) const {
    std::ofstream(folder / name, std::ios::binary) << contents;
    return folder / name;
  }

  // The sentence after the name of the file.
  static std::string refusal(const std::filesystem::path& file) {
    const std::string sentence = refusal_of([&] { read_image(file); });
    const std::string beginning = "cannot read " + file.string() + ": ";
    return sentence.starts_with(beginning) ? sentence.substr(beginning.size()) : sentence;
  }

  std::filesystem::path folder;
};

const std::string fits = fits_image<float>({2, 1}, {1, 2});
const std::string png = png_file({}, "\0\xff"s);

TEST_F(ReadImage, GoesByTheContentsAndNotByTheName) {
  EXPECT_EQ(read_image(write("sky.png", fits)).pixel_type, "float32");
  EXPECT_EQ(read_image(write("sky.fits", png)).pixel_type, "8-bit grey");
}

TEST_F(ReadImage, TakesEveryNameLiterally) {
  for (const char* name : {"a.fits[1]", "!x", "~x.fits", " x", "x.fits(y)", "x.fits+1", "-", "x%41", "\xff"})
    EXPECT_EQ(read_image(write(name, fits)).file, folder / name);
  const auto packed = write("y.fits.gz", fits);
  EXPECT_EQ(refusal(folder / "y.fits"), "there is no such file; check its name and folder");
}

TEST_F(ReadImage, ReadsAFileInTheWorkingFolder) {
  const auto before = std::filesystem::current_path();
  write("~x.fits", fits);
  std::filesystem::current_path(folder);
  const std::string answer = refusal_of([] { read_image("~x.fits"); });
  std::filesystem::current_path(before);
  EXPECT_EQ(answer, "not refused");
}

TEST_F(ReadImage, RefusesWhatIsNoFile) {
  EXPECT_EQ(refusal(folder / "none.fits"), "there is no such file; check its name and folder");
  EXPECT_EQ(refusal(""), "there is no such file; check its name and folder");
  EXPECT_EQ(refusal(write("x", fits) / "y"), "there is no such file; check its name and folder");
  EXPECT_EQ(refusal(folder), "it is a folder; name a FITS or PNG file in it");
  EXPECT_EQ(refusal("/dev/null"), "it is a pipe or a device; write its data to a file first");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "pipe"), "it is a pipe or a device; write its data to a file first");
  EXPECT_EQ(refusal(std::string(5000, 'x')), "File name too long; check its name and permissions");
}

TEST_F(ReadImage, RefusesAnEmptyFile) {
  EXPECT_EQ(refusal(write("x.fits", "")), "it is empty; copy or download it again");
}

TEST_F(ReadImage, RefusesOtherFormats) {
  const std::string sentence = "it is neither FITS nor PNG; convert it to one of them";
  EXPECT_EQ(refusal(write("x.png", "some text\n")), sentence);
  EXPECT_EQ(refusal(write("x.jpg", "\xff\xd8\xff\xe0")), sentence);
  EXPECT_EQ(refusal(write("x.fits", "SIMPLE")), sentence);
  EXPECT_EQ(refusal(write("x.fits.gz", "\x1f\x8b\x08")),
            "it is compressed with gzip; unpack it first, with gunzip");
}

TEST_F(ReadImage, IsAWrongUse) {
  try {
    read_image(folder);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST_F(ReadImage, SaysWhatIsWrongWithinAFile) {
  EXPECT_EQ(refusal(write("x.fits", fits.substr(0, fits_block))),
            "it is cut short, its data go on after its end; copy or download it again");
  EXPECT_EQ(refusal(write("x.png", png.substr(0, 20))),
            "it is cut short, its data go on after its end; copy or download it again");
}

}  // namespace
}  // namespace gpulab::image
