/** The description of the management API, and requests to it as a script would send them. */
import { queryOptions } from "@tanstack/react-query";
import { apiUrl, apiVersionHeader } from "#lib/http.ts";
import type { ApiDocument } from "./document.ts";

const timeoutMs = 30_000;
/** Characters of a response that are shown. */
const mostShown = 200_000;

export const apiDocumentQuery = queryOptions({
  queryKey: ["api-document"],
  queryFn: async () => {
    const response = await fetch(apiUrl("/openapi.json"), { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as ApiDocument;
  },
  staleTime: Infinity,
});

export type Reply = {
  status: number;
  durationMs: number;
  /** JSON is formatted. */
  text: string;
  isCut: boolean;
};

/**
 * Sends a request with the session of this browser.
 * @param address path and query, as `/api/…`
 * @param body JSON
 */
export async function sendRequest(method: string, address: string, body: string | undefined): Promise<Reply> {
  const started = performance.now();
  const response = await fetch(apiUrl(address.slice("/api".length)), {
    method,
    headers: { ...apiVersionHeader, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body ?? null,
    credentials: "same-origin",
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = formatJson(await response.text());
  return {
    status: response.status,
    durationMs: performance.now() - started,
    text: text.slice(0, mostShown),
    isCut: text.length > mostShown,
  };
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
