#!/bin/bash
# libraries_test.sh PROGRAM...
# The programs start without a driver, the CUDA Toolkit and MPI: all are opened at run time, if at all.
set -euo pipefail
status=0
for program; do
  needed=$(readelf --dynamic "$program" | grep NEEDED)
  grep -q 'libc\.so' <<<"$needed" # Else the output of readelf was misread.
  if grep -E 'lib(cuda|cudart|nvrtc|nvidia|nccl|mpi)' <<<"$needed"; then
    echo "$program is linked to a library that may be missing"
    status=1
  fi
done
exit $status
