#!/bin/sh
# Connects command-line clients to the gateway at @ADDRESS@
#
#   curl -fsSL @ADDRESS@/install.sh | sh -s -- [client ...] [--model NAME] [--no-test]
#   curl -fsSL @ADDRESS@/install.sh | sh -s -- --undo
#
# It writes the settings of the clients, keeps copies of the files it changes, and makes one short call per
# client. The key comes from GATEWAY_API_KEY or from a sign-in with the browser; it is never part of an address or
# an argument.

set -eu
umask 077

address=@ADDRESS_WORD@
state=${XDG_STATE_HOME:-$HOME/.local/state}/gateway-connect
manifest=$state/manifest
work=
echo_off=

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
fail() {
  warn "$*"
  exit 1
}

clean_up() {
  if [ -n "$echo_off" ]; then stty echo </dev/tty || :; fi
  if [ -n "$work" ]; then rm -rf "$work"; fi
}

usage() {
  cat <<GATEWAY_END
Connects command-line clients to the gateway at $address

  sh install.sh [client ...] [--model NAME] [--no-test]
  sh install.sh --undo

Clients: $(clients | tr '\n' ' ')
Without a client, those that are installed are connected.

  --model NAME  the model to use; also GATEWAY_MODEL
  --ask-key     enter a key instead of signing in with the browser
  --no-test     do not make a call
  --undo        restore the files as they were before the first run

GATEWAY_API_KEY is the key to use. Without it, you sign in with the browser and get a key for this device.
GATEWAY_END
}

# Client, dialect, command, path below the home folder, format, settings to remove, settings to keep.
files() {
  cat <<'GATEWAY_END'
@FILES@
GATEWAY_END
}

# The settings of a file, without key and model.
content() {
  case $1 in
@CONTENTS@
  esac
}

merge_program() {
  cat <<'GATEWAY_END'
@MERGE_PROGRAM@
GATEWAY_END
}

clients() { files | cut -d'|' -f1 | uniq; }

