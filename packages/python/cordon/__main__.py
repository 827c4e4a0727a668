# SPDX-License-Identifier: MIT
"""python -m cordon, and the script cordon: become the static program."""
import os
import sys

from ._session import CordonUnsupported, program_path


def main() -> None:
    try:
        path = program_path()
        os.execv(path, [path, *sys.argv[1:]])
    except (CordonUnsupported, OSError) as error:
        print(f"cordon: {error}", file=sys.stderr)
        sys.exit(125)


if __name__ == "__main__":
    main()
