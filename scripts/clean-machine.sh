#!/bin/sh
# Proves the two commands on a machine that has Python, git and make and nothing else: a fresh Debian in a folder, a
# fresh clone of the committed state in it, no virtual environment, an empty pip cache.
#
#   scripts/clean-machine.sh TARGET...      for example: scripts/clean-machine.sh test
#
# Needs root and debootstrap. CLEAN_MACHINE names the folder (default: a new one under /var/tmp, removed afterwards).
set -eu

[ $# -gt 0 ] || set -- test
[ "$(id -u)" = 0 ] || { echo "clean-machine needs root: it makes a chroot." >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "Run first: apt-get install -y debootstrap" >&2; exit 1; }

repository=$(git rev-parse --show-toplevel)
root=${CLEAN_MACHINE:-$(mktemp -d /var/tmp/clean-machine.XXXXXX)}

cleanup() {
    for mount in wheels dev proc; do umount -l "$root/$mount" 2>/dev/null || true; done
    # Never across a mount: /dev in there is this machine's own.
    [ -n "${CLEAN_MACHINE:-}" ] || rm -rf --one-file-system "$root"
}
trap cleanup EXIT INT TERM

[ -e "$root/usr/bin/make" ] ||
    debootstrap --variant=minbase --include=python3,git,make,ca-certificates bookworm "$root"
chmod 755 "$root" # mktemp allows the owner only, and one test runs as another user
# The network of this machine: its resolver, its package sources, the certificates it trusts.
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
# Wheels that this machine keeps for pip (torch without CUDA, say), where it has such a folder.
wheels=${PIP_FIND_LINKS:-}
mkdir -p "$root/wheels"
if [ -d "$wheels" ]; then
    mount --bind "$wheels" "$root/wheels"
fi

rm -rf "$root/srv/rehabcount" "$root/srv/.cache"
git clone -q "$repository" "$root/srv/rehabcount"
for target in "$@"; do
    echo "== make $target on a clean machine"
    chroot "$root" /usr/bin/env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_FIND_LINKS=/wheels \
        make -C /srv/rehabcount "$target"
done
