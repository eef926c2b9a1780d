#!/usr/bin/env bash
# Times the binding beside the hand-written algorithm, in one run.
cd "$(dirname "$0")/.." && exec tools/clojure -M:bench
