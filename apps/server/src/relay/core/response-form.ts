import { textOf, type UpstreamResponse } from "#platform/http.ts";

/** Which form a body has whatever its content type says: some proxies send event streams as `application/json`. */

const eventStart = /^\uFEFF?\s*(?:data|event|id|retry|):/;

/** Whether a text is server-sent events. */
export function isEvents(text: string): boolean {
  return eventStart.test(text);
}

/** More than this at the beginning of a body says nothing new about its form. */
const MAX_PEEKED_BYTES = 1024;

/** Reads only as much of the body as its form shows in, and hands out the whole body again. */
export async function peeked(
  response: UpstreamResponse,
): Promise<{ response: UpstreamResponse; isEvents: boolean }> {
  const source = response.chunks();
  const begun: Buffer[] = [];
  let text = "";
  let ended = false;
  while (text.trim().length < "retry:".length && text.length < MAX_PEEKED_BYTES && !ended) {
    const next = await source.next();
    if (next.done) ended = true;
    else {
      begun.push(next.value);
      text += next.value.toString("latin1");
    }
  }
  return { response: rewound(response, begun, ended ? undefined : source), isEvents: isEvents(text) };
}

/** The response as it was before its first chunks were read. @param source gives the rest, if there is more */
export function rewound(
  response: UpstreamResponse,
  begun: Buffer[],
  source: AsyncGenerator<Buffer, void, undefined> | undefined,
): UpstreamResponse {
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    try {
      // Not kept until the rest has come: a slow reader may take long.
      for (let chunk = begun.shift(); chunk !== undefined; chunk = begun.shift()) yield chunk;
      if (source !== undefined) yield* source;
    } finally {
      await source?.return();
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    cancel: () => response.cancel(),
    chunks,
    text: (maxBytes) => textOf(chunks(), maxBytes),
  };
}
