#!/bin/sh
# Make the packages of an earlier commit and of this tree, and install, upgrade,
# downgrade, remove and purge them in a Debian that has neither apspd nor its
# libraries. There the installed program also follows a writer, and computes with Open
# MPI. As root:
#
#	sh tests/systemd/package.sh [COMMIT]
#
# COMMIT is the earlier one, by default the parent of the present one. The packages of
# both come from the recipe of this tree. package_checks.sh writes "ok ..." or
# "not ok ...: reason" for every check; this script prints these lines. Its status is 1
# if a check failed or lintian found an error, and 77, after a sentence, where nothing
# can be booted. It takes about ten minutes and 1.5 GB in .run/package-test:
#
#	packages/old, packages/new       the packages
#	base                             a small Debian; its /debs has what apspd depends on
#	project                          the checks
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../.." && pwd -P)
. "$root/daemon/setup.sh"
. "$here/container.sh"

boot=$root/.run/package-test
commit=${1:-HEAD^}

# recipe_fit TREE: remove from the recipe what the tree does not have.
recipe_fit() {
	debian=$1/systemd/debian
	while read -r file; do
		[ ! -e "$1/$file" ] || printf '%s\n' "$file"
	done <"$debian/apspd.docs" >"$debian/apspd.docs.new"
	mv "$debian/apspd.docs.new" "$debian/apspd.docs"
	[ -e "$1/systemd/60-mpi.conf" ] || sed -i '/60-mpi/d' "$debian/apspd-mpi.install"
	[ -e "$1/daemon/follow" ] || {
		sed -i '/apspd-follow/d' "$debian/apspd.install"
		sed -i 's/ -Dfollow=enabled//; s/daemon\/apspd-follow[.8]*//g' "$debian/rules"
	}
}

# make_old: the packages of $commit, by the recipe of this tree.
make_old() {
	rm -rf "$boot/old-tree"
	git clone -q "$root" "$boot/old-tree"
	git -C "$boot/old-tree" checkout -q "$(git -C "$root" rev-parse "$commit")"
	rm -rf "$boot/old-tree/systemd/debian"
	cp -r "$root/systemd/debian" "$root/systemd/package.sh" "$boot/old-tree/systemd/"
	recipe_fit "$boot/old-tree"
	git -C "$boot/old-tree" add systemd
	sh "$boot/old-tree/systemd/package.sh" "$boot/packages/old"
	rm -rf "$boot/old-tree"
}

# make_debian: $boot/base, with the packages that apspd depends on in its /debs.
make_debian() {
	say "Making a Debian to boot (log: base.log)"
	rm -rf --one-file-system "$boot/base"
	apt-get -q -o APT::Update::Error-Mode=any update >"$boot/base.log" 2>&1 </dev/null
	apt_sources >"$boot/sources.list"
	apt-config dump Acquire >"$boot/apt.conf" # a proxy, for instance
	depends=$(dpkg-deb -f "$boot"/packages/new/apspd_*.deb Depends |
		sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
	# sqlite3 is for the lines of README that copy the database, jq for those that save
	# bundles, nginx for replicas and Open MPI for apspd-mpi
	# shellcheck disable=SC2016 # for the shell that runs the hooks
	DEPENDS="$depends sqlite3 jq nginx-light openmpi-bin" mmdebstrap --quiet --variant=minbase \
		--include=systemd-sysv,curl,ca-certificates,init-system-helpers \
		--aptopt="$boot/apt.conf" \
		--customize-hook='mkdir -p "$1/debs/partial"' \
		--customize-hook='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qy \
			-o Dir::Cache::Archives="$1/debs" --no-install-recommends \
			--download-only install $DEPENDS' \
		"$release" "$boot/base" "$boot/sources.list" >>"$boot/base.log" 2>&1 </dev/null
}

# make_project: the packages and the checks, as a layer above the Debian.
make_project() {
	wanted=$boot/project/etc/systemd/system/multi-user.target.wants
	rm -rf "$boot/project"
	mkdir -p "$wanted" "$boot/project/packages"
	cp -r "$boot/packages/old" "$boot/packages/new" "$boot/project/packages/"
	cp "$here/package_checks.sh" "$boot/project/checks.sh"
	cp "$here/replica_checks.sh" "$boot/project/"
	cp "$root/README.md" "$boot/project/"
	cp "$here/checks.service" "$wanted/../"
	ln -s ../checks.service "$wanted/checks.service"
}

prepare_host
(install_missing "$boot/apt.log" lintian git) || skip "lintian is missing."
rm -rf "$boot/packages"
mkdir -p "$boot/packages"
make_old
sh "$root/systemd/package.sh" "$boot/packages/new"
failed=0
lintian --allow-root --fail-on error "$boot"/packages/new/*.deb || failed=1
make_debian || skip "no Debian could be made: $(tail -n 1 "$boot/base.log")"
make_project
boot_system checks "project:base" 1200 true || failed=1
cat "$boot/checks/lines"
! grep -q '^not ok ' "$boot/checks/lines" || failed=1
[ -e "$boot/checks/finished" ] || failed=1
[ "$failed" = 0 ] || tail -n 60 "$boot/checks.log" "$boot/checks/trace"
exit "$failed"
