#pragma once

#include <string>
#include <vector>

#include "core/class_result.hpp"
#include "core/grade_result.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// Who is where, in so many lines at most: a heading, a row for each learner and, at the end, how many more
// there are and what most are stuck at.
std::vector<std::string> class_lines(const ClassResult& result, const TextStyle& style,
                                     std::size_t most_lines);

// Everybody, as one document with "schema": "gpulab.class".
std::string class_json(const ClassResult& result);

// "passed", "does_not_compile", "missing": what scripts know the row by.
std::string verdict_of(const GradeRow& row);

// One row for each file and for what is missing; then which files are equal, and how many have passed.
std::string grade_text(const GradeResult& result, const TextStyle& style);

// The same rows for spreadsheets, a line of names first. Learners' words cannot become formulas there.
std::string grade_csv(const GradeResult& result);

// What a learner gets to read: for each exercise what check says, in lines of 80 columns.
std::string feedback_text(const std::string& learner, const std::vector<const GradeRow*>& rows);

// What check prints, as it stands in a row: without control characters, and with an end.
std::string feedback_of(const CheckResult& result);

// One document that matches data/gpulab-grade.schema.json, also before every row is checked. It has what
// read_grade_json needs to go on.
std::string grade_json(const GradeResult& result, bool is_complete);

// The build and the rows of such a document. Throws UsageError, which names the file, for anything else.
GradeResult read_grade_json(const std::string& text, const std::string& file);

}  // namespace gpulab::report
