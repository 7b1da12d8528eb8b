import { TransportError, type UpstreamResponse } from "#platform/http.ts";

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
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* begun;
      if (!ended) yield* source;
    } finally {
      await source.return();
    }
  }
  const rewound: UpstreamResponse = {
    status: response.status,
    headers: response.headers,
    cancel: () => response.cancel(),
    chunks,
    async text(maxBytes) {
      const parts: Buffer[] = [];
      let size = 0;
      for await (const chunk of chunks()) {
        size += chunk.length;
        if (size > maxBytes)
          throw new TransportError("network", `The answer is larger than ${maxBytes} bytes.`);
        parts.push(chunk);
      }
      return Buffer.concat(parts).toString("utf8");
    },
  };
  return { response: rewound, isEvents: isEvents(text) };
}
