#!/bin/bash
# libraries_test.sh PROGRAM...
# The programs start without a driver and without the CUDA Toolkit: both are opened at run time, if at all.
set -euo pipefail
status=0
for program; do
  needed=$(readelf --dynamic "$program" | grep NEEDED)
  grep -q 'libc\.so' <<<"$needed" # Or readelf was misread.
  if grep -E 'lib(cuda|cudart|nvrtc|nvidia)' <<<"$needed"; then
    echo "$program is linked to a library of CUDA"
    status=1
  fi
done
exit $status
