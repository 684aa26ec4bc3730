# cmake -D source=DIR -P layering.cmake
# The arrows between the folders of src/ go one way, each library is used in one layer, and each folder is a namespace.
cmake_minimum_required(VERSION 3.25)

# A file of src/LAYER/ may include "FOLDER/..." for these folders, from the bottom up:
set(may_include_base base)
set(may_include_yardsticks yardsticks)
set(may_include_lesson base lesson)
set(may_include_image base image)
set(may_include_source base lesson source)
set(may_include_device base lesson source device yardsticks)
set(may_include_sandbox base sandbox)
set(may_include_simulator base lesson source device sandbox simulator)
set(may_include_cuda base lesson source device hip cuda yardsticks)
set(may_include_hip base lesson source device sandbox hip)
set(may_include_program base lesson source device sandbox simulator estimate program)
set(may_include_estimate base lesson estimate)
set(may_include_run base lesson source device sandbox simulator cuda hip program estimate run)
set(may_include_check base lesson source device sandbox simulator cuda program run check)
set(may_include_bench base lesson source device run bench)
set(may_include_teach base lesson source device sandbox simulator run check teach)
set(may_include_cli base lesson source sandbox program estimate run check bench teach cli)
set(may_include_main.cpp base cli)

# LIBRARY HEADERS (a regex), then the files that may include them (a regex).
set(libraries
  "^CLI/"        "^src/cli/"
  "^nlohmann/"   "^src/(lesson|hip|estimate|run|check|bench/(page/)?|teach)/?[^/]*json[^/]*\\.[ch]pp$"
  "^fmt/"        "^src/((base|lesson|source|image|device|sandbox|estimate|simulator|cuda|hip|program|run|check|bench|teach|cli)/.*\\.cpp|check/strict_toml\\.hpp)$"
  "^(fitsio|png)\\.h$" "^src/image/[^/]*\\.cpp$"
  "^boost/"      "^src/simulator/schedule/"
  "^(cuda.*|nvrtc)\\.h$" "^src/(cuda|yardsticks)/"
  "^(cub|thrust|cuda)/|^cu(blas|dnn)|^(CL/|dnnl)" "^src/(yardsticks/|program/headers/thrust\\.cuh$)"
  "^mpi\\.h$"     "^src/run/ranks/mpi_module\\.cpp$"
  "^toml\\+\\+/"  "^src/(check|teach)/[^/]*_toml\\.[ch]pp$"
  "^ffi\\.h$"     "^src/simulator/compile/module\\.hpp$"
  "^seccomp\\.h$" "^src/sandbox/filter\\.cpp$"
  "^omp\\.h$"    "^src/(base/process|run/stopwatches)\\.cpp$")

function(complain file line why)
  message(SEND_ERROR "${file}: ${line}\n${why}")
endfunction()

function(check_own file header line)
  string(REGEX REPLACE "/.*" "" folder "${header}")
  if(file MATCHES "^src/([^/]+)")
    set(layer ${CMAKE_MATCH_1})
    if(NOT DEFINED may_include_${layer})
      complain(${file} "${line}" "tests/layering.cmake does not know the layer ${layer}")
    elseif(NOT folder IN_LIST may_include_${layer})
      complain(${file} "${line}" "${layer} may include: ${may_include_${layer}}")
    endif()
  elseif(NOT (folder MATCHES "^(base|lesson|image)$" OR header STREQUAL "device/device.hpp" OR EXISTS ${source}/exercises/${header}))
    complain(${file} "${line}" "a lesson may include base/, lesson/, image/, device/device.hpp and what is in exercises/")
  endif()
endfunction()

function(check_library file header line)
  if(EXISTS ${source}/src/${header} OR EXISTS ${source}/exercises/${header})
    complain(${file} "${line}" "write headers of the project in quotes")
  endif()
  set(rules ${libraries})
  while(rules)
    list(POP_FRONT rules headers files)
    if(header MATCHES "${headers}" AND NOT file MATCHES "${files}")
      complain(${file} "${line}" "this library is for ${files} alone")
    endif()
  endwhile()
