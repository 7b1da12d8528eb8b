/** A stored request as a shell command. Pure. */

/** Quotes any text as one argument of a POSIX shell. */
function quoteArgument(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns a curl command with a variable in place of the key, because the log never contains keys.
 * @param endpoint as in the log: Gemini's names the method, not the model
 */
export function curlOf(call: { server: string; endpoint: string; model: string; body: string }): string {
  const path = call.endpoint.replace("/models/:", () => `/models/${encodeURIComponent(call.model)}:`);
  return [
    `curl ${quoteArgument(call.server + path)}`,
    `  -H "Authorization: Bearer $API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoteArgument(call.body)}`,
  ].join(" \\\n");
}