# The absolute path of a file: clients let users move their folders.
target_of() {
  case $1 in
    .claude/*) printf '%s' "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/${1#.claude/}" ;;
    .codex/*) printf '%s' "${CODEX_HOME:-$HOME/.codex}/${1#.codex/}" ;;
    .config/*) printf '%s' "${XDG_CONFIG_HOME:-$HOME/.config}/${1#.config/}" ;;
    *) printf '%s' "$HOME/$1" ;;
  esac
}

# Prints "yes" for models of which Codex has its own entries, which the catalogue of the gateway would replace.
known_to_codex() {
  case $model in
    gpt-5*-chat*) ;;
    gpt-5* | gpt-[6-9] | gpt-[6-9][!0-9]* | codex-*) echo yes ;;
  esac
}

# Prints the input tokens to assume of a model without a description: Claude Code assumes too many, except for names
# that it knows.
assumed_by_claude() {
  case $model in
    *[Cc]laude* | opus* | sonnet* | haiku*) ;;
    *) echo 128000 ;;
  esac
}

filled() {
  FILLED_KEY=$1 FILLED_MODEL=$model FILLED_BACKGROUND=$background FILLED_WINDOW=$window FILLED_KNOWN=$(known_to_codex) \
    FILLED_ASSUMED=$(assumed_by_claude) awk '
    /CLAUDE_CODE_MAX_CONTEXT_TOKENS/ && ENVIRON["FILLED_WINDOW"] == "" {
      gsub(/__GATEWAY_WINDOW__/, ENVIRON["FILLED_ASSUMED"] == "" ? "__GATEWAY_WINDOW__" : ENVIRON["FILLED_ASSUMED"])
    }
    /__GATEWAY_WINDOW__/ && ENVIRON["FILLED_WINDOW"] == "" { next }
    /^(model_catalog_url = |\[features\]$|api_key_model_discovery = )/ && ENVIRON["FILLED_KNOWN"] != "" { next }
    {
      gsub(/__GATEWAY_KEY__/, ENVIRON["FILLED_KEY"])
      gsub(/__GATEWAY_MODEL__/, ENVIRON["FILLED_MODEL"])
      gsub(/__GATEWAY_BACKGROUND__/, ENVIRON["FILLED_BACKGROUND"])
      gsub(/__GATEWAY_WINDOW__/, ENVIRON["FILLED_WINDOW"])
      print
    }'
}

checksum() { cksum <"$1" | tr -d '\n'; }

tab=$(printf '\t')

# Prints the line of a file in the manifest, if it was changed before.
recorded() {
  [ -f "$manifest" ] || return 0
  awk -F "$tab" -v wanted="$1" '$2 == wanted && $1 != "folder"' "$manifest"
}

record() {
  printf '%s\t%s\t%s\t%s\n' "$@" >>"$manifest"
}

make_folder() {
  [ -d "$1" ] && return 0
  make_folder "$(dirname "$1")" || return 1
  mkdir "$1" && record folder "$1" - -
}

# Writes a prepared file to its place. What was there is copied, and recorded before it is replaced.
replace() {
  prepared=$1
  target=$2
  make_folder "$(dirname "$target")" || return 1
  line=$(recorded "$target")
  if [ -n "$line" ]; then
    kind=$(printf '%s' "$line" | cut -f1)
    copy=$(printf '%s' "$line" | cut -f3)
    awk -F "$tab" -v wanted="$target" '!($2 == wanted && $1 != "folder")' "$manifest" >"$work/manifest" &&
      cat "$work/manifest" >"$manifest" || return 1
  elif [ -e "$target" ]; then
    kind=changed
    copy=$state/$(printf '%s' "$target" | cksum | cut -d' ' -f1)
    cp -p "$target" "$copy" || return 1
  else
    kind=created
    copy=-
  fi
  record "$kind" "$target" "$copy" "$(checksum "$prepared")" || return 1
  if [ -L "$target" ] || [ ! -e "$target" ]; then
    cat "$prepared" >"$target"
  else
    cp -p "$target" "$target.new" && cat "$prepared" >"$target.new" && mv -f "$target.new" "$target"
  fi
}

undo() {
  if [ ! -f "$manifest" ]; then
    say "There is nothing to undo."
    return 0
  fi
  while IFS=$tab read -r kind target copy sum; do
    [ "$kind" = folder ] && continue
    if [ -e "$target" ] && [ "$(checksum "$target")" != "$sum" ]; then
      cp -p "$target" "$target.before-undo"
      say "$target was changed since; the changed file is now $target.before-undo"
    fi
    if [ "$kind" = created ]; then
      rm -f "$target"
      say "Removed $target"
    elif [ -L "$target" ]; then
      cat "$copy" >"$target"
      say "Restored $target"
    else
      cp -p "$copy" "$target.new"
      mv -f "$target.new" "$target"
      say "Restored $target"
    fi
  done <"$manifest"
  # The inner folders were created last.
  awk -F "$tab" '$1 == "folder" { line[++count] = $2 } END { while (count > 0) print line[count--] }' \
    "$manifest" >"$state/folders"
  while IFS= read -r folder; do
    rmdir "$folder" 2>/dev/null || :
  done <"$state/folders"
  rm -rf "$state"
}

has_terminal() { (: </dev/tty) 2>/dev/null; }

ask_key() {
  has_terminal || fail "Set GATEWAY_API_KEY to your key. There is no terminal to enter it."
  printf 'API key: ' >/dev/tty
  echo_off=1
  stty -echo </dev/tty
  IFS= read -r key </dev/tty || :
  stty echo </dev/tty
  echo_off=
  printf '\n' >/dev/tty
}

# Sends a request with the key in a header that no list of processes shows. Prints the status.
request() {
  key_header=$1
  shift
  printf 'header = "%s%s"\n' "$key_header" "$key" |
    curl -sS -K - --connect-timeout 15 --max-time 120 -o "$work/answer" -w '%{http_code}' "$@" 2>"$work/error" ||
    :
}

message_of() {
  if [ -s "$work/error" ]; then
    head -n 1 "$work/error"
  else
    sed -n 's/.*"message" *: *"\([^"]*\)".*/\1/p' "$work/answer" | head -n 1
  fi
}

