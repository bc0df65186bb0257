#!/usr/bin/env bash
# install.sh PYTHON WHAT...: installs in the environment of a Python what
# `pip install WHAT` would. By uv, which takes a tenth of pip's time; by pip where uv
# finds no way, as behind an index that only pip's settings name.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
python="$1"
shift
pip=("$root/.venv/bin/python" -m pip --quiet --disable-pip-version-check)
uv="$root/.venv/bin/uv"

[ -x "$uv" ] || "${pip[@]}" install -c "$root/constraints.txt" uv || true
if [ ! -x "$uv" ] || ! "$uv" --quiet pip install --python "$python" "$@"; then
  echo "uv could not install it, so pip does, which takes longer" >&2
  "${pip[@]}" --python "$python" install "$@"
fi
