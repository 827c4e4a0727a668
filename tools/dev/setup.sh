# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Installs the packages that a command needs. Read by ./dev.

# Each is a package, or alternatives separated by bars.
packages_of()
{
	case $1 in
	debian/build)
		say gcc libc6-dev meson ninja-build 'pkgconf|pkg-config' libpcre2-dev libmd-dev \
		    libidn2-dev libunistring-dev libseccomp-dev
		;;
	debian/fuzz) say clang 'libclang-rt-dev|libclang-rt-14-dev|libclang-common-14-dev' ;;
	debian/lint) say binutils shellcheck mandoc cppcheck clang-format ;;
	debian/test)
		say bats python3 python3-jsonschema git util-linux make patch procps perl less man-db \
		    ripgrep sqlite3 gdb strace nodejs tmux 'vim-tiny|vim' dash zsh fish curl wget openssl socat \
		    iproute2 openssh-client attr acl rsync netcat-openbsd python3-requests python3-pip python3-venv \
		    python3-pytest redis-tools expect screen dropbear-bin openssh-sftp-server libnss-wrapper btrfs-progs
		# some nodejs packages contain npm and conflict with its package
		command -v npm >/dev/null || say npm
		;;
	# over a gigabyte: only for CI; in the browser the page of cordon report is opened
	debian/ci)
		say chromium fonts-dejavu-core cargo golang-go python3-poetry ansible-core ipython3 scons \
		    php-cli
		;;
	debian/release)
		say "gcc-x86-64-linux-gnu|gcc" gcc-aarch64-linux-gnu linux-libc-dev linux-libc-dev-arm64-cross make dpkg-dev patch \
		    debian-archive-keyring busybox-static file
		;;
	debian/package)
		say debhelper dpkg-dev fakeroot lintian libsystemd-dev python3 gzip ruby
		command -v npm >/dev/null || say npm
		;;
	debian/systemd) say mmdebstrap ;;
	debian/containers) say runc debootstrap debian-archive-keyring python3 python3-yaml ;;
	debian/foreign) say python3 dpkg-dev debian-archive-keyring util-linux make perl cmake zlib1g-dev nodejs ;;
	debian/bench) say bubblewrap firejail git make binutils util-linux ;;
	debian/macos) say tinyscheme python3 ;;
	debian/kernels) say qemu-system-x86 e2fsprogs cpio busybox-static debian-archive-keyring util-linux ;;
	debian/kernels-arm64) say qemu-system-arm qemu-user ;;
	brew/build) say meson ninja pkgconf pcre2 libmd libidn2 libunistring ;;
	brew/fuzz) say llvm ;;
	brew/lint) say shellcheck mandoc cppcheck clang-format ;;
	brew/test) say bats-core coreutils python3 git ;;
	esac
}

debian_has()
{
	IFS='|'
	# shellcheck disable=SC2086 # the names are one word, separated by bars
	for name in $1; do
		case $installed in
		*" $name "*) unset IFS && return 0 ;;
		esac
	done
	unset IFS
	return 1
}

# Prints the first alternative that this release has, else the first of all.
debian_pick()
{
	for name in $(say "$1" | tr '|' ' '); do
		if apt-cache show "$name" 2>/dev/null | grep -q '^Version:'; then
			say "$name"
			return
		fi
	done
	say "${1%%|*}"
}

debian_setup()
{
	# shellcheck disable=SC2016 # the format is dpkg-query's
	installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' |
	    sed -n 's/^installed //p' | tr '\n' ' ')"
	missing=''
	for package in "$@"; do
		debian_has "$package" || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	as_root=''
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null ||
		    fail "missing packages, and neither root nor sudo:$(say "$missing" | sed 's/|[^ ]*//g')"
		as_root=sudo
	fi
	log=$(mktemp)
	$as_root apt-get update -q >"$log" 2>&1 || cat "$log" >&2
	names=''
	for package in $missing; do
		names="$names $(debian_pick "$package")"
	done
	say "installing$names"
	# wait for another installation, as on a machine that has just booted
	# shellcheck disable=SC2086 # a list of names
	if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
	    install -y -q --no-install-recommends $names >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		fail "could not install:$names"
	fi
	rm -f "$log"
}

brew_setup()
{
	command -v brew >/dev/null || fail "Homebrew is needed to install: $*"
	installed=" $(brew list --formula -1 | tr '\n' ' ')"
	missing=''
	for package in "$@"; do
		case $installed in
		*" $package "*) ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	say "installing$missing"
	# shellcheck disable=SC2086 # a list of names
	brew install --quiet $missing
}

# Other systems: prints what is missing, installs nothing.
other_setup()
{
	missing=''
	for tool in cc meson ninja pkg-config; do
		command -v "$tool" >/dev/null || missing="$missing $tool"
	done
	[ -z "$missing" ] ||
	    fail "please install:$missing (and the headers of pcre2, libmd, libidn2, libseccomp)"
}

# setup GROUP...: build, fuzz, lint, test, bench, kernels
setup()
{
	if [ "$(uname -s)" = Darwin ]; then
		kind=brew
	elif command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
		kind=debian
	else
		other_setup
		return
	fi
	packages=''
	for group in "$@"; do
		packages="$packages $(packages_of "$kind/$group")"
	done
	# shellcheck disable=SC2086 # a list of names
	"${kind}_setup" $packages
}