# Read a text and a number of the last answer, which is a flat JSON object.
field() { sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' "$work/answer" 2>/dev/null | head -n 1; }
number() { sed -n 's/.*"'"$1"'" *: *\([0-9][0-9]*\).*/\1/p' "$work/answer" | head -n 1; }

# Device sign-in (RFC 8628). The codes are sent as the body, which no list of processes shows.
post_form() {
  printf '%s' "$2" |
    curl -sS --connect-timeout 15 --max-time 60 -o "$work/answer" -w '%{http_code}' \
      -H 'Content-Type: application/x-www-form-urlencoded' --data-binary @- "$address$1" 2>"$work/error" || :
}

sign_in() {
  host=$(uname -n | tr -cd 'A-Za-z0-9._-' | cut -c 1-40)
  status=$(post_form /device/authorization "device_name=Installer+on+${host:-a+device}")
  if [ "$status" != 200 ]; then
    if [ -s "$work/error" ]; then reason=$(head -n 1 "$work/error"); else reason=$(field error_description); fi
    fail "The sign-in could not be started ($status): $reason Set GATEWAY_API_KEY or use --ask-key."
  fi
  device_code=$(field device_code)
  left=$(number expires_in)
  interval=$(number interval)
  warn "Sign in and confirm the code $(field user_code) at"
  warn "  $(field verification_uri_complete)"
  while [ "$left" -gt 0 ]; do
    sleep "$interval"
    left=$((left - interval))
    : >"$work/answer"
    status=$(post_form /device/token \
      "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=$device_code")
    if [ "$status" = 200 ]; then
      key=$(field access_token)
      return 0
    fi
    case $(field error) in
      slow_down) interval=$((interval + 5)) ;;
      # A poll that failed on its way is repeated.
      authorization_pending | server_error | '') ;;
      *) fail "$(field error_description)" ;;
    esac
  done
  fail "The code has expired. Start again."
}

read_models() {
  status=$(request 'Authorization: Bearer ' "$address/v1/models")
  [ "$status" = 200 ] || fail "The list of models could not be read ($status): $(message_of)"
  tr ',' '\n' <"$work/answer" | tr '{' '\n' | sed -n 's/^ *"id" *: *"\([^"]*\)".*/\1/p' >"$work/models"
}

choose_model() {
  read_models
  count=$(wc -l <"$work/models" | tr -d ' ')
  case $count in
    0) fail "This key can use no model." ;;
    1)
      model=$(cat "$work/models")
      return 0
      ;;
  esac
  if ! has_terminal; then
    warn "Name a model with --model:"
    head -n 50 "$work/models" >&2
    exit 1
  fi
  head -n 50 "$work/models" | awk '{ printf "%3d  %s\n", NR, $0 }' >/dev/tty
  printf 'Number or name of the model: ' >/dev/tty
  IFS= read -r model </dev/tty || :
  case $model in
    '' | *[!0-9]*) ;;
    *) model=$(sed -n "${model}p" "$work/models") ;;
  esac
}

# The model for calls in the background: beside a larger Claude the newest Haiku of the key, else the same.
find_background() {
  background=$model
  case $model in
    *[Hh]aiku*) return 0 ;;
    *[Cc]laude*) ;;
    *) return 0 ;;
  esac
  [ -s "$work/models" ] || read_models
  found=$(grep -i 'claude.*haiku' "$work/models" | LC_ALL=C sort | tail -n 1)
  case $found in
    '' | *[!A-Za-z0-9._:/@+-]*) ;;
    *) background=$found ;;
  esac
}

# The input tokens that the model accepts; empty if they are unknown.
find_window() {
  window=
  status=$(request 'Authorization: Bearer ' -H 'anthropic-version: 2023-06-01' "$address/v1/models/$model")
  if [ "$status" = 200 ]; then
    window=$(sed -n 's/.*"max_input_tokens" *: *\([0-9][0-9]*\).*/\1/p' "$work/answer" | head -n 1)
  fi
}

test_call() {
  case $1 in
    anthropic)
      path=/v1/messages
      header='x-api-key: '
      body='{"model":"'$model'","max_tokens":16,"messages":[{"role":"user","content":"Hi"}]}'
      ;;
    openai-responses)
      path=/v1/responses
      header='Authorization: Bearer '
      body='{"model":"'$model'","max_output_tokens":16,"input":"Hi"}'
      ;;
    gemini)
      path=/v1beta/models/$model:generateContent
      header='x-goog-api-key: '
      body='{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"generationConfig":{"maxOutputTokens":16}}'
      ;;
    *)
      path=/v1/chat/completions
      header='Authorization: Bearer '
      body='{"model":"'$model'","max_tokens":16,"messages":[{"role":"user","content":"Hi"}]}'
      ;;
  esac
  status=$(request "$header" -H 'Content-Type: application/json' -d "$body" "$address$path")
  [ "$status" = 200 ]
}

