#!/bin/bash
# Gradescope: gives a point for each exercise that passes, and for a sheet of questions the part that is right.
#
# Call this file run_autograder. In setup.sh, beside it in the zip file, install g++ and gpulab (script/install
# /usr/local). gpulab confines what learners have written: gpulab doctor says whether a machine can do that. Where it
# cannot, every file gets no point, and says why.
FILES="first_kernel.cu vector_multiply.cu streams.txt" # change: what counts
AUTOGRADER=${AUTOGRADER:-/autograder}

cd "$AUTOGRADER/submission" || exit
gpulab check $FILES --device simulator --sandbox require --format gradescope --output "$AUTOGRADER/results/results.json"
exit 0 # the points are in the file; another code would be a failure of this script
