# ctest reads this when it starts, and registers the cases of gpulab_tests: small suites together, since starting the
# program takes longer than most cases do. Long suites come in parts, so that all cores have work until the end.
#   GPULAB_EACH_TEST=1   each case is a test of its own, which ctest -R finds by its name; script/test sets it
# The names come from the program itself, and tests/build/every_case_test.py proves that each case is run once.
# Needs: program, its path; environment, as ctest's property takes it.
set(largest_part 25)  # cases

# Suites whose cases take seconds: in small parts, and first, since ctest starts the costly ones first.
set(long_suites "EveryAccess|SimulatedCheckTest|ExerciseCommands|EveryDemo|EveryDemoOfMistakes|EveryLesson|EveryLessonChecked|EveryMistake|EveryExercise|EveryQuestion|EveryProgramMistake|Attack")
set(largest_part_of_long_suites 8)
set(on_gpu "^CudaDevice$|LessonsOnGpu$|PeersOnGpu$|NamesOnGpu$|CheatsOnGpu$|FaultsOnGpu$")  # skipped without a GPU; ctest -L gpu runs these alone
set(alone "FaultsOnGpu$")  # after an illegal address the process cannot use CUDA any more

# A part is skipped when all of its cases were: nothing passed, and no list of failures follows the number of the skipped.
set(all_skipped "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\] [0-9]+ tests?\\.\n$")

# Cases are "Suite.Case".
function(add_part name suite cases)
  list(JOIN cases ":" filter)
  add_test("${name}" "${program}" "--gtest_filter=${filter}" --gtest_color=no --gtest_brief=1)
  set_tests_properties("${name}" PROPERTIES ENVIRONMENT "${environment}" SKIP_REGULAR_EXPRESSION "${all_skipped}")
  if(suite MATCHES "${on_gpu}")
    set_tests_properties("${name}" PROPERTIES LABELS gpu RUN_SERIAL ON)
  elseif(suite MATCHES "(^|/)(${long_suites})$")
    set_tests_properties("${name}" PROPERTIES COST 100)
  endif()
endfunction()

# Small suites that wait to become one test together.
set(waiting_cases "")
set(waiting_suites "")

function(add_waiting)
  if(waiting_cases)
    list(GET waiting_suites 0 first)
    list(GET waiting_suites -1 last)
    add_part("${first} to ${last}" "" "${waiting_cases}")
  endif()
  set(waiting_cases "" PARENT_SCOPE)
  set(waiting_suites "" PARENT_SCOPE)
endfunction()

function(add_suite suite cases)
  list(TRANSFORM cases PREPEND "${suite}.")
  list(LENGTH cases count)
  set(largest ${largest_part})
  if(suite MATCHES "(^|/)(${long_suites})$")
    set(largest ${largest_part_of_long_suites})
  endif()
  if("$ENV{GPULAB_EACH_TEST}" OR suite MATCHES "${alone}")
    foreach(case IN LISTS cases)
      add_part("${case}" "${suite}" "${case}")
    endforeach()
  elseif(count LESS_EQUAL largest AND (suite MATCHES "${on_gpu}" OR largest LESS largest_part))
    add_part("${suite}" "${suite}" "${cases}")
  elseif(count LESS_EQUAL largest)
    list(APPEND waiting_cases ${cases})
    list(APPEND waiting_suites ${suite})
    list(LENGTH waiting_cases waiting)
    if(waiting GREATER_EQUAL largest_part)
      add_waiting()
    endif()
    set(waiting_cases "${waiting_cases}" PARENT_SCOPE)
    set(waiting_suites "${waiting_suites}" PARENT_SCOPE)
  else()
    math(EXPR parts "(${count} + ${largest} - 1) / ${largest}")
    foreach(part RANGE 1 ${parts})
      # Cases that cost the same stand side by side: every part gets some of each.
      set(cases_of_part "")
      math(EXPR first "${part} - 1")
      math(EXPR last "${count} - 1")
      foreach(index RANGE ${first} ${last} ${parts})
        list(GET cases ${index} case)
        list(APPEND cases_of_part "${case}")
      endforeach()
      add_part("${suite}, part ${part} of ${parts}" "${suite}" "${cases_of_part}")
    endforeach()
  endif()
endfunction()

if(NOT EXISTS "${program}")
  add_test(gpulab_tests_NOT_BUILT "${program}")
  return()
endif()
execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " *#[^\n]*" "" listed "${listed}")  # the values of parameters
string(REGEX MATCHALL "[^\n]+" listed "${listed}")
set(suite "")
set(cases "")
foreach(line IN LISTS listed)
  if(line MATCHES "^  (.+)$")
    list(APPEND cases "${CMAKE_MATCH_1}")
  elseif(line MATCHES "^(.+)\\.$")
    set(next "${CMAKE_MATCH_1}")
    if(cases)
      add_suite("${suite}" "${cases}")
    endif()
    set(suite "${next}")
    set(cases "")
  endif()
endforeach()
if(cases)
  add_suite("${suite}" "${cases}")
endif()
add_waiting()
