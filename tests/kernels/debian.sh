# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Where this machine gets Debian from: read by the scripts that fetch kernels and images.

# Likeliest first. Origins are known only to machines that keep apt's lists; a stranger's archive
# fails the signature check and the next one is tried. DEBIAN_MIRROR overrides.
mirrors()
{
	if [ -n "${DEBIAN_MIRROR:-}" ]; then
		printf '%s\n' "$DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI) $(ORIGIN)' \
	    'Created-By: Packages' | awk '
	BEGIN {
		split("bullseye bookworm trixie forky sid oldoldstable oldstable stable testing " \
		    "unstable", names)
		for (i in names)
			debian[names[i]] = 1
	}
	$1 == "main" && ($2 in debian) { print ($4 == "Debian" ? 0 : 1), $3 }' |
	    sort -u | cut -d' ' -f2
}

keyring()
{
	for file in /usr/share/keyrings/debian-archive-keyring.gpg \
	    /usr/share/keyrings/debian-archive-keyring.pgp; do
		if [ -f "$file" ]; then
			printf '%s\n' "$file"
			return
		fi
	done
	return 1
}
