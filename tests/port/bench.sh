#!/bin/sh
# Times the library against the hand-written Python port, in one run; fails where the library is not 50 times as fast.
exec "$(dirname "$0")/run.sh" bench
