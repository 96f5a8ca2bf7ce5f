#!/bin/sh
# Makes sure that the system libraries behind the Python packages are there: venv, what Qt loads (without and with a
# window to show), a font, and what tests need: a display for the real window, the bus on which they put a fake radio,
# and strace, with which they check that no data leave the computer.
# As root on a Debian-like system it installs what is missing; otherwise it prints the one line to run.
set -eu

packages="python3-venv libegl1 libgl1 libglib2.0-0 libfontconfig1 libfreetype6 libxkbcommon0 libdbus-1-3 dbus-daemon
libxcb-icccm4 libxcb-keysyms1 libxcb-cursor0 libxcb-image0 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-sync1
libxcb-xfixes0 libxcb-xkb1 libxkbcommon-x11-0 libx11-xcb1 fonts-dejavu-core xvfb xauth strace"

command -v dpkg-query >/dev/null 2>&1 || exit 0 # not Debian-like: the packages are unknown

missing=""
for package in $packages; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) missing="$missing $package" ;;
    esac
done
# A Python that does not come from Debian brings its own venv.
if "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null; then
    missing=$(printf '%s' "$missing" | sed 's/ python3-venv//')
fi
[ -n "$missing" ] || exit 0

line="apt-get update && apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
    echo "Installing system libraries:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    # shellcheck disable=SC2086
    apt-get install -q -y --no-install-recommends $missing
else
    echo "System libraries are missing. Run this line, then make again:" >&2
    echo "  sudo sh -c '$line'" >&2
    exit 1
fi
