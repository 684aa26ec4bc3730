#pragma once

#include <string>

#include "lesson/finding.hpp"
#include "source/code.hpp"

namespace gpulab::source {

// Returns the column, from 1, at which the token begins.
int column_of(const Code& code, std::size_t token);

// Returns the column, from 1, of the statement that accesses the array, if the line has several statements.
// An empty name means any access through a pointer. Returns 0 if it is not certain which statement it is.
int column_of_access(const Code& code, int line, const std::string& array, DefectAccess access);

// Returns whether statements of the line end with more than one semicolon.
bool has_several_statements(const Code& code, int line);

// Returns the statement that begins at this column, from 1, up to its semicolon.
std::string statement_from(const std::string& line, int column);

}  // namespace gpulab::source
