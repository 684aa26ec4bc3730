# Finds the lessons and the kernels, and writes the two generated sources:
#   registry.cpp          names the function of every lesson in exercises/, so that nothing registers itself
#   embedded_kernels.cpp  the text of every file in kernels/, of the lessons and their demos, of the exercises that learners are
#                         given, their solutions and typical mistakes, of the hints for patterns, of the figures recorded on a GPU, of
#                         data/editors/, the simulator's prelude and the library of kernel files
# To add a lesson, add its folder in exercises/, with its programs or its file in kernels/: the globs find it at the next build.
file(GLOB lessons CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*/lesson.cpp)
file(GLOB lesson_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*/*.cpp)
file(GLOB lesson_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*/lesson.txt)
file(GLOB demos CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*/demo.txt)
file(GLOB mistakes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/exercises/*/mistakes/*)
file(GLOB kernel_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.cu ${PROJECT_SOURCE_DIR}/exercises/*/programs/*.cu)
file(GLOB starters CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/exercises/*/starter.cu ${PROJECT_SOURCE_DIR}/exercises/*/questions.txt)
file(GLOB hints CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/exercises/*/*hints.txt ${PROJECT_SOURCE_DIR}/exercises/*/answers.txt
  ${PROJECT_SOURCE_DIR}/exercises/*/solution.cu)
file(GLOB editors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/editors/*)
file(GLOB gpus CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/gpus/*.json)
file(GLOB example CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/exercise/* ${PROJECT_SOURCE_DIR}/data/exercise/mistakes/*.cu)
list(FILTER example EXCLUDE REGEX "/mistakes$")
# In the order in which they need each other.
set(prelude language vector_types device_calls loops barriers_and_warps atomics loads_and_stores integers dot_products simd_in_a_word
  minimum_and_maximum mathematics conversions special_functions rounded_arithmetic cuda_fp16 cuda_bf16 complex_numbers cooperative_groups cuda_atomic
  memory)
list(TRANSFORM prelude REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/simulator/compile/prelude/\\1.cuh")
set(library integer_arguments c_names initializer_list standard_library)
list(TRANSFORM library REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/device/library/\\1.cuh")

file(GLOB program_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/program/headers/*)

set(declarations "")
set(table "")
foreach(source IN LISTS lessons)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "exercises/${name}: name the folder in lower_snake_case; its lesson.cpp defines lessons::${name}::lesson()")
  endif()
  if(NOT EXISTS ${folder}/lesson.txt)
    message(FATAL_ERROR "exercises/${name} has no lesson.txt, which says what the lesson shows")
  endif()
  string(APPEND declarations "namespace ${name} {\nLesson lesson();\n}\n")
  string(APPEND table "    {\"${name}\", lessons::${name}::lesson},\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/registry.cpp.in ${PROJECT_BINARY_DIR}/generated/registry.cpp @ONLY)

set(pattern_hints ${PROJECT_SOURCE_DIR}/src/check/pattern_hints.txt)
set(glossary ${PROJECT_SOURCE_DIR}/docs/glossary.md)
set(recorded ${PROJECT_SOURCE_DIR}/data/recorded-figures.csv)
set(embedded ${PROJECT_BINARY_DIR}/generated/embedded_kernels.cpp)
add_custom_command(
  OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -D output=${embedded} -D "kernels=${kernel_files}" -D "prelude=${prelude}" -D "library=${library}" -D "program_headers=${program_headers}" -D "editors=${editors}" -D "gpus=${gpus}" -D "example=${example}" -D "starters=${starters}"
          -D "lessons=${lesson_texts}" -D "demos=${demos}" -D "mistakes=${mistakes}" -D recorded=${recorded} -D pattern_hints=${pattern_hints} -D glossary=${glossary} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${kernel_files} ${prelude} ${library} ${program_headers} ${editors} ${gpus} ${example} ${lesson_texts} ${starters} ${hints} ${demos} ${mistakes} ${recorded} ${pattern_hints} ${glossary}
          ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding the kernels" VERBATIM)

set(generated_sources ${PROJECT_BINARY_DIR}/generated/registry.cpp ${embedded})
