#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/run_facts.hpp"

// What comes of the files that a class has handed in.

namespace gpulab {

// What could be done with a file, or why there is none.
enum class Handed {
  checked,
  missing,      // nobody has handed it in who should have
  misnamed,     // neither its name nor its kernels say which exercise it is
  empty,        // nothing but blanks and comments
  unreadable,   // no permission, no text, too large, a link
  archive,      // to be unpacked first
  not_checked,  // the check itself came to no end
};

struct GradeRow {
  std::string learner;   // the name of the folder
  std::string exercise;  // the lesson; empty where that cannot be told
  std::string file;      // in that folder; empty for what is missing
  std::string hash;      // of what was in it; empty for what was not read
  Handed handed = Handed::checked;
  Verdict verdict = Verdict::right;  // of what was checked, as are the next five
  std::string pattern;
  int line = 0;
  double seconds = 0;
  std::string feedback;  // what check prints
  std::string summary;   // what is wrong, in a sentence; of what was not checked, why
  std::vector<std::string> notes;
};

// Files of an exercise that have the same tokens when comments, blanks and names of their own are left aside.
struct EqualFiles {
  enum class To { each_other, the_starter, the_solution };

  std::string exercise;
  To to = To::each_other;
  std::vector<std::string> learners;
};

struct GradeResult {
  BuildFacts build;
  std::vector<GradeRow> rows;  // by learner, then in the order of the course
  std::vector<EqualFiles> equal = {};
  std::uint64_t seed = 0;  // that the settings to check with were drawn with
};

}  // namespace gpulab
