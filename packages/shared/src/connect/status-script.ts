import type { Connection } from "./connection.ts";
import { shellWord } from "./quoting.ts";

/**
 * Returns a program for sh that prints what the key may still spend: for the status line of an agent, tmux or a prompt. It
 * prints what it knows, asks again after half a minute, and waits for one second at most.
 */
export function statusScript({ baseUrl, key }: Pick<Connection, "baseUrl" | "key">): string {
  return `#!/bin/sh
# Prints what the API key may still spend at the gateway.
address=${shellWord(baseUrl)}
key=${shellWord(key)}
# Another gateway must not receive this key, and this one no other key.
if [ "\${ANTHROPIC_BASE_URL:-$address}" != "$address" ]; then exit 0; fi
if [ -n "\${ANTHROPIC_BASE_URL:-}" ]; then key=\${ANTHROPIC_AUTH_TOKEN:-$key}; fi
umask 077
folder=\${XDG_CACHE_HOME:-$HOME/.cache}/gateway-status
cache=$folder/$(printf '%s %s' "$address" "$key" | cksum | cut -d' ' -f1)
now=$(date +%s)
at=
text=
if [ -f "$cache" ]; then { read -r at; read -r text; } <"$cache"; fi
case $at in '' | *[!0-9]*) at=0 ;; esac
if [ $((now - at)) -ge 30 ]; then
  # The key is in no list of processes.
  fresh=$(printf 'header = "Authorization: Bearer %s"\\n' "$key" |
    curl -sf -K - --max-time 1 "$address/v1/usage" 2>/dev/null |
    sed -n 's/.*"text" *: *"\\([^"]*\\)".*/\\1/p' | tr -cd '[:print:]')
  text=\${fresh:-$text}
  mkdir -p "$folder" && printf '%s\\n%s\\n' "$now" "$text" >"$cache.$$" && mv -f "$cache.$$" "$cache"
fi
printf '%s\\n' "$text"
`;
}
