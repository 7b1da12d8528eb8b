import type { Wire } from "#dialects/dialect.ts";
import { storable } from "#dialects/storable.ts";
import { parseRecord } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { BODY_LIMIT, bodyTooLarge, type JsonBody, readJson } from "#gateway/body/json-body.ts";
import { readings } from "#gateway/body/readings.ts";
import {
  asItems,
  hasEncryptedContent,
  storedItem,
  repeatable,
} from "#gateway/conversation/conversation-items.ts";
import { responseIn } from "#gateway/conversation/conversation.ts";
import type { PricedTarget } from "#relay/core/call.ts";
import type { ContinuedResponse } from "#relay/core/upstream/response-sockets.ts";
import type { History, HistoryEntry } from "./history.ts";

/** An event of the connection, converted to the body of the equivalent HTTP request. Pure. */
export interface Create {
  json: JsonBody;
  /** The client's own input, as a part for the history. */
  input: string;
  /** The response of this connection that is continued. */
  previous: { id: string; kept: HistoryEntry } | undefined;
  /** The input compared with that of the continued response; undefined without one. */
  continued: ContinuedResponse | undefined;
  /** If false, nothing is generated; the input is kept for the next response. */
  generates: boolean;
}

const reading = readings["openai-responses"];
/** Events about a completed response, which have no effect here. */
const ignored: ReadonlySet<unknown> = new Set(["response.processed"]);

/** Returns whether a short event has no effect. */
export function isIgnoredEvent(data: Buffer): boolean {
  return ignored.has(parseRecord(data.toString("utf8"))?.["type"]);
}

/** Throws `invalid_request`, also for an event without an effect that is too long to be one. */
export function readEvent(data: Buffer, history: History): Create {
  const { body } = readJson(data, reading);
  const { type, generate, event_id: _event, stream: _stream, background, ...rest } = body;
  if (type !== "response.create") throw unknownEvent(type);
  const foreign = background === true ? "background" : rest["stream_id"] == null ? undefined : "stream_id";
  if (foreign !== undefined) throw invalidRequest({ reason: "socket_field", field: foreign });
  const { previous_response_id: id, input: given, ...fields } = rest;
  const items = asItems(given);
  const input = Array.isArray(items) ? JSON.stringify(items).slice(1, -1) : undefined;
  const found = typeof id === "string" ? history.find(id) : undefined;
  const head: Wire = { ...fields, stream: true };
  if (found === undefined && id !== undefined) head["previous_response_id"] = id;
  // An input that is not a list is rejected by the normal validation.
  const whole = input === undefined ? JSON.stringify(given) : `[${join([...(found?.parts ?? []), input])}]`;
  const raw = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"input":${whole}}`);
  if (raw.length > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
  const json = readJson(raw, reading);
  const all = json.body["input"];
  return {
    json,
    input: input ?? "",
    continued:
      typeof id === "string" && found !== undefined && Array.isArray(all) && Array.isArray(items)
        ? { id, items: all.length, newItems: items.length }
        : undefined,
    previous: typeof id === "string" && found !== undefined ? { id, kept: found } : undefined,
    generates: generate !== false,
  };
}

function unknownEvent(type: unknown) {
  const event = typeof type === "string" ? type.slice(0, 100) : "";
  return invalidRequest({ reason: "socket_event_unknown", event }, { param: "type" });
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(",");
}

/** Returns a stream's completed response as the history keeps it. */
export function toHistoryEntry(
  { input, previous, json }: Create,
  end: string,
  chosen: PricedTarget,
): { id: string; kept: HistoryEntry } | undefined {
  const response = storable(responseIn(end));
  const id = response?.["id"];
  if (typeof id !== "string") return undefined;
  const output = response?.["output"];
  const items = Array.isArray(output) ? (output as Wire[]).map(storedItem) : [];
  const written = JSON.stringify(repeatable(items)).slice(1, -1);
  const parts = [...(previous?.kept.parts ?? []), input, written].filter((part) => part !== "");
  const home =
    hasEncryptedContent(items) || previous?.kept.home !== undefined
      ? { channel: chosen.channel.id, key: chosen.key?.id }
      : undefined;
  return { id, kept: { parts, model: String(json.body["model"]), home } };
}

/** Returns the input of an event that generates no response, for the history. */
export function toWarmUpEntry({ input, previous, json }: Create): HistoryEntry {
  const parts = [...(previous?.kept.parts ?? []), input].filter((part) => part !== "");
  return { parts, model: String(json.body["model"]), home: previous?.kept.home };
}