endfunction()

# This proves that a header compiles alone; tests/headers does so for those without a .cpp of their own.
function(check_first file lines)
  string(REGEX REPLACE "^src/(.*)\\.cpp$" "\\1.hpp" header ${file})
  list(POP_FRONT lines first)
  if(EXISTS ${source}/src/${header} AND NOT first STREQUAL "#include \"${header}\"")
    complain(${file} "${first}" "its own header comes first")
  endif()
endfunction()

# src/bench/ is gpulab::bench, src/simulator/watch/ is gpulab::simulator::watch, src/base/ and src/lesson/ are gpulab;
# exercises/scale/ is gpulab::lessons::scale if it has a lesson. A file may forward-declare types of other
# namespaces. A .cpp may add to the namespaces around its own, for argument-dependent lookup, and one of C functions needs
# no namespace.
function(check_namespace file)
  if(file MATCHES "\\.cuh$")
    return()  # text for kernels, in CUDA's own namespaces
  endif()
  get_filename_component(folder ${file} DIRECTORY)
  string(REGEX REPLACE "^src/(base|lesson)" "src" folder "${folder}")
  string(REGEX REPLACE "^src" "gpulab" own "${folder}")
  string(REGEX REPLACE "^exercises" "gpulab::lessons" own "${own}")
  string(REPLACE "/" "::" own "${own}")
  file(READ ${source}/${file} text)
  string(PREPEND text "\n")
  string(REGEX MATCH "\nnamespace ([a-z0-9_:]+ )?{" first "${text}")
  string(STRIP "${first}" first)
  if(first AND NOT text MATCHES "\nnamespace ${own} {" AND NOT text MATCHES "\nextern \"C\" ")
    complain(${file} "${first}" "its folder is the namespace ${own}")
    return()
  endif()
  string(REGEX REPLACE "\nnamespace ([a-z0-9_:]+) {\n((class|struct) [A-Za-z]+;\n)+}" "\n" text "${text}")
  string(REGEX MATCHALL "\nnamespace [a-z0-9_:]+ {" opened "${text}")
  foreach(line IN LISTS opened)
    string(STRIP "${line}" line)
    string(REGEX REPLACE "^namespace (.*) {$" "\\1" opened_name "${line}")
    string(FIND "${own}::" "${opened_name}::" at)
    if(NOT opened_name STREQUAL own AND NOT (at EQUAL 0 AND file MATCHES "\\.cpp$"))
      complain(${file} "${line}" "its folder is the namespace ${own}")
    endif()
  endforeach()
endfunction()

file(GLOB_RECURSE files RELATIVE ${source} ${source}/src/*pp ${source}/src/*.cuh ${source}/exercises/*pp)
foreach(file IN LISTS files)
  file(STRINGS ${source}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  check_first(${file} "${lines}")
  get_filename_component(folder ${source}/${file} DIRECTORY)
  # The prelude and the library of kernel files have the names that CUDA and C++ have.
  if((file MATCHES "^src/.*/" AND NOT file MATCHES "/(prelude|device/library)/") OR EXISTS ${folder}/lesson.cpp)
    check_namespace(${file})
  endif()
  foreach(line IN LISTS lines)
    string(REGEX MATCH "([<\"])([^>\"]+)" ignored "${line}")
    if(CMAKE_MATCH_1 STREQUAL "<")
      check_library(${file} "${CMAKE_MATCH_2}" "${line}")
    else()
      check_own(${file} "${CMAKE_MATCH_2}" "${line}")
    endif()
  endforeach()
endforeach()

# Kernels are the reading matter of the course: plain CUDA C++, without the preprocessor and without launches.
file(GLOB kernels RELATIVE ${source} ${source}/kernels/*)
foreach(file IN LISTS kernels)
  file(STRINGS ${source}/${file} lines REGEX "^[ \t]*#[ \t]*(include|if|el|endif|define|undef)|^[^/]*<<<")
  foreach(line IN LISTS lines)
    complain(${file} "${line}" "a kernel file includes nothing, has no macros and launches nothing")
  endforeach()
endforeach()
