#!/bin/sh
# Make Debian packages of the tree:
#
#	sh systemd/package.sh [DIRECTORY]
#
# They lie in DIRECTORY (.run/package): apspd, and apspd-mpi for clusters. Missing
# build packages are installed first. The version has the time and the hash of the
# last commit, so a later commit is an upgrade.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/daemon/setup.sh"

out=${1:-$root/.run/package}
logs=$root/.run/package-logs
work=$logs/apspd
rm -rf "$work"
mkdir -p "$out" "$work" || die "Cannot write to $out and $logs."
# shellcheck disable=SC2086 # words on purpose
install_missing "$logs/apt.log" $build_packages debhelper dpkg-dev fakeroot libopenmpi-dev

commit=$(git -C "$root" log -1 --format=%h)
time=$(git -C "$root" log -1 --format=%cd --date=format:%Y%m%d.%H%M%S)
release=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$root/meson.build")
version=$release+$time.$commit
# the packager, as the tools of Debian name it, or the author of the commit
packager="${DEBFULLNAME:-$(git -C "$root" log -1 --format=%an)} <${DEBEMAIL:-$(
	git -C "$root" log -1 --format=%ae)}>"

# The files that git knows, as they are now. debhelper expects its own at the top.
git -C "$root" ls-files -z | tar -C "$root" --null -T - -c | tar -C "$work" -x
mv "$work/systemd/debian" "$work/debian"
sed -i "s/^Maintainer: .*/Maintainer: $packager/" "$work/debian/control"
cat >"$work/debian/changelog" <<END
apspd ($version) unstable; urgency=medium

  * Commit $commit.

 -- $packager  $(git -C "$root" log -1 --format=%cD)
END

say "Building the packages of apspd $version"
(cd "$work" && run_logged "$logs/build.log" "The build of the packages" \
	env DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage --build=binary --no-sign --jobs="$(nproc)")
for deb in "$logs"/*_"$version"_*.deb; do
	mv "$deb" "$out/"
	say "$out/$(basename "$deb")"
done
rm -rf "$work"
