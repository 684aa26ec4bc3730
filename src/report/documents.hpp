#pragma once

#include <string>
#include <vector>

#include "core/device_properties.hpp"
#include "core/inspection.hpp"
#include "core/lesson.hpp"
#include "core/result.hpp"
#include "core/run_facts.hpp"
#include "report/layout.hpp"

namespace gpulab::report {

// A lesson's result for people: a heading, a table of references and variants, then what there is to say
// about them. No line is longer than the style's width.
// With an earlier result of the same lesson, what has changed since is marked, with the old value beside it.
std::string lesson_text(const LessonResult& result, const TextStyle& style,
                        const LessonResult* before = nullptr);

// Its heading and its table alone, of a run that goes on.
std::string lesson_rows(const LessonResult& so_far, const TextStyle& style,
                        const LessonResult* before = nullptr);

// One document that matches data/gpulab-run.schema.json. Quantities are in SI units, named in the field; what
// is unknown, was not measured or is not finite is null.
std::string lesson_json(const LessonResult& result, const RunFacts& facts);

// The same documents of several runs, as one array.
std::string lessons_json(const std::vector<LessonResult>& results, const RunFacts& facts);

// Results of one lesson as a flat table for pandas, R and spreadsheets: a line of names, then one for each
// reference and variant. Quantities are in SI units, named in the column. A field is empty where something
// was not measured, and a time is there only of what is right as expected, at the size that was asked for.
std::string lesson_csv(const std::vector<LessonResult>& results);

// The timelines of all variants in the Trace Event format, which Perfetto and Chromium's tracing open: a
// process for each variant, a thread for each stream.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::string trace_json(const LessonResult& result);

// For each variant a table of its lines that access memory, and in words which is the worst.
std::string inspection_text(const Inspection& inspection, const TextStyle& style);

// For each variant the source of its kernels, with the same numbers beside the lines, and the same words. The
// sources have a style of their own, at whose width they are cut.
std::string annotated_text(const Inspection& inspection, const TextStyle& style, const TextStyle& of_sources);

// As one document with "schema": "gpulab.inspect"; null for what a kind of access has not. It has the lines
// that access memory.
std::string inspection_json(const Inspection& inspection);

// The same with every line of the kernels.
std::string annotated_json(const Inspection& inspection);

// The lessons in the order given, for people: names and aliases, default size, title, and variants.
std::string catalogue_text(const std::vector<Lesson>& lessons, const TextStyle& style);

// The lessons in the order given, as one document with "schema": "gpulab.list".
std::string catalogue_json(const std::vector<Lesson>& lessons);

// Every device with its facts, one to a line; "n/a" for what a device does not tell.
std::string devices_text(const std::vector<DeviceProperties>& devices, const TextStyle& style);

// Every device and every link, as one document with "schema": "gpulab.devices"; null for what a device does
// not tell and for what was not measured.
std::string devices_json(const std::vector<DeviceProperties>& devices, const std::vector<DeviceLink>& links,
                         const AllReduceTimes& all_reduce);

}  // namespace gpulab::report
