#!/bin/sh
# Times the binding beside the port it takes the place of, in one run; fails where it is not as fast as is wanted.
exec "$(dirname "$0")/../test.sh" bench
