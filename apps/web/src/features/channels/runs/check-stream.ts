/** Reads the results of a model check as a stream. */
import type { ModelCheck, ModelCheckEvent } from "@gateway/shared/models/model-check";
import { readEvents } from "#lib/live/event-stream.ts";

/**
 * Resolves when all models are checked or `signal` aborts.
 * Throws ApiError when the server rejects the request.
 */
export async function checkModels(
  id: number,
  models: string[],
  signal: AbortSignal,
  onCheck: (check: ModelCheck) => void,
): Promise<void> {
  const body = { id, models: models.join(",") };
  await readEvents("/sse/channel/check", { body, signal }, (data) => {
    const event = data as ModelCheckEvent;
    if (event.type === "result") onCheck(event.data);
  });
}
