/** Reads what the server says while it checks models: one result after the other. */
import { type ModelCheck, ModelCheckEvent } from "@gateway/shared/channels/model-check";
import { readEvents } from "#lib/event-stream.ts";

/** Ends when all are checked or `signal` says so. Throws ApiError when the server refuses. */
export async function checkModels(
  id: number,
  models: string[],
  signal: AbortSignal,
  onCheck: (check: ModelCheck) => void,
): Promise<void> {
  const body = { id, models: models.join(",") };
  await readEvents("/sse/channel/check", { body, signal }, (data) => {
    const event = ModelCheckEvent.parse(data);
    if (event.type === "result") onCheck(event.data);
  });
}
