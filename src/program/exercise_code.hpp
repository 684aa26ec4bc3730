#pragma once

#include <string>

#include "program/compiler.hpp"
#include "program/sources.hpp"

// What a program may be made of that an exercise judges. It runs in the process that sees what it does, so it
// has no machine code of its own, switches no watching off, and reaches the system by nothing but the
// functions of C and C++ that compute, print and take memory. A program that somebody runs is not asked.

namespace gpulab::program {

// Throw CompileError with the line. All branches of the text are read, and the words that it defines; words
// that only come about when they are joined are refused with what joins them.
void require_exercise_text(const SourceFile& source);
void require_exercise_object(const SourceFile& source, const CompiledProgram& compiled);

}  // namespace gpulab::program
