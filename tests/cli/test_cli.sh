#!/usr/bin/env bash
# Tests of the program `compact`, from outside: arguments, standard input, standard output, standard error, exit status.
#
#   TN_COMPACT      the program (default: target/release/compact)
#   TN_TRANSCRIPTS  real transcripts (default: ../shared/transcripts); what needs them is skipped where they are not
#
# Each test is a function named test_..., run in a directory of its own. Arguments to this script choose tests by name.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root" || exit 1
export TN_COMPACT=${TN_COMPACT:-target/release/compact}
case $TN_COMPACT in /*) ;; *) TN_COMPACT=$root/$TN_COMPACT ;; esac
transcripts=${TN_TRANSCRIPTS:-../shared/transcripts}
demo=$root/bindings/c/transcript.json
# No test may hang: that the program ends is part of what is tested.
patience=120

if [ ! -x "$TN_COMPACT" ]; then
  echo "FAIL the program is not built: $TN_COMPACT"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "  $*"
  [ -e err ] && { echo "  standard error was:"; head -c 1500 err | sed 's/^/    /'; }
  exit 1
}
skip() { echo "$*" > skipped; exit 77; }
needs() { command -v "$1" > /dev/null || skip "$1 is not installed"; }

# compact FILE ARGUMENT...: runs the program as a filter; leaves `out`, `err` and $status. The input must survive every run.
compact() {
  local input=$1 before
  shift
  before=$(cksum < "$input")
  timeout "$patience" "$TN_COMPACT" "$@" < "$input" > out 2> err
  status=$?
  [ "$status" -ne 124 ] || fail "did not end within $patience seconds: compact $*"
  [ "$(cksum < "$input")" = "$before" ] || fail "the input was changed by: compact $*"
}
succeeds() { [ "$status" -eq 0 ] || fail "exit status $status instead of 0"; }
# fails_with STATUS TEXT: the status, the text in the message, whose every line is the program's own, and an empty output.
fails_with() {
  [ "$status" -eq "$1" ] || fail "exit status $status instead of $1"
  grep -qF -e "$2" err || fail "the message does not say: $2"
  ! grep -qv '^compact: ' err || fail "a line of the message does not begin with 'compact: '"
  [ ! -s out ] || fail "something was written to standard output although the program failed: $(head -c 200 out)"
}
unchanged() { cmp -s "$1" out || fail "the output is not the input, byte for byte: $(cmp "$1" out 2>&1)"; }

# The summary in `out`, unescaped, without its prefix.
summary() {
  python3 - out <<'PY'
import json, sys
prefix = "[Summary of earlier conversation]\n"
texts = [m["content"] for m in json.load(open(sys.argv[1], encoding="utf-8")) if str(m.get("content", "")).startswith(prefix)]
sys.stdout.buffer.write(texts[0][len(prefix):].encode("utf-8", "surrogatepass"))
PY
}
summary_is() { summary > got; printf '%s' "$1" > wanted; cmp -s wanted got || fail "the summary is
$(cat got)
  instead of
$1"; }

# A transcript of four messages whose first two are summarized under --max-tokens 50 --keep-tail 20.
small() {
  printf '%s' '[{"role":"user","content":"Why is the tide gauge at the old mole silent since Tuesday night?"},{"role":"assistant","content":"Its battery is empty. I have told the crew, they change it at noon, and the spare one is being charged."},{"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]' > "$1"
}
budget=(--max-tokens 50 --keep-tail 20)

# ---- the command line ----

test_help_names_every_option() {
  compact /dev/null --help
  succeeds
  for option in --max-tokens --keep-tail --flush-to-memory --char-unit --split --summary-role --summarize-with --explain --help --version; do
    grep -qF -e "$option" out || fail "$option is not explained"
  done
  [ ! -s err ] || fail "help belongs on standard output"
}

test_version_names_program_and_version() {
  compact /dev/null --version
  succeeds
  grep -qE '^compact [0-9]+\.[0-9]+\.[0-9]+' out || fail "not a version: $(cat out)"
}

test_wrong_usage_is_status_2() {
  small in
  compact in --max-tokens 50 --max-token 60; fails_with 2 "--max-token"
  compact in --max-tokens 50 in;             fails_with 2 "unexpected argument in"
  compact in --max-tokens;                   fails_with 2 "--max-tokens needs a value"
  compact in --max-tokens 50 --explain=yes;  fails_with 2 "--explain=yes"
  compact in --max-tokens 50 -;              fails_with 2 "-"
}

test_a_refused_value_is_status_2_and_the_key_is_named() {
  small in
  compact in;                                            fails_with 2 max_tokens
  compact in --keep-tail 5;                              fails_with 2 max_tokens
  for value in many '' -1 1.5 1e99 0x10 99999999999999999999999 '"5"' null ' 5' 05; do
    compact in --max-tokens "$value";                    fails_with 2 max_tokens
    compact in --max-tokens 50 --keep-tail "$value";     fails_with 2 keep_tail
  done
  for value in utf32 '' 2 UTF8; do
    compact in --max-tokens 50 --char-unit "$value";     fails_with 2 char_unit
  done
  compact in --max-tokens 50 --split words;              fails_with 2 split
  compact in --max-tokens 50 --summary-role tool;        fails_with 2 summary_role
}

test_a_value_cannot_smuggle_in_another_option() {
  small in
  compact in "${budget[@]}" --split 'steps","flush_to_memory":true,"x":"'; fails_with 2 split
  compact in --max-tokens '50,"flush_to_memory":true';                     fails_with 2 max_tokens
  compact in "${budget[@]}" --summary-role $'us\ner';                      fails_with 2 summary_role
  compact in "${budget[@]}" --summary-role $'\xff';                        [ "$status" -eq 2 ] || fail "status $status"
  [ ! -s out ] || fail "output in spite of an option that is not UTF-8"
}

test_a_refused_option_is_told_before_the_input_is_read() {
  mkfifo pipe
  timeout 20 "$TN_COMPACT" --max-tokens x <> pipe > out 2> err
  status=$?
  fails_with 2 max_tokens
}

test_values_may_follow_an_equals_sign_and_the_last_one_wins() {
  small in
  compact in --max-tokens 999 --keep-tail=20 --max-tokens=50
  succeeds
  cp out first
  compact in "${budget[@]}"
  succeeds
  cmp -s first out || fail "--max-tokens=50 is not --max-tokens 50"
}

test_keep_tail_0_is_not_an_absent_keep_tail() {
  turns=()
  for number in one two three four five; do
    turns+=("{\"role\":\"user\",\"content\":\"$number\"},{\"role\":\"assistant\",\"content\":\"fine\"}")
  done
  (IFS=,; printf '[%s]' "${turns[*]}") > in # five turns of 18 tokens
  compact in --max-tokens 80;               succeeds; grep -qF '"four"},' out || fail "half of 80 tokens keeps two turns"
  compact in --max-tokens 80 --keep-tail 0; succeeds; ! grep -qF '"four"},' out || fail "no tail was asked for, and two turns were kept"
}

test_flush_to_memory_adds_the_reminder_after_the_summary() {
  needs python3
  small in
  compact in "${budget[@]}" --flush-to-memory --summarize-with 'echo told'
  succeeds
  python3 - out <<'PY' || fail "$(cat out)"
import json, sys
reminder = "Before continuing: if anything from earlier is worth keeping, save it with the memory tool now — the earlier transcript is about to be summarized."
m = json.load(open(sys.argv[1], encoding="utf-8"))
assert m[0] == {"role": "system", "content": "[Summary of earlier conversation]\ntold\n"}, m[0]
assert m[1] == {"role": "system", "content": reminder}, m[1]
assert m[2]["content"] == "Thanks." and len(m) == 4, m
PY
}

test_every_summary_role_is_used() {
  small in
  for role in system developer user assistant; do
    compact in "${budget[@]}" --summary-role $role --summarize-with 'printf told'
    succeeds
    grep -qF "[{\"role\":\"$role\",\"content\":\"[Summary of earlier conversation]\\ntold\"}," out || fail "$role: $(cat out)"
  done
}

test_char_unit_decides_what_an_emoji_counts() {
  printf '%s' '[{"role":"user","content":"🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊"},{"role":"assistant","content":"好"},{"role":"user","content":"go"}]' > in
  # The first message has 28 characters and 16 emoji, which count 16, 32 or 64; the second has 33 and 好, which counts 1, 1
  # or 3; the third has 30. So 11 + 9 + 8, 15 + 9 + 8 and 23 + 9 + 8 tokens.
  for unit_and_total in "code_point 28" "utf16 32" "utf8 40"; do
    read -r unit total <<< "$unit_and_total"
    compact in --max-tokens 1000 --char-unit "$unit" --explain
    succeeds
    figures=$(awk '$1 == "before" { print $3 }' err)
    [ "$figures" = "$total" ] || fail "$unit counts $figures instead of $total"
    compact in --max-tokens "$total" --char-unit "$unit";                          succeeds; unchanged in
    compact in --max-tokens $((total - 1)) --keep-tail 8 --char-unit "$unit";      succeeds
    ! cmp -s in out || fail "$unit: $total tokens count as no more than $((total - 1))"
  done
}

test_split_decides_whether_a_single_prompt_run_is_cut() {
  compact "$demo" --max-tokens 8000;               succeeds; steps=$(wc -c < out)
  compact "$demo" --max-tokens 8000 --split turns; succeeds; turns=$(wc -c < out)
  [ "$steps" -lt "$turns" ] || fail "steps gives $steps bytes, turns $turns"
}

# ---- the filter ----

test_under_budget_the_bytes_come_out_unchanged() {
  small in
  compact in --max-tokens 100000; succeeds; unchanged in
  printf ' \n\t[ {"role" :"user","content":"\\u00e9 \\ud83d 1"  , "x":1.10e+05,"x":[1 ,2]} \n ]\r\n\n' > odd
  compact odd --max-tokens 100000; succeeds; unchanged odd
  printf '[]' > empty
  compact empty --max-tokens 0; succeeds; unchanged empty
  compact "$demo" --max-tokens 100000 --flush-to-memory --explain; succeeds; unchanged "$demo"
}

test_where_nothing_can_be_compacted_the_bytes_come_out_unchanged() {
  printf '[ {"role":"system","content":"be good"}, {"role":"user","content":"one long lonely request"} ]\n' > in
  compact in --max-tokens 1 --explain --summarize-with 'touch was-called; echo x'
  succeeds
  unchanged in
  grep -q '^outcome  *nothing_older$' err || fail "the outcome is not told"
  [ ! -e was-called ] || fail "a summary was asked for that nobody needs"
}

test_the_output_is_valid_and_smaller_and_passes_through_a_second_time() {
  needs python3
  for tokens in 2000 8000 20000 30000; do
    compact "$demo" --max-tokens $tokens; succeeds
    python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' out || fail "not JSON at $tokens"
    [ "$(wc -c < out)" -lt "$(wc -c < "$demo")" ] || fail "not smaller at $tokens"
    cp out once
    [ $tokens -lt 8000 ] && continue # where even the latest step alone is over the budget, another pass has work to do
    compact once --max-tokens $tokens; succeeds; unchanged once
  done
}

test_pipes_are_read_and_written_whole() {
  needs python3
  python3 - > big <<'PY'
import json
m = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"{i} " + "潮水🌊 tide " * 300} for i in range(5000)]
print(json.dumps(m, ensure_ascii=False))
PY
  [ "$(wc -c < big)" -gt 20000000 ] || fail "the test's own input is too small"
  (cat big | timeout $patience "$TN_COMPACT" --max-tokens 99999999 | cat) > out 2> err
  unchanged big
  (cat big | timeout $patience "$TN_COMPACT" --max-tokens 20000 | cat) > out 2> err
  python3 -c 'import json, sys; m = json.load(open(sys.argv[1], encoding="utf-8")); assert m[-1]["content"].startswith("4999 ")' out || fail "the tail is not whole"
}

test_deep_nesting_and_huge_strings_cost_no_stack() {
  needs python3
  python3 - > deep <<'PY'
depth = 200000
print('[{"role":"user","content":"a"},{"role":"assistant","content":"b","deep":' + '[{"a":' * depth + '1' + '}]' * depth + '},'
      '{"role":"user","content":"c"},{"role":"assistant","content":"d"}]')
PY
  (ulimit -s 256; timeout $patience "$TN_COMPACT" --max-tokens 1000 --explain < deep > out 2> err) || fail "status $?"
  grep -qF '{"role":"user","content":"c"},{"role":"assistant","content":"d"}]' out || fail "the tail is not there"
}

test_the_output_may_be_a_device() {
  small in
  timeout $patience "$TN_COMPACT" "${budget[@]}" < in > /dev/null 2> err || fail "status $?"
  timeout $patience "$TN_COMPACT" --max-tokens 0 < /dev/null > /dev/null 2> err
  status=$?
  : > out
  fails_with 1 "" # an empty text is no transcript, but /dev/null on both sides is no overwriting
  ! grep -q overwritten err || fail "/dev/null was taken for a file"
}

# ---- failures ----

test_what_is_no_transcript_is_refused() {
  for text in '' ' ' '{' '[{"role":"user"}' '[{"role":"user"}] x' '{"role":"user"}' '[1]' '"text"' '[{"a":01}]' '[{"a":"\x"}]'; do
    printf '%s' "$text" > in
    compact in --max-tokens 10 --explain
    fails_with 1 ""
  done
  printf '[{"role":"user","content":"\xff"}]' > in
  compact in --max-tokens 10; fails_with 1 ""
  printf '[{"role":"user"},\n 17]' > in
  compact in --max-tokens 10; fails_with 1 "messages[1]"
}

test_an_input_that_cannot_be_read_is_an_error() {
  mkdir folder
  timeout $patience "$TN_COMPACT" --max-tokens 10 < folder > out 2> err; status=$?
  fails_with 1 "cannot read standard input"
  timeout $patience "$TN_COMPACT" --max-tokens 10 <&- > out 2> err; status=$?
  fails_with 1 "standard input is closed"
}

test_an_output_that_cannot_be_written_is_an_error() {
  small in
  : > out
  timeout $patience "$TN_COMPACT" "${budget[@]}" < in >&- 2> err; status=$?
  fails_with 1 "standard output is closed"
  [ -c /dev/full ] || skip "no /dev/full here"
  timeout $patience "$TN_COMPACT" "${budget[@]}" < in > /dev/full 2> err; status=$?
  fails_with 1 "cannot write standard output"
  timeout $patience "$TN_COMPACT" --max-tokens 9999 < in > /dev/full 2> err; status=$?
  fails_with 1 "cannot write standard output"
  timeout $patience "$TN_COMPACT" --help > /dev/full 2> err; status=$?
  fails_with 1 "cannot write standard output"
}

test_an_explanation_that_cannot_be_written_is_an_error() {
  [ -c /dev/full ] || skip "no /dev/full here"
  small in
  timeout $patience "$TN_COMPACT" "${budget[@]}" --explain < in > out 2> /dev/full && fail "exit status 0"
  [ ! -s out ] || fail "something was written to standard output although the program failed"
}

test_a_closed_standard_error_harms_nothing() {
  small in
  compact in "${budget[@]}"; succeeds; cp out wanted
  timeout $patience "$TN_COMPACT" "${budget[@]}" --explain < in > out 2>&- || fail "status $?"
  cmp -s wanted out || fail "the explanation went somewhere it should not: $(head -c 300 out)"
}

test_a_closed_standard_output_is_an_error_also_where_nobody_hears_it() {
  small in
  timeout $patience "$TN_COMPACT" "${budget[@]}" < in >&- 2> err && fail "exit status 0"
  grep -q "standard output is closed" err || fail "$(cat err)"
  timeout $patience "$TN_COMPACT" "${budget[@]}" < in >&- 2>&- && fail "exit status 0 with nobody to hear it"
  timeout $patience "$TN_COMPACT" "${budget[@]}" <&- 2>&- >out && fail "exit status 0 without an input"
  [ ! -s out ] || fail "something was written to standard output although the program failed"
}

test_a_reader_that_goes_away_is_an_error_not_a_death() {
  mkfifo pipe
  (exec 3< pipe; exec 3<&-) &
  timeout $patience "$TN_COMPACT" --max-tokens 99999 < "$demo" 2> err > pipe
  status=$?
  : > out
  fails_with 1 "cannot write standard output"
}

test_the_input_file_is_never_the_output_file() {
  small in
  ln in alias
  cp in original
  for output in in alias; do
    : > out
    timeout $patience "$TN_COMPACT" "${budget[@]}" < in 1<> $output 2> err; status=$?
    fails_with 1 overwritten
    cmp -s in original || fail "the input was overwritten"
    timeout $patience "$TN_COMPACT" "${budget[@]}" < in >> $output 2> err; status=$?
    fails_with 1 overwritten
    cmp -s in original || fail "the input grew"
  done
}

# ---- a command that summarizes ----

test_the_command_gets_the_older_messages_once_and_exactly() {
  needs python3
  compact "$demo" --max-tokens 8000 --explain --summarize-with 'cat >> older; echo "told in one line"'
  succeeds
  summary_is $'told in one line\n'
  python3 - "$demo" older err <<'PY' || fail "the command did not get what was summarized"
import json, sys
messages = json.load(open(sys.argv[1], encoding="utf-8"))
older = json.load(open(sys.argv[2], encoding="utf-8"))
rows = [line.split() for line in open(sys.argv[3], encoding="utf-8")]
gone = [int(row[0]) for row in rows if len(row) == 4 and row[3] in ("summarized", "kept+summarized")]
assert len(gone) > 100 and older == [messages[i] for i in gone], (len(older), len(gone))
PY
}

test_a_failing_command_fails_the_call() {
  small in
  compact in "${budget[@]}" --summarize-with 'echo half an answ; exit 3';          fails_with 1 "exit status 3"
  compact in "${budget[@]}" --summarize-with 'cat > /dev/null; echo x; kill -9 $$'; fails_with 1 "signal 9"
  compact in "${budget[@]}" --summarize-with 'kill -PIPE $$';                      fails_with 1 "signal 13"
  compact in "${budget[@]}" --summarize-with 'no-such-program-anywhere' 2>/dev/null
  [ "$status" -eq 1 ] || fail "a command that is not there: exit status $status"
  grep -q '^compact: .*exit status 127' err || fail "127 is not told"
  [ ! -s out ] || fail "output"
}

test_a_blank_summary_fails_the_call() {
  small in
  for command in '' 'true' 'echo' 'printf " \t\n"' 'printf "\342\200\203"'; do
    compact in "${budget[@]}" --summarize-with "$command"
    fails_with 1 ""
  done
}

test_a_summary_that_is_not_utf8_fails_the_call() {
  small in
  compact in "${budget[@]}" --summarize-with 'printf "half a wave: \360\237\214"'
  fails_with 1 ""
}

test_a_command_need_not_read_its_input() {
  compact "$demo" --max-tokens 8000 --summarize-with 'echo unread';              succeeds; grep -q unread out || fail "no summary"
  compact "$demo" --max-tokens 8000 --summarize-with 'head -c 10 > /dev/null; echo unread'; succeeds
  compact "$demo" --max-tokens 8000 --summarize-with 'exec <&-; sleep 0.3; echo unread'; succeeds; grep -q unread out || fail "no summary"
}

test_a_command_may_print_much_before_it_reads() {
  needs python3
  compact "$demo" --max-tokens 8000 --summarize-with 'head -c 10000000 /dev/zero | tr "\0" w; cat | wc -c'
  succeeds
  summary > got
  [ "$(wc -c < got)" -gt 10000000 ] || fail "the summary has $(wc -c < got) bytes"
  [ "$(tail -c +10000001 got | tr -d ' ')" -gt 50000 ] || fail "the command did not get the older messages afterwards"
}

test_a_command_may_answer_as_it_reads_and_read_after_it_answered() {
  compact "$demo" --max-tokens 8000 --summarize-with 'cat';                       succeeds
  compact "$demo" --max-tokens 8000 --summarize-with 'echo early; exec >&-; cat > rest'; succeeds
  grep -qF 'early\n' out || fail "no summary"
  [ "$(wc -c < rest)" -gt 50000 ] || fail "only $(wc -c < rest) bytes of the older messages arrived"
}

test_the_command_speaks_every_character() {
  needs python3
  small in
  compact in "${budget[@]}" --summarize-with 'printf "潮水 🌊 \"quoted\" back\\\\slash\ttab\001end"'
  succeeds
  summary_is $'潮水 🌊 "quoted" back\\slash\ttab\001end'
}

test_the_command_is_not_run_under_budget() {
  small in
  compact in --max-tokens 9999 --summarize-with 'touch was-called; echo x'
  succeeds
  unchanged in
  [ ! -e was-called ] || fail "the command was run"
}

test_an_ignored_sigchld_does_not_hide_the_commands_failure() {
  env --ignore-signal=CHLD true 2> /dev/null || skip "env cannot ignore a signal here"
  small in
  timeout $patience env --ignore-signal=CHLD "$TN_COMPACT" "${budget[@]}" --summarize-with 'exit 3' < in > out 2> err; status=$?
  fails_with 1 "exit status 3"
}

# ---- the built-in summary ----

test_the_summary_tells_what_was_asked_and_which_tools_ran() {
  needs python3
  cat > in <<'JSON'
[{"role":"user","content":"\n  Why does the gauge stop at night? \nSecond line."},
 {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read_log","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"\u0072ead_log","arguments":"{}"}},{"id":"c","type":"custom","custom":{"name":"grep","input":"x"}}]},
 {"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"c","content":"3"},
 {"role":"assistant","content":"It freezes."},
 {"role":"user","content":[{"type":"text","text":"And 鱼人码头?"},{"type":"image_url","image_url":{"url":"x"}}]},
 {"role":"assistant","content":null,"tool_calls":[{"id":"d","type":"function","function":{"name":"read_log","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"d","content":"4"},
 {"role":"assistant","content":"Fine there."},
 {"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]
JSON
  compact in --max-tokens 60 --keep-tail 25
  succeeds
  summary_is '10 messages left out.
The user asked:
- Why does the gauge stop at night? 
- And 鱼人码头?
Tools that ran, and how often:
- read_log: 3
- grep: 1
'
}

test_the_summary_knows_the_tools_of_every_dialect() {
  needs python3
  end='{"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]'
  told() {
    printf '%s,%s' "$1" "$end" > in
    compact in --max-tokens 20 --keep-tail 20
    succeeds
    summary | sed -n '/^Tools/,$p' > got
    printf 'Tools that ran, and how often:\n%s\n' "$2" > wanted
    cmp -s wanted got || fail "for $1
$(summary)"
  }
  told '[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"","function":{"name":"chat"}},{"function":{"name":"without an id, no call"}}]},{"role":"tool","tool_call_id":"","content":"1"}' '- chat: 1'
  told '[{"role":"user","content":"a"},{"role":"assistant","function_call":{"name":"legacy","arguments":"{}"}},{"role":"function","name":"legacy","content":"1"}' '- legacy: 1'
  told '[{"role":"user","content":"a"},{"type":"function_call","call_id":"1","name":"item","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"x"},{"type":"computer_call","call_id":"2","action":{}},{"type":"computer_call_output","call_id":"2","output":{}}' $'- item: 1\n- computer_call: 1'
  told '[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":"1","name":"use","input":{}},{"type":"server_tool_use","id":"2","name":"search","input":{}},{"type":"web_search_tool_result","tool_use_id":"2","content":[]}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"not asked by the user"}]},{"role":"assistant","content":"c"}' $'- use: 1\n- search: 1'
  told '[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"part","args":{}}},{"function_call":{"name":"snake","id":"7"}},{"functionCall":null},{"functionCall":{"name":"","id":""}}]},{"role":"user","parts":[{"functionResponse":{"name":"part"}},{"function_response":{"name":"snake","id":"7"}}]},{"role":"model","parts":[{"text":"c"}]}' $'- part: 1\n- snake: 1'
  told '[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"converse","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[]}}]},{"role":"assistant","content":[{"text":"c"}]}' '- converse: 1'
  told '[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"sdk","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"sdk","output":{}}]},{"role":"assistant","content":"c"}' '- sdk: 1'
}

test_tool_results_are_not_taken_for_what_the_user_asked() {
  needs python3
  printf '%s' '[{"role":"user","content":"asked"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"use","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"type":"text","text":"not asked"}]},{"role":"assistant","content":"c"},{"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]' > in
  compact in --max-tokens 20 --keep-tail 20
  succeeds
  summary_is $'4 messages left out.\nThe user asked:\n- asked\nTools that ran, and how often:\n- use: 1\n'
}

test_a_long_request_is_cut_between_code_points() {
  needs python3
  python3 - <<'PY'
import json
for name, ensure_ascii in (("raw", False), ("escaped", True)):
    m = [{"role": "user", "content": "🌊" * 161}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "🦀" * 160 + "\nsecond"},
         {"role": "assistant", "content": "c"}, {"role": "user", "content": "Thanks."}, {"role": "assistant", "content": "Welcome."}]
    open(name, "w", encoding="utf-8").write(json.dumps(m, ensure_ascii=ensure_ascii))
PY
  waves=$(printf '🌊%.0s' $(seq 160)) crabs=$(printf '🦀%.0s' $(seq 160))
  for input in raw escaped; do
    compact $input --max-tokens 50 --keep-tail 25
    succeeds
    summary_is "4 messages left out.
The user asked:
- $waves…
- $crabs
"
  done
}

test_half_an_emoji_in_a_request_leaves_valid_text() {
  needs python3
  printf '%s' '[{"role":"user","content":"wave \ud83c and \u0000 nul"},{"role":"assistant","content":"a rather long answer to make this much too long for the budget"},{"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]' > in
  compact in --max-tokens 30 --keep-tail 20
  succeeds
  summary_is $'2 messages left out.\nThe user asked:\n- wave \xef\xbf\xbd and   nul\n'
}

test_the_summary_is_never_blank() {
  needs python3
  printf '%s' '[{"role":"assistant","content":"a greeting that nobody asked for, and which is long enough"},{"role":"user","content":[{"type":"image","source":{}}]},{"role":"assistant","content":"ok"},{"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]' > in
  compact in --max-tokens 30 --keep-tail 20
  succeeds
  summary_is $'3 messages left out.\nThe user asked:\n- (no text)\n'
  printf '%s' '[{"role":"assistant","content":"a greeting that nobody asked for, and which is long enough"},{"role":"user","content":"Thanks."},{"role":"assistant","content":"Welcome."}]' > in
  compact in --max-tokens 30 --keep-tail 20
  succeeds
  summary_is $'1 message left out.\n'
}

test_an_earlier_summary_is_carried_on() {
  needs python3
  small in
  compact in "${budget[@]}" --flush-to-memory --summarize-with 'printf "the gauge was silent 🔋"'
  succeeds
  python3 - <<'PY'
import json
m = json.load(open("out", encoding="utf-8"))
m += [{"role": "user", "content": "And the one at Fog Island, is it well?"}, {"role": "assistant", "content": "All is well there, it answers every ten minutes."},
      {"role": "user", "content": "Good."}, {"role": "assistant", "content": "Bye."}]
open("in", "w", encoding="utf-8").write(json.dumps(m))
PY
  compact in "${budget[@]}"
  succeeds
  summary_is $'the gauge was silent 🔋\n\n4 messages left out.\nThe user asked:\n- Thanks.\n- And the one at Fog Island, is it well?\n'
}

test_thousands_of_different_tools_are_no_burden() {
  needs python3
  python3 - > in <<'PY'
import json
m = [{"role": "user", "content": "a"}]
for i in range(60000):
    m.append({"role": "assistant", "tool_calls": [{"id": str(i), "function": {"name": f"tool_{i}"}}]})
    m.append({"role": "tool", "tool_call_id": str(i), "content": ""})
m += [{"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}]
print(json.dumps(m))
PY
  patience=30
  compact in --max-tokens 20
  succeeds
  summary | tail -n 1 > last
  [ "$(cat last)" = "- tool_59999: 1" ] || fail "the last tool is $(cat last)"
}

# ---- the explanation ----

test_the_explanation_adds_up_for_the_demo() {
  needs python3
  python3 "$here/check_explanation.py" --budgets 2000,8000,20000,30000,100000 "$demo" > report 2>&1 || { cat report; fail "see above"; }
}

test_the_explanation_adds_up_for_every_small_transcript() {
  needs python3
  python3 "$here/check_explanation.py" "$root"/tests/cases/*.json > report 2>&1 || { cat report; fail "see above"; }
}

test_the_explanation_adds_up_for_real_transcripts() {
  needs python3
  [ -d "$root/$transcripts" ] || [ -d "$transcripts" ] || skip "no transcripts at $transcripts"
  cd "$root" || exit 1
  find "$transcripts" -name '*.json' -print0 | xargs -0 python3 "$here/check_explanation.py" --budgets half > "$OLDPWD/report" 2>&1 || { cat "$OLDPWD/report"; fail "see above"; }
}

test_the_explanation_shows_nothing_but_plain_characters() {
  printf '%s' '[{"role":"us\u001b[31mer 🌊","content":"a"},{"role":"an unbelievably long role that would break the table","content":"b"},{"type":"reasoning"},{"content":"c"}]' > in
  compact in --max-tokens 9999 --explain
  succeeds
  ! LC_ALL=C grep -q '[^ -~]' err || fail "a terminal would be spoken to"
  awk 'NR == 2 && $2 != "us?[31mer??" { exit 1 } NR == 4 && $2 != "reasoning" { exit 1 } NR == 5 && $2 != "-" { exit 1 }' err || fail "roles"
}

test_without_explain_standard_error_stays_empty() {
  small in
  compact in "${budget[@]}"; succeeds
  [ ! -s err ] || fail "something was said"
}

# ---- memory ----

under_valgrind() {
  needs valgrind
  local wanted=$1 input=$2
  shift 2
  valgrind -q --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=99 --child-silent-after-fork=yes \
    --log-file=valgrind.log "$TN_COMPACT" "$@" < "$input" > out 2> err
  status=$?
  [ "$status" -eq "$wanted" ] && [ ! -s valgrind.log ] || { head -60 valgrind.log; fail "exit status $status instead of $wanted, or memory was leaked or misused"; }
}

test_no_memory_is_leaked_when_it_compacts() { under_valgrind 0 "$demo" --max-tokens 8000 --flush-to-memory --explain; }
test_no_memory_is_leaked_with_a_command() { under_valgrind 0 "$demo" --max-tokens 8000 --summarize-with 'wc -c'; }
test_no_memory_is_leaked_under_budget() { under_valgrind 0 "$demo" --max-tokens 80000; }
test_no_memory_is_leaked_when_the_command_fails() { under_valgrind 1 "$demo" --max-tokens 8000 --summarize-with 'echo x; exit 3'; }
test_no_memory_is_leaked_when_the_input_is_bad() {
  printf '[{"role":"user","content":"a"},{"role":' > in
  under_valgrind 1 in --max-tokens 1
}
test_no_memory_is_leaked_on_wrong_usage() { under_valgrind 2 /dev/null --max-tokens x; }

# ---- all of them ----

passed=0 failed=0 skipped=0
for test in $(declare -F | awk '{ print $3 }' | grep '^test_'); do
  if [ $# -gt 0 ]; then
    case " $* " in *" $test "*) ;; *) continue ;; esac
  fi
  mkdir "$scratch/$test"
  (cd "$scratch/$test" && "$test") > "$scratch/report" 2>&1
  case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)); echo "SKIP $test: $(cat "$scratch/$test/skipped")" ;;
    *) failed=$((failed + 1)); echo "FAIL $test"; cat "$scratch/report" ;;
  esac
  rm -rf "${scratch:?}/$test"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
