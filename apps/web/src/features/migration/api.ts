/** Requests of the wizard, which identifies itself with the set-up link, and of the stored reports. */
import type {
  ImportDetail,
  ImportProduct,
  ImportRow,
  ImportRun,
  ImportStart,
} from "@gateway/shared/site/migration";
import { setupTokenHeader } from "@gateway/shared/site/setup-token";
import { queryOptions } from "@tanstack/react-query";
import { loadErrorTexts } from "#lib/errors/late-errors.ts";
import { ApiError, apiUrl, asList, asSent, failureOf, http, apiVersionHeader } from "#lib/http.ts";

const pollMs = 700;
const withLink = (token: string) => ({ [setupTokenHeader]: token });

export const productsQuery = queryOptions({
  queryKey: ["import-products"],
  queryFn: () => http.get("/migration/products", asList<ImportProduct[]>()),
  staleTime: Infinity,
});

/** Follows a run until it has ended. */
export const runQuery = (id: number, token: string) =>
  queryOptions({
    queryKey: ["import-run", id],
    queryFn: () => http.get(`/migration/run/${id}`, asSent<ImportRun>(), {}, withLink(token)),
    refetchInterval: ({ state }) => (state.data === undefined || isActive(state.data) ? pollMs : false),
    meta: { quiet: true },
  });

export function isActive({ status }: Pick<ImportRun, "status">): boolean {
  return status === "running" || status === "waiting";
}

export function startRun(token: string, input: ImportStart): Promise<ImportRun> {
  return http.post("/migration/run", asSent<ImportRun>(), input, withLink(token));
}

export async function cancelRun(token: string, id: number): Promise<void> {
  await http.post(`/migration/run/${id}/cancel`, asSent<null>(), {}, withLink(token));
}

/** Sends the file of a run. `fetch` does not report how much was sent. */
export function sendFile(
  token: string,
  id: number,
  file: File,
  { onSent, signal }: { onSent: (share: number) => void; signal: AbortSignal },
): Promise<void> {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request.open("PUT", apiUrl(`/migration/run/${id}/file`, { name: file.name.slice(0, 200) }));
  for (const [name, value] of Object.entries({
    ...apiVersionHeader,
    ...withLink(token),
    "content-type": "application/octet-stream",
  }))
    request.setRequestHeader(name, value);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => onSent(loaded / Math.max(1, total)));
  request.addEventListener("load", () => {
    if (request.status < 400) return resolve();
    const error = new ApiError(request.status, failureOf(request.response));
    void loadErrorTexts().then(() => reject(error));
  });
  request.addEventListener("error", () => reject(new TypeError("The upload failed.")));
  request.addEventListener("abort", () => reject(new DOMException("Cancelled", "AbortError")));
  signal.addEventListener("abort", () => request.abort());
  request.send(file);
  return promise;
}

export const reportsQuery = queryOptions({
  queryKey: ["imports"],
  queryFn: () => http.get("/migration/report", asList<ImportRow[]>()),
});

export const reportQuery = (id: number) =>
  queryOptions({
    queryKey: ["imports", id],
    queryFn: () => http.get(`/migration/report/${id}`, asSent<ImportDetail>()),
  });
