#include "check/settings.hpp"
#include "cli/options.hpp"
#include "lesson/lesson.hpp"
#include "test.hpp"

namespace gpulab::check {
namespace {

// Returns the first settings with the values that `tried` names.
Settings restored(const Settings& first, const TriedWith& tried) {
  Settings settings = first;
  settings.size = tried.size;
  settings.seed = tried.seed;
  for (const auto& [name, word] : tried.options) {
    OptionValue& value = settings.options.at(name);
    if (std::holds_alternative<std::string>(value)) value = word;
    if (std::holds_alternative<std::uint64_t>(value)) value = std::uint64_t{std::stoull(word)};
    if (std::holds_alternative<double>(value)) value = std::stod(word);
  }
  return settings;
}

TEST(CheckSettings, AreFoundAgainByTheirDescription) {
  for (const Exercise& exercise : all_exercises()) {
    const Lesson lesson = cli::find_lesson(exercise.lesson);
    const std::vector<Settings> all = check_settings(lesson, 256);
    ASSERT_FALSE(all.empty());
    for (const Settings& settings : all) {
      const Settings again = restored(all.front(), tried_with(lesson, 256, settings));
      EXPECT_EQ(again.size, settings.size) << lesson.name;
      EXPECT_EQ(again.options, settings.options) << lesson.name;
    }
  }
}

TEST(CheckSettings, AreMentionedOnlyWhereTheyAreUnusual) {
  const Lesson convolution = cli::find_lesson("convolution");
  const Settings first = check_settings(convolution, 256).front();
  const TriedWith tried = tried_with(convolution, 256, first);
  EXPECT_EQ(tried.options,
            (std::map<std::string, std::string>{
                {"filter-width", "5"}, {"height", "64"}, {"image", "random"}, {"width", "64"}}));
}

TEST(CheckSettings, NameAllCountsWhereTheWorkItemsFollowFromThem) {
  const Lesson matmul = cli::find_lesson("matmul");
  Settings oblong = matmul.default_settings();
  oblong.options = check_settings(matmul, 1024).front().options;
  oblong.options.at("m") = std::uint64_t{5};
  const auto named = tried_with(matmul, 1024, oblong).options;
  for (const char* count : {"m", "n", "k"}) EXPECT_TRUE(named.contains(count)) << count;
}

TEST(CheckSettings, HaveAFilterThatIsNotAsHighAsWide) {
  const Lesson convolution = cli::find_lesson("convolution");
  const auto is_oblong = [&](const Settings& at) {
    const std::vector<SizedArray> arrays = convolution.problem(at).arrays;
    const Extent shape = std::ranges::find(arrays, "filter", &SizedArray::name)->shape;
    return shape.x != shape.y;
  };
  EXPECT_TRUE(std::ranges::any_of(check_settings(convolution, 256), is_oblong));
}

TEST(CheckSettings, HaveAFilterThatChangesWhenItIsTurnedRound) {
  for (const char* name : {"convolution", "convolution-1d"}) {
    const auto all = check_settings(cli::find_lesson(name), 256);
    EXPECT_TRUE(std::ranges::any_of(all, [](const Settings& at) { return at.word("filter") == "ramp"; }))
        << name;
  }
}

std::vector<Settings> drawn(const Lesson& lesson, const std::string& text, std::uint64_t seed = 1) {
  DrawnSettings settings(lesson, 256, text, seed);
  std::vector<Settings> all;
  while (const auto next = settings.next()) all.push_back(*next);
  return all;
}

bool any(const std::vector<Settings>& all, auto holds) {
  return std::ranges::any_of(all, holds);
}

TEST(DrawnSettings, AreTheSameForTheSameTextAndSeed) {
  const Lesson lesson = cli::find_lesson("matmul");
  EXPECT_EQ(drawn(lesson, "int tile = 32;"), drawn(lesson, "int tile = 32;"));
  EXPECT_NE(drawn(lesson, "int tile = 32;", 1), drawn(lesson, "int tile = 32;", 2));
  EXPECT_EQ(seed_of("a"), seed_of("a"));
  EXPECT_NE(seed_of("a"), seed_of("b"));
}

TEST(DrawnSettings, LieAroundTheConstantsOfTheText) {
  const Lesson lesson = cli::find_lesson("first-kernel");
  for (const std::size_t size : {5431u, 5432u, 5433u})
    EXPECT_TRUE(any(drawn(lesson, "if (i < 0x1538) x = 2.5f;"), [&](const Settings& at) {
      return at.size == size;
    })) << size;
  EXPECT_FALSE(
      any(drawn(lesson, "// 5432\nint a5432 = 1;"), [](const Settings& at) { return at.size == 5433; }));
}

TEST(DrawnSettings, PassTheLimitOf16Bits) {
  for (const char* name : {"first-kernel", "shared-histogram", "reduction", "normalize"})
    EXPECT_TRUE(any(drawn(cli::find_lesson(name), ""), [](const Settings& at) { return at.size > 65536; }))
        << name;
}

TEST(DrawnSettings, HaveMoreBlocksThan8BitsCanNumber) {
  for (const unsigned block : {256u, 1024u}) {
    DrawnSettings settings(cli::find_lesson("first-kernel"), block, "", 1);
    std::size_t largest = 0;
    while (const auto next = settings.next()) largest = std::max(largest, next->size);
    EXPECT_GT(largest, 256 * block);
  }
}

TEST(DrawnSettings, HaveWhatTheLessonStatesHoweverMuchWorkItIs) {
  EXPECT_TRUE(any(drawn(cli::find_lesson("multi-gpu"), ""),
                  [](const Settings& at) { return at.size * at.count("gpus") > std::size_t{1} << 31; }));
}

TEST(DrawnSettings, HaveASingleRowAColumnAndBothWithManyTerms) {
  const auto all = drawn(cli::find_lesson("matmul"), "if (k < 700) x = 1;");
  const auto has_single = [&](const char* single, const char* several) {
    return any(all, [&](const Settings& at) {
      return at.count(single) == 1 && at.count(several) > 1 && at.count("k") > 1;
    });
  };
  EXPECT_TRUE(has_single("m", "n"));
  EXPECT_TRUE(has_single("n", "m"));
  EXPECT_TRUE(any(
      all, [](const Settings& at) { return at.count("m") == 1 && at.count("n") == 1 && at.count("k") > 1; }));
  for (const std::size_t k : {701u, 1025u})
    EXPECT_TRUE(any(all, [&](const Settings& at) { return at.count("k") == k; })) << k;
}

TEST(DrawnSettings, HaveALongFilterAndOneAsLongAsTheInput) {
  const auto all = drawn(cli::find_lesson("convolution-1d"), "");
  EXPECT_TRUE(any(all, [](const Settings& at) { return at.count("taps") > 1024; }));
  EXPECT_TRUE(any(all, [](const Settings& at) { return at.count("taps") == at.size; }));
}

TEST(DrawnSettings, HaveMoreTermsThanRowsAndColumnsAndFewer) {
  const auto all = drawn(cli::find_lesson("matmul"), "");
  const auto m = [](const Settings& at) { return at.count("m"); };
  const auto n = [](const Settings& at) { return at.count("n"); };
  const auto k = [](const Settings& at) { return at.count("k"); };
  EXPECT_TRUE(any(all, [&](const Settings& at) { return k(at) > m(at) && k(at) > n(at); }));
  EXPECT_TRUE(any(all, [&](const Settings& at) { return k(at) < m(at) && k(at) < n(at); }));
  EXPECT_TRUE(any(all, [&](const Settings& at) { return m(at) > 2 * n(at); }));
  EXPECT_TRUE(any(all, [&](const Settings& at) { return n(at) > 2 * m(at); }));
}

TEST(DrawnSettings, HaveFiltersThatAreLongerThanTheInput) {
  EXPECT_TRUE(any(drawn(cli::find_lesson("convolution-1d"), ""),
                  [](const Settings& at) { return at.count("taps") > at.size; }));
  EXPECT_TRUE(any(drawn(cli::find_lesson("convolution"), ""), [](const Settings& at) {
    return at.count("filter-width") > std::min(at.count("width"), at.count("height"));
  }));
}

TEST(DrawnSettings, AreNoMoreWorkThanIsAllowed) {
  for (const Exercise& exercise : all_exercises()) {
    const Lesson lesson = cli::find_lesson(exercise.lesson);
    double work = 0;
    const auto all = drawn(lesson, exercise.starter);
    for (const Settings& settings : all) {
      const bool is_stated = std::ranges::any_of(lesson.checked_at, [&](const auto& values) {
        const auto size = values.find("size");
        return size != values.end() && std::get<std::uint64_t>(size->second) == settings.size;
      });
      if (!is_stated) work += work_of(lesson, settings, 256);
    }
    EXPECT_LE(work, work_to_draw) << lesson.name;
    EXPECT_GE(all.size(), 10u) << lesson.name;
  }
}

TEST(DrawnSettings, GoPastTheNumbersOfTheTextAndThoseOfAFloat) {
  const auto has = [](const std::string& text, std::size_t size) {
    return any(drawn(cli::find_lesson("reduction"), text),
               [=](const Settings& at) { return at.size == size; });
  };
  constexpr std::size_t past_a_float = (1 << 24) + 1025;  // a float counts up to 2^24
  // Sizes half as large again as the number in the text.
  EXPECT_TRUE(has("if (i < 500000) sum += input[i];", 500'000 * 3 / 2));
  EXPECT_TRUE(has("constexpr int most = 1u << 20;", (1 << 20) * 3 / 2));
  EXPECT_TRUE(has("constexpr int most = 600 * 1000;", 600'000 * 3 / 2));
  EXPECT_TRUE(has("for (float i = threadIdx.x; i < size; i += stride) sum += input[(int)i];", past_a_float));
  EXPECT_FALSE(has("const float x = input[blockIdx.x * blockDim.x + threadIdx.x];", past_a_float));
}

TEST(DrawnSettings, HaveEdgeInputsWhereTheProblemHasSome) {
  const auto has_edges = [](const Settings& at) { return at.edge_inputs; };
  EXPECT_TRUE(any(drawn(cli::find_lesson("reduction"), ""), has_edges));
  EXPECT_FALSE(any(drawn(cli::find_lesson("primes"), ""), has_edges));
}

}  // namespace
}  // namespace gpulab::check
