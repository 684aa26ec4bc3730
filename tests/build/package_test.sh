#!/bin/bash
# package_test.sh BUILD_FOLDER: the .tar.gz runs from any folder and through a link, and the .deb has what Debian asks for.
set -euo pipefail
script=$(cd "$(dirname "$0")/../.." && pwd)/script/package
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/a folder" "$scratch/bin"
unset LD_LIBRARY_PATH
output=$("$script" --build "$1" "$scratch/out")
grep -qE '\.tar\.gz: for systems that have GLIBC_2\.[0-9]+ and GLIBCXX_3\.4\.[0-9]+$' <<<"$output"

tar --extract --gzip --file "$scratch"/out/*.tar.gz --directory "$scratch/a folder"
mv "$scratch/a folder"/gpulab-* "$scratch/a folder/moved"
ln -s "$scratch/a folder/moved/bin/gpulab" "$scratch/bin/gpulab"
(cd / && env --ignore-environment PATH="$scratch/bin:/usr/bin:/bin" gpulab list >/dev/null)
share="$scratch/a folder/moved/share"
for file in man/man1/gpulab.1 bash-completion/completions/gpulab doc/gpulab/copyright; do [[ -s $share/$file ]]; done
# Nobody may hand on a library without its licence.
! command -v dpkg-query >/dev/null || [[ -s $share/doc/gpulab/licences/libcfitsio10 || -s $(ls "$share"/doc/gpulab/licences/libcfitsio*) ]]

command -v cpack dpkg-deb dpkg-shlibdeps >/dev/null || exit 0
dpkg-deb --field "$scratch"/out/*.deb Depends | grep -q 'g++ | clang, .*libc6 (>= '
dpkg-deb --extract "$scratch"/out/*.deb "$scratch/deb"
[[ $(readelf --dynamic "$scratch/deb/usr/bin/gpulab") != *PATH* ]]
"$scratch/deb/usr/bin/gpulab" list >/dev/null
for file in man/man1/gpulab.1.gz doc/gpulab/copyright doc/gpulab/changelog.gz doc/gpulab/changelog.Debian.gz gpulab/gpulab_magic.py \
  zsh/vendor-completions/_gpulab; do [[ -s $scratch/deb/usr/share/$file ]]; done
[[ -z $(find "$scratch/deb" -perm /022 -not -type l) ]]
