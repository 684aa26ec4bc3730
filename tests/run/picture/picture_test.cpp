#include "run/picture/picture.hpp"

#include "base/text.hpp"
#include "test.hpp"

namespace gpulab::run::picture {
namespace {

constexpr TextStyle narrow{.width = 80};

// Returns a line with one request, in which lane l accesses `bytes` bytes at offset `step` * l.
LineAccesses line(AccessKind kind, unsigned bytes, unsigned step, std::uint32_t lanes = ~0u) {
  LineAccesses accesses{.line = 7, .kind = kind, .sums = {.requests = 1}};
  accesses.costliest = {.addresses = {lanes, {}}, .bytes = bytes};
  for (unsigned lane = 0; lane < 32; ++lane)
    accesses.costliest.addresses.of_lane[lane] = 0x1000 + step * lane;
  return accesses;
}

std::string text_of(const LineAccesses& accesses) {
  return picture_text(pictures_of(accesses).at(0), narrow);
}

std::string text_of(const SharedWriters& writers, const std::string& declarations) {
  const std::string other = "__global__ void other() { __shared__ int tile[4][2]; }\n";
  VariantInspection variant{.source = other + "__global__ void kernel() {\n" + declarations + "\n}\n"};
  variant.result.kernel = "kernel";
  variant.counts.writers = {writers};
  const std::vector<Picture> pictures = pictures_of_arrays(variant);
  return pictures.empty() ? "" : picture_text(pictures[0], narrow);
}

TEST(Picture, ShowsWhichBytesOfASectorAreWanted) {
  const std::string close = text_of(line(AccessKind::global_load, 4, 4));
  EXPECT_TRUE(contains(close, "line 7 · global load: 4 sectors, the fewest possible\nlanes 0-31  ██"));
  EXPECT_FALSE(contains(close, "█░"));
  const std::string apart = text_of(line(AccessKind::global_store, 4, 32));
  EXPECT_TRUE(contains(apart, "32 sectors, where 4 would do"));
  EXPECT_TRUE(
      contains(apart, "lanes 0-3   ██░░░░░░░░░░░░░░ ██░░░░░░░░░░░░░░ ██░░░░░░░░░░░░░░ ██░░░░░░░░░░░░░░\n"));
  EXPECT_TRUE(contains(apart, "… and 7 more like it"));
}

TEST(Picture, ShowsTheBytesOfNarrowAndWideAccesses) {
  EXPECT_TRUE(contains(text_of(line(AccessKind::global_load, 1, 2)), "lanes 0-15  ██░░██░░"));
  EXPECT_TRUE(contains(text_of(line(AccessKind::global_load, 16, 16)), "lanes 0-7   ████████████████ "));
}

TEST(Picture, ShowsAPassForEachWordOfABank) {
  const std::string text = text_of(line(AccessKind::shared_load, 4, 8));
  EXPECT_TRUE(contains(text, "2 passes over the 32 banks, where 1 would do"));
  EXPECT_TRUE(
      contains(text, "bank        0               8               16              24\npass 1      ██░░██░░"));
  EXPECT_TRUE(contains(text_of(line(AccessKind::shared_load, 4, 128)), "… and 24 more passes"));
  EXPECT_TRUE(contains(text_of(line(AccessKind::shared_atomic, 4, 0)), "32 lanes meet at one address"));
}

TEST(Picture, SaysWhichRequestItShows) {
  LineAccesses accesses = line(AccessKind::global_load, 4, 8);
  accesses.element = "A[0]";
  accesses.costliest.block = {2, 1, 0};
  accesses.costliest.visit = 4;
  EXPECT_TRUE(contains(pictures_of(accesses).at(0).caption, "It is the only request."));
  accesses.sums.requests = 10;
  accesses.sums.sectors = 80;
  EXPECT_TRUE(contains(pictures_of(accesses).at(0).caption, "All 10 requests take as many."));
  accesses.sums.sectors = 60;
  EXPECT_EQ(
      pictures_of(accesses).at(0).caption,
      "Each bar is a sector of 32 bytes. Shown: block (2, 1), warp 0, request 5, from A[0] on. It is the worst of 10 requests, which take 6 on "
      "average.");
}

TEST(Picture, IsNotMadeOfARequestThatWasNotRecordedOrIsImpossible) {
  EXPECT_TRUE(pictures_of(line(AccessKind::global_load, 4, 4, 0)).empty()) << "no lanes";
  EXPECT_TRUE(pictures_of(line(AccessKind::global_load, 0, 4)).empty()) << "no bytes";
  EXPECT_TRUE(pictures_of(line(AccessKind::global_load, 1u << 31, 4)).empty());
  LineAccesses last = line(AccessKind::shared_load, 16, 0);  // at the end of the address space
  last.costliest.addresses.of_lane.fill(~std::uintptr_t{0});
  EXPECT_NO_THROW(pictures_of(last));
  last.kind = AccessKind::global_load;
  EXPECT_NO_THROW(pictures_of(last));
}

TEST(Picture, HasTheShapeOfATileThatTheSourceDeclares) {
  SharedWriters writers{"tile", {0, 1, 2, SharedWriters::no_thread, 4, 5, 6, SharedWriters::no_thread}};
  const std::string tile = text_of(writers, "#define SIDE 3\n__shared__ float a[2], tile[2][SIDE + 1];");
  EXPECT_TRUE(contains(tile, "tile[2][4]: the thread that stored each element\n[0]         [0…2 "));
  EXPECT_TRUE(contains(tile, "\n[1]         [4…6 "));
  EXPECT_TRUE(contains(tile, "]···"));
  EXPECT_TRUE(
      contains(text_of(writers, "constexpr int n = 2 * 2; __shared__ float tile[2][n];"), "tile[2][4]"));
  EXPECT_EQ(text_of(writers, "extern const int n; __shared__ float tile[2][n];"), "") << "nobody knows n";
  EXPECT_EQ(text_of(writers, "constexpr int n = n; __shared__ float tile[2][n];"), "");
  EXPECT_EQ(text_of(writers, "__shared__ float tile[8];"), "") << "it is not a tile";
  EXPECT_EQ(text_of(writers, "{ __shared__ float tile[2][4]; } { __shared__ double2 tile[1][2]; }"), "")
      << "either may be meant";
  EXPECT_TRUE(contains(
      text_of(writers, "{ const int n = 9; } { const int n = 4; __shared__ int tile[2][n]; }"), "tile[2][4]"))
      << "the nearest constant counts";
  writers.threads.assign(19 * 4, 5);
  const std::string tall = text_of(writers, "__shared__ float tile[19][4];");
  EXPECT_TRUE(contains(tall, "and 1 more row"));
  EXPECT_FALSE(contains(tall, "more rows")) << tall;
  writers = {"extern __shared__", std::vector<std::uint16_t>(64, 5)};
  EXPECT_TRUE(contains(text_of(writers, ""), "\n[32]        [5 "));
}

TEST(Picture, NamesRunsOfThreadsWithTheirStep) {
  SharedWriters writers{"t", {}};
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      writers.threads.push_back(static_cast<std::uint16_t>(8 * column + row));
  EXPECT_TRUE(contains(text_of(writers, "__shared__ int t[8][8];"), "[3, 11 … 59 "));
}

Defect race() {
  return {.kind = DefectKind::shared_race,
          .party = {3, DefectAccess::store, DefectThread{.thread = {13, 0, 0}, .lane = 13}},
          .other = Defect::Party{2, DefectAccess::atomic, DefectThread{.thread = {2, 0, 0}, .lane = 2}}};
}

TEST(Picture, ShowsTheThreadsOfARaceAndTheMissingBarrier) {
  Defect defect = race();
  const std::string text = picture_text(pictures_of(defect, "a\n  b = 1;\nc = 2;\n").at(0), narrow);
  EXPECT_TRUE(contains(
      text, "            thread 2                        thread 13\nfirst       [updates in line 2 "));
  EXPECT_TRUE(contains(text, "\n            b = 1;\n"));
  EXPECT_LT(text.find("no barrier between them"), text.find("then  "));
  EXPECT_FALSE(contains(text, "═"));
  const std::string longer = "for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)";
  EXPECT_TRUE(contains(picture_text(pictures_of(defect, "a\nb\n" + longer).at(0), narrow), longer));
  defect.barrier_line = 1;
  EXPECT_TRUE(contains(picture_text(pictures_of(defect, "").at(0), narrow), "═ barrier in line 1 ═"));
  defect.party.place->block.x = 4;
  const std::string blocks = picture_text(pictures_of(defect, "").at(0), narrow);
  EXPECT_TRUE(contains(blocks, "block 4 thread 13") && contains(blocks, "nothing orders two blocks"));
  defect.kind = DefectKind::out_of_bounds;
  EXPECT_TRUE(pictures_of(defect, "").empty());
}

TEST(Picture, FitsATerminalOf80Columns) {
  SharedWriters writers{"t", std::vector<std::uint16_t>(33 * 256, 7)};
  std::string all =
      text_of(writers, "__shared__ int t[33][256];") +
      picture_text(pictures_of(race(), std::string(300, 'x') + "\n" + std::string(300, 'x')).at(0), narrow);
  for (const AccessKind kind : {AccessKind::global_load, AccessKind::shared_load})
    for (const unsigned bytes : {1u, 4u, 8u, 16u})
      for (const unsigned step : {0u, 4u, 36u, 4096u}) all += text_of(line(kind, bytes, step));
  for (const std::string& text : lines_of(all)) EXPECT_LE(display_width(text), 80u) << text;
}

TEST(Picture, ShowsTheCostlyLinesAloneOrTheFirst) {
  VariantInspection variant;
  variant.counts.lines = {line(AccessKind::global_load, 4, 4), line(AccessKind::global_store, 4, 8)};
  EXPECT_TRUE(contains(pictures_text(variant, narrow), "global load"));
  EXPECT_FALSE(contains(pictures_text(variant, narrow), "global store"));
  variant.counts.lines[1].costliest.excess = 4;
  EXPECT_FALSE(contains(pictures_text(variant, narrow), "global load"));
  EXPECT_TRUE(contains(pictures_text(variant, narrow), "global store"));
}

TEST(PictureSvg, EscapesTheLearnersText) {
  const std::string svg = picture_svg(pictures_of(race(), "\n<script>&\n\"x\"").at(0));
  EXPECT_TRUE(contains(svg, "&lt;script&gt;&amp;"));
  EXPECT_FALSE(contains(svg, "<script"));
}

TEST(PictureSvg, NeedsNoOtherFile) {
  const std::string svg = picture_svg(pictures_of(line(AccessKind::global_load, 4, 128)).at(0));
  EXPECT_TRUE(contains(svg, "prefers-color-scheme:dark"));
  EXPECT_TRUE(contains(svg, ">31</text>")) << "the lane stands in the word that it accesses";
  EXPECT_FALSE(contains(svg, "href") || contains(svg, "url("));
  EXPECT_LT(svg.size(), 10'000u);
}

TEST(PictureSvg, SaysWhyABoxHasNoNumber) {
  const auto explains_empty_boxes = [](unsigned step) {
    return contains(picture_svg(pictures_of(line(AccessKind::shared_load, 4, step)).at(0)),
                    "A box without a number");
  };
  EXPECT_TRUE(explains_empty_boxes(0)) << "one word for 32 lanes";
  EXPECT_FALSE(explains_empty_boxes(4));
}

}  // namespace
}  // namespace gpulab::run::picture
