#!/bin/sh
# Makes scripts/bedside.lock anew: every library of the bedside install at the version of scripts/constraints.txt, with the
# hashes of all its files, for every system and every Python that pyproject.toml allows.
#
#   scripts/lock.sh      (or: make lock)
#
# Needs the network. uv resolves for other systems than this one, which pip cannot; it is put into a folder of its own
# that is removed afterwards.
set -eu

cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install -q uv
{
    echo "# The bedside install to the last bit; made by scripts/lock.sh from pyproject.toml and scripts/constraints.txt:"
    echo "#   pip install --require-hashes -r scripts/bedside.lock && pip install --no-deps ."
} > "$folder/lock"
# The package index of this machine is not written into the file.
"$folder/venv/bin/uv" pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
    --constraints scripts/constraints.txt --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
    --cache-dir "$folder/cache" --output-file "$folder/pins" > "$folder/out"
cat "$folder/pins" >> "$folder/lock"
mv "$folder/lock" scripts/bedside.lock
chmod 644 scripts/bedside.lock