# Prepares every file of a client before any is written. A client is connected completely or not at all.
connect() {
  client=$1
  files | grep "^$client|" >"$work/files"
  while IFS='|' read -r _ _ _ path format removes keeps; do
    target=$(target_of "$path")
    prepared=$work/$(printf '%s' "$path" | tr '/' '_')
    content "$path" | filled "$key" >"$prepared.settings"
    if [ ! -s "$target" ]; then
      cp "$prepared.settings" "$prepared"
      continue
    fi
    if ! command -v node >/dev/null 2>&1; then
      reason="It exists, and merging needs Node.js."
    elif reason=$(node "$work/merge.cjs" "$format" "$target" "$prepared.settings" "$removes" "$keeps" 2>&1 >"$prepared" </dev/null); then
      continue
    fi
    warn "$target was not changed. $reason Add these settings to it:"
    content "$path" | filled 'sk-...' >&2
    return 1
  done <"$work/files"
  while IFS='|' read -r _ _ _ path _ _; do
    target=$(target_of "$path")
    if ! replace "$work/$(printf '%s' "$path" | tr '/' '_')" "$target"; then
      warn "$target could not be written."
      return 1
    fi
    say "Wrote $target"
  done <"$work/files"
  # At its end, read has emptied these.
  dialect=$(head -n 1 "$work/files" | cut -d'|' -f2)
  command=$(head -n 1 "$work/files" | cut -d'|' -f3)
  command -v "$command" >/dev/null 2>&1 || say "$command is not installed yet."
}

main() {
  chosen=
  model=${GATEWAY_MODEL:-}
  asks=
  tests=1
  while [ $# -gt 0 ]; do
    case $1 in
      --undo)
        undo
        return 0
        ;;
      --help | -h)
        usage
        return 0
        ;;
      --model)
        [ $# -gt 1 ] || fail "--model needs a name."
        model=$2
        shift
        ;;
      --ask-key) asks=1 ;;
      --no-test) tests= ;;
      -*) fail "Unknown option $1. --help lists the options." ;;
      *)
        clients | grep -qx -- "$1" || fail "Unknown client $1. Known: $(clients | tr '\n' ' ')"
        chosen="$chosen $1"
        ;;
    esac
    shift
  done
  command -v curl >/dev/null 2>&1 || fail "curl is needed."
  if [ -z "$chosen" ]; then
    for client in $(clients); do
      command=$(files | grep "^$client|" | head -n 1 | cut -d'|' -f3)
      if command -v "$command" >/dev/null 2>&1; then chosen="$chosen $client"; fi
    done
    [ -n "$chosen" ] || fail "No known client is installed. Name one of: $(clients | tr '\n' ' ')"
  fi
  work=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  key=${GATEWAY_API_KEY:-}
  if [ -z "$key" ]; then
    if [ -n "$asks" ]; then ask_key; else sign_in; fi
  fi
  case $key in
    '' | *[!A-Za-z0-9._-]*) fail "That is not a key of this gateway." ;;
  esac
  [ -n "$model" ] || choose_model
  case $model in
    '' | *[!A-Za-z0-9._:/@+-]*)
      fail "This model has no name that the installer can write. $address/connect shows the settings."
      ;;
  esac
  find_window
  find_background
  mkdir -p "$state"
  merge_program >"$work/merge.cjs"
  failed=
  for client in $chosen; do
    if ! connect "$client"; then
      failed=1
      continue
    fi
    [ -n "$tests" ] || continue
    if test_call "$dialect"; then
      say "$client: connected. A call with $model was answered."
    else
      failed=1
      warn "$client: the call with $model failed ($status): $(message_of)"
    fi
  done
  if [ -s "$manifest" ]; then say "To restore the old settings: curl -fsSL $address/install.sh | sh -s -- --undo"; fi
  [ -z "$failed" ]
}

main "$@"
