/** A stored request as a command. Pure. */

/** One argument for a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * With a variable in the place of the key: no key is ever in a call's log.
 *
 * @param endpoint as in the log: Gemini's names the method, not the model
 */
export function curlOf(call: { server: string; endpoint: string; model: string; body: string }): string {
  const path = call.endpoint.replace("/models/:", () => `/models/${encodeURIComponent(call.model)}:`);
  return [
    `curl ${quoted(call.server + path)}`,
    `  -H "Authorization: Bearer $API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(call.body)}`,
  ].join(" \\\n");
}
