#!/bin/bash
# install_test.sh BUILD_FOLDER
# An installed folder is complete: all libraries but those of the C library are found inside it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --prefix "$folder" >/dev/null
cmake --install "$1" --prefix "$folder" --component tests >/dev/null

unset LD_LIBRARY_PATH
"$folder/bin/gpulab" list >/dev/null
# Tests made from the files in exercises/ find them in the folder, and as many as beside the build.
from_files() { "$1" --gtest_list_tests | grep "exercises/.*/mistakes/"; }
[[ $(from_files "$folder/bin/gpulab_tests" | grep -c "$folder/share/") == $(from_files "$1/tests/gpulab_tests" | wc -l) ]]
# gdb stops at these functions, also after --strip.
exported=$(nm -D --defined-only "$folder/bin/gpulab")
for name in gpulab_found_a_defect gpulab_ended_by_a_defect gpulab_name_of_defect; do grep -q " $name$" <<<"$exported"; done
for schema in run inspect check progress limits; do [[ -s $folder/data/gpulab-$schema.schema.json ]]; done

# Every link of an installed page leads to a file that is installed, too.
dead_links() {
  local page link
  while IFS=: read -r page link; do
    [[ -e $(dirname "$page")/$link ]] || echo "$page has a dead link: $link"
  done < <(grep -roP --include='*.md' '\]\(\K(?![a-z]+:)[^)#\s]*[./][^)#\s]*' "$folder" --exclude-dir=share)
}
[[ -z $(dead_links) ]] || { dead_links; exit 1; }

# The paths that the loader finds, without those of the C library.
libraries_of() { ldd "$1" | awk '{print ($2 == "=>" ? $3 : $1)}' |
  grep -vE '(^|/)(linux-vdso|ld-linux[^/]*|lib(c|m|dl|pthread|resolv|rt))\.so'; }

status=0
for program in "$folder"/bin/*; do
  outside=$(libraries_of "$program" | grep -v "^$folder/" || true)
  [[ -z $outside ]] || { echo "$(basename "$program") needs libraries that are not in the folder: $outside"; status=1; }
done

# script/install puts gpulab onto the PATH: it runs through its link from any folder and with an empty environment, and may
# be installed over itself.
prefix=$folder/prefix
install=$(cd "$(dirname "$0")/../.." && pwd)/script/install
for _ in first second; do
  output=$("$install" --build "$1" "$prefix")
  grep -qF "export PATH=\"$prefix/bin:" <<<"$output" # It is not on PATH here.
done
PATH=$prefix/bin:$PATH "$install" --build "$1" "$prefix" | grep -q 'Type gpulab'
(cd / && env --ignore-environment "$prefix/bin/gpulab" list >/dev/null)
[[ $(ls -A "$prefix/lib") == gpulab ]]
for file in man/man1/gpulab.1 bash-completion/completions/gpulab zsh/site-functions/_gpulab \
  fish/vendor_completions.d/gpulab.fish; do [[ -s $prefix/share/$file ]]; done

# A build that is not there changes nothing.
before=$(find "$prefix" -type f -exec md5sum {} +)
if "$install" --build "$folder/nowhere" "$prefix" >/dev/null 2>&1; then status=1; fi
[[ $(find "$prefix" -type f -exec md5sum {} +) == "$before" ]]
exit $status
