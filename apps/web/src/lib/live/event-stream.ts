/** Reads server-sent events with fetch, because EventSource cannot send headers. */
import { ApiError, apiUrl, failureOf, apiVersionHeader } from "#lib/http.ts";

/**
 * Calls back with the JSON of each event and resolves at the end of the stream. Throws ApiError when the
 * server rejects the request, and the abort error when `signal` aborts it.
 * @param path without /api
 * @param body sent by POST; the request is a GET without it
 */
export async function readEvents(
  path: string,
  { body, signal }: { body?: unknown; signal: AbortSignal },
  onEvent: (data: unknown) => void,
): Promise<void> {
  const response = await fetch(apiUrl(path), {
    method: body === undefined ? "GET" : "POST",
    headers: { ...apiVersionHeader, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? null : JSON.stringify(body),
    credentials: "same-origin",
    signal,
  });
  if (!response.ok || response.body === null) {
    throw new ApiError(response.status, failureOf(await response.json().catch(() => null)));
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const blocks = (rest + piece.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) if (block.startsWith("data: ")) onEvent(JSON.parse(block.slice(6)));
  }
}
