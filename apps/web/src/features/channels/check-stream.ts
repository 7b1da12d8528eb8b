import { Failure } from "@gateway/shared/envelope";
/** Reads what the server says while it checks models: one result after the other. */
import { type ModelCheck, ModelCheckEvent } from "@gateway/shared/model-check";
import { ApiError, apiUrl } from "#lib/http.ts";

/** Ends when all are checked or `signal` says so. Throws ApiError when the server refuses. */
export async function checkModels(
  id: number,
  models: string[],
  signal: AbortSignal,
  onCheck: (check: ModelCheck) => void,
): Promise<void> {
  const response = await fetch(apiUrl("/sse/channel/check"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, models: models.join(",") }),
    credentials: "same-origin",
    signal,
  });
  if (!response.ok || response.body === null) {
    const failure = Failure.partial().safeParse(await response.json().catch(() => null));
    throw new ApiError(response.status, failure.success ? failure.data : {});
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const blocks = (rest + piece.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (!block.startsWith("data: ")) continue;
      const event = ModelCheckEvent.parse(JSON.parse(block.slice(6)));
      if (event.type === "result") onCheck(event.data);
    }
  }
}
