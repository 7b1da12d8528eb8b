import { setTimeout as sleep } from "node:timers/promises";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import type { Call, ChatCall, RelayServices } from "./call.ts";
import type { Flight } from "./flight.ts";
import type { Chosen } from "./plan.ts";
import { failedForClients } from "./scrub.ts";
import { send } from "./send.ts";

/**
 * Responses that a vendor goes on making after it has answered. The hold stays until the answer is there: this node
 * asks for it by the clock, and whoever hears first that it is there, clock or caller, closes the bill. It must not
 * know who asks.
 */

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const DEADLINE_MS = 3_600_000;
const PATIENCE_MS = 30_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** What closes the bill of each response under way in this process, by its id. */
const underWay = new Map<string, (text: string) => Promise<void>>();

/** The vendor's first word. Its answer's bill is closed here when it is whole already, else later. */
export async function takeOn(
  services: RelayServices,
  call: ChatCall,
  chosen: Chosen,
  flight: Flight,
  response: UpstreamResponse,
): Promise<{ body: string } | { error: UpstreamError }> {
  const body = await response.text(MAX_BODY_BYTES);
  const { id } = parseRecord(body) ?? {};
  if (typeof id !== "string")
    return { error: { kind: "server", message: "The upstream's answer could not be read.", status: 200 } };
  flight.firstByteAt ??= now();
  if (hasEnded(body)) await closeBill(flight, body);
  else follow(services, call, chosen, flight, id);
  await call.finished?.(body, chosen);
  return { body: failedForClients(body, chosen) };
}

/** To be told what a vendor said of a response before a caller reads it: with its end the bill is closed first. */
export async function heard(id: string, text: string): Promise<void> {
  if (hasEnded(text)) await underWay.get(id)?.(text);
}

function hasEnded(text: string): boolean {
  const status = parseRecord(text)?.["status"];
  return status !== undefined && status !== "queued" && status !== "in_progress";
}

function follow(services: RelayServices, call: Call, chosen: Chosen, flight: Flight, id: string): void {
  const close = async (text: string) => {
    underWay.delete(id);
    await closeBill(flight, text);
  };
  underWay.set(id, close);
  void askUntilEnded(services, call, chosen, id)
    .then(
      async (text) => {
        if (underWay.has(id)) await close(text);
      },
      async (error: unknown) => {
        underWay.delete(id);
        await flight.fail(error);
        services.onError(error);
      },
    )
    .catch(services.onError);
}

/** The vendor's last word; an empty text when it knows nothing of the response any more. */
async function askUntilEnded(
  services: RelayServices,
  call: Call,
  chosen: Chosen,
  id: string,
): Promise<string> {
  const deadline = now() + DEADLINE_MS;
  let pause = FIRST_PAUSE_MS;
  while (now() < deadline) {
    await sleep(pause, undefined, { ref: false });
    if (!underWay.has(id)) return "";
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    const said = await ask(services, call, chosen, "GET", id);
    if (said?.status === 404) return "";
    if (said?.status === 200 && hasEnded(said.text)) return said.text;
  }
  return (await ask(services, call, chosen, "POST", `${id}/cancel`))?.text ?? "";
}

/** Undefined when the vendor cannot be reached now. */
async function ask(
  services: RelayServices,
  { model }: Call,
  chosen: Chosen,
  method: "GET" | "POST",
  below: string,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await send(services, chosen, {
      method,
      path: `/v1/responses/${below}`,
      model: chosen.upstreamModel || model,
      dialect: "openai-responses",
      headers: { accept: "application/json" },
      body: null,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, text: await response.text(MAX_BODY_BYTES) };
  } catch {
    return undefined;
  }
}

/** Charged by the vendor's usage. Without one: what failed is free; what was given up is charged as if its client had left. */
async function closeBill(flight: Flight, text: string): Promise<void> {
  const { usage, tally } = dialects["openai-responses"].skimResponse(text);
  const status = parseRecord(text)?.["status"];
  if (usage === undefined && status === "failed")
    return flight.fail(new GatewayError("upstream_failed", "The upstream could not complete its answer."));
  const isWhole = usage !== undefined || status === "completed" || status === "incomplete";
  await flight.settle({ outcome: isWhole ? "complete" : "client-left", vendor: usage, delivered: tally });
}
