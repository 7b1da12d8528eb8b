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

/** An event of the connection. Pure. */
export interface Create {
  /** The requested model, as it was sent. */
  model: string;
  /** The client's own input, as a part for the history. */
  input: string;
  /** The response of this connection that is continued. */
  previous: { id: string; kept: HistoryEntry } | undefined;
  /** If false, nothing is generated; the input is kept for the next response. */
  generates: boolean;
  /** Length of the equivalent HTTP request, with the items of the continued response. */
  bytes: number;
  /** Returns this request, for which there must be memory. Throws `invalid_request`. */
  readWhole(): WholeRequest;
}

export interface WholeRequest {
  json: JsonBody;
  /** The input compared with that of the continued response; undefined without one. */
  continued: ContinuedResponse | undefined;
}

const reading = readings["openai-responses"];
/** Events about a completed response, which have no effect here. */
const ignored: ReadonlySet<unknown> = new Set(["response.processed"]);

/** Length of what surrounds the fields and the input of a request. */
const ENVELOPE_BYTES = 16;

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
  const newItems = Array.isArray(items) ? items.length : undefined;
  const start = JSON.stringify(head).slice(0, -1);
  // An input that is not a list is rejected by the normal validation.
  const parts = input === undefined ? [JSON.stringify(given)] : [...(found?.parts ?? []), input];
  const written = parts.filter((part) => part !== "");
  const bytes = [start, ...written].reduce((sum, part) => sum + Buffer.byteLength(part) + 1, ENVELOPE_BYTES);
  if (bytes > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
  return {
    model: String(head["model"]),
    input: input ?? "",
    previous: typeof id === "string" && found !== undefined ? { id, kept: found } : undefined,
    generates: generate !== false,
    bytes,
    readWhole() {
      const whole = newItems === undefined ? written.join(",") : `[${written.join(",")}]`;
      const json = readJson(Buffer.from(`${start},"input":${whole}}`), reading);
      const all = json.body["input"];
      const isContinued = found !== undefined && Array.isArray(all) && newItems !== undefined;
      return {
        json,
        continued: isContinued && typeof id === "string" ? { id, items: all.length, newItems } : undefined,
      };
    },
  };
}

function unknownEvent(type: unknown) {
  const event = typeof type === "string" ? type.slice(0, 100) : "";
  return invalidRequest({ reason: "socket_event_unknown", event }, { param: "type" });
}

/** Returns a stream's completed response as the history keeps it. */
export function toHistoryEntry(
  { input, previous, model }: Create,
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
  return { id, kept: { parts, model, home } };
}

/** Returns the input of an event that generates no response, for the history. */
export function toWarmUpEntry({ input, previous, model }: Create): HistoryEntry {
  const parts = [...(previous?.kept.parts ?? []), input].filter((part) => part !== "");
  return { parts, model, home: previous?.kept.home };
}
