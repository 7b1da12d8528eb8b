import { describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import type { Dialect, Frame } from "./dialect.ts";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest, DialectId } from "./ir.ts";
import { createFrameSplitter } from "./stream/sse.ts";

/**
 * Every JavaScript object inherits names such as `constructor`. The tests put one in place of each text of a request, a
 * response, a stream and an error, and compare the effect with that of a name that is not inherited.
 */
const inherited = "constructor";
/** A name that no table contains, of the same length. */
const unknown = "constructoz";

const files = import.meta.glob("./*/fixtures/*", { query: "?raw", import: "default", eager: true });
const ids = Object.keys(dialects) as DialectId[];
const plain: ChatRequest = { model: "m", stream: true, messages: [] };

/** Returns what a function returned or the error it threw for a client, as text. */
function outcome(run: () => unknown): string {
  let result: unknown;
  try {
    result = run();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    result = { code: error.code, params: error.params, message: error.message };
  }
  return (
    JSON.stringify(result, (_, value: unknown) =>
      typeof value === "function" ? `function ${value.name}` : value,
    ) ?? "undefined"
  );
}

/** Fields whose text is carried in an encoded form, so that another text never gives a comparable result. */
const encoded =
  /^(signature|thoughtSignature|thought_signature|encrypted_content|encrypted|id|item_id|data)$/;

/** Returns copies of a value, each with another text replaced. */
function variants(value: unknown, name: string, field = ""): unknown[] {
  if (encoded.test(field)) return [];
  if (typeof value === "string") return [name];
  if (typeof value !== "object" || value === null) return [];
  const copies: unknown[] = [];
  for (const [key, part] of Object.entries(value))
    for (const other of variants(part, name, key))
      copies.push(Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other });
  return copies;
}

/** Whether both names lead to the same result for every text of a JSON document. */
function compare(text: string, read: (body: unknown) => unknown): void {
  const value: unknown = JSON.parse(text);
  const others = variants(value, unknown);
  for (const [index, body] of variants(value, inherited).entries()) {
    const expected = outcome(() => read(others[index])).replaceAll(unknown, inherited);
    expect(
      outcome(() => read(body)),
      JSON.stringify(body).slice(0, 2_000),
    ).toBe(expected);
  }
}

function framesOf(text: string): Frame[] {
  const splitter = createFrameSplitter();
  return [...splitter.push(new TextEncoder().encode(text)), ...splitter.flush()].map(({ frame }) => frame);
}

/** Returns a stream in every dialect, with its usage and what the meter of unchanged streams read. */
function everyStream(dialect: Dialect, frames: Frame[]): unknown {
  const decoder = dialect.decodeStream();
  const events: ChatEvent[] = [...frames.flatMap((frame) => decoder.frame(frame)), ...decoder.end()];
  const skimmer = dialect.skim();
  for (const frame of frames) skimmer.frame(frame);
  const texts = ids.map((id) => {
    const encode = dialects[id].encodeStream(plain);
    return events.map((event) => withoutTimes(encode(event).text));
  });
  return { events, texts, usage: skimmer.usage, tally: skimmer.tally, error: skimmer.error };
}

/** Removes random ids and the time of encoding. */
const withoutTimes = (text: string) =>
  text
    .replaceAll(/"(created|created_at|completed_at)":\d+(\.\d+)?/g, '"$1":0')
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g, "")
    .replaceAll(/"createTime":"[^"]+"/g, '"createTime":""')
    .replaceAll(/\b(chatcmpl|resp|msg|rs|fc|call|toolu|srvtoolu|ws|cs|ig)[-_][\w-]{10,}/g, "$1_");

describe.each(Object.entries(files).filter(([path]) => !/README|array\.json$/.test(path)))(
  "%s",
  (path, text) => {
    const [, id, , file = ""] = path.split("/") as [string, DialectId, string, string?];
    const dialect = dialects[id];
    if (file.endsWith(".request.json"))
      it("is decoded and encoded for every provider alike", () => {
        compare(text, (body) => {
          const request = dialect.decodeRequest(body, { model: "m" });
          return ids.map((each) => dialects[each].encodeRequest(request));
        });
      });
    else if (file.endsWith(".error.json"))
      it("is read alike", () => {
        compare(text, (body) => dialect.decodeError(400, JSON.stringify(body), {}));
      });
    else if (file.endsWith(".json"))
      it("is read and encoded for every client alike", () => {
        compare(text, (body) => {
          const response = dialect.decodeResponse(body);
          const texts = ids.map((each) =>
            withoutTimes(JSON.stringify(dialects[each].encodeResponse(response, plain))),
          );
          return { response, texts, skimmed: dialect.skimResponse(JSON.stringify(body)) };
        });
      });
    else if (file.endsWith(".sse"))
      it("is read and encoded for every client alike", () => {
        const frames = framesOf(text);
        for (const [index, frame] of frames.entries()) {
          if (!frame.data.startsWith("{")) continue;
          compare(frame.data, (body) =>
            everyStream(dialect, frames.with(index, { ...frame, data: JSON.stringify(body) })),
          );
        }
      });
  },
);
