#!/bin/sh
# Install, build and run every test.
set -eu
cd "$(dirname "$0")/.."
[ -d build ] || meson setup build
meson test -C build
