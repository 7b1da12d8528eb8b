/**
 * Repairs responses of providers that deviate from this format, once for the clients of all formats. Repaired are:
 * thinking and texts in a list, calls without index, type or id, arguments as an object, other finish reasons,
 * whole messages or no choices in chunks, a missing or repeated role or finish reason, missing required fields,
 * cached and reasoning tokens in other fields, and usage in several chunks, which clients would add up.
 * Everything else stays unchanged. Pure except for its state.
 */
import type { AnswerRepair, Wire } from "#dialects/dialect.ts";
import { argumentsText, asRecord, parseRecord, readAs } from "#dialects/wire.ts";
import { decodeFinish, encodeFinish, newId, readContent } from "./response.ts";
import { chatContent } from "./schema.ts";
import { decodeUsage } from "./usage.ts";

const reasons = new Set<unknown>(["stop", "length", "tool_calls", "content_filter", "function_call"]);

interface Choice {
  opened: boolean;
  /** The reason that the client has received. */
  finished: unknown;
  /** Calls so far, by the position that the client sees: the provider's own number and id. */
  calls: Array<{ index: unknown; id: string }>;
}

/** Sets fields. Copies only on a change, so that a response without a deviation stays the same object. */
function withFields<T extends Wire>(wire: T, fields: Wire): T {
  const isNew = Object.entries(fields).some(([key, value]) => wire[key] !== value);
  return isNew ? { ...wire, ...fields } : wire;
}

/** Returns the same list when none of its members changed. */
function mapList(list: unknown[], change: (each: unknown, at: number) => unknown): unknown[] {
  const next = list.map(change);
  return next.some((each, at) => each !== list[at]) ? next : list;
}

/** Removes fields that are null, where this format allows only their absence. */
function withoutNulls(wire: Wire, ...names: string[]): Wire {
  if (names.every((name) => wire[name] !== null)) return wire;
  return Object.fromEntries(
    Object.entries(wire).filter(([key, value]) => value !== null || !names.includes(key)),
  );
}

/** Moves thinking and text out of a content that is a list. */
function withText(message: Wire): Wire {
  const content = message["content"];
  if (!Array.isArray(content)) return message;
  const pieces = readContent(readAs(chatContent, content));
  const textOf = (thought: boolean) =>
    pieces.flatMap((piece) => (piece.thought === thought ? [piece.text] : [])).join("");
  const thinking = textOf(true);
  const text = textOf(false);
  const reasoning = thinking === "" ? {} : { reasoning_content: thinking };
  return { ...message, content: text === "" && thinking !== "" ? null : text, ...reasoning };
}

function withFinish(choice: Wire, calls: boolean): Wire {
  const raw = choice["finish_reason"];
  if (raw === null || raw === undefined) return choice;
  if (raw === "") return withFields(choice, { finish_reason: null });
  if (typeof raw !== "string" || (reasons.has(raw) && !(raw === "stop" && calls))) return choice;
  const finish = decodeFinish(raw, calls);
  return finish === "error"
    ? choice
    : withFields(choice, { finish_reason: encodeFinish(finish, false, false) });
}

/** Sets cached tokens, and counts reasoning in the output as this format does. */
function withCounts(answer: Wire): Wire {
  const usage = asRecord(answer["usage"]);
  const counted = usage === undefined ? undefined : decodeUsage(usage);
  if (usage === undefined || counted === undefined) return answer;
  const details = asRecord(usage["prompt_tokens_details"]);
  const cached = details?.["cached_tokens"] === undefined ? counted.cacheRead : undefined;
  const { completion_tokens: written } = usage;
  const next = withFields(usage, {
    ...(cached === undefined ? {} : { prompt_tokens_details: { ...details, cached_tokens: cached } }),
    ...(typeof written === "number" && written < counted.output ? { completion_tokens: counted.output } : {}),
  });
  return withFields(answer, { usage: next });
}

const isError = (body: Wire) => body["error"] !== undefined && body["error"] !== null;

/** Sets the fields that identify a response. @param known the fields of earlier chunks */
function withHead(body: Wire, object: string, known: Wire = {}): Wire {
  return withFields(body, {
    id: body["id"] || known["id"] || newId(),
    object: body["object"] || object,
    created: body["created"] ?? known["created"] ?? seconds(),
  });
}

const seconds = () => Math.floor(Date.now() / 1_000);

function withCall(value: unknown, fields: Wire): unknown {
  const call = asRecord(value);
  const called = asRecord(call?.["function"]);
  if (call === undefined || called === undefined) return value;
  const text = withFields(called, { arguments: argumentsText(called["arguments"]) });
  return withFields(call, { ...fields, function: text });
}

function wholeChoice(value: unknown, at: number, id: string): unknown {
  const choice = asRecord(value);
  if (choice === undefined) return value;
  // A filtered response may have none.
  const message = asRecord(choice["message"]) ?? { content: null };
  let next = withText(message);
  const calls = next["tool_calls"];
  if (Array.isArray(calls)) {
    const whole = mapList(calls, (call, index) => {
      const known = asRecord(call);
      return withCall(call, {
        id: known?.["id"] || `call_${id}_${index}`,
        type: known?.["type"] ?? "function",
      });
    });
    next = withFields(next, { tool_calls: whole });
  }
  next = withoutNulls(
    withFields(next, { role: "assistant", refusal: next["refusal"] ?? null }),
    "tool_calls",
  );
  const index = withFields(choice, {
    index: choice["index"] ?? at,
    message: next,
    logprobs: choice["logprobs"] ?? null,
  });
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const ended = withFinish(index, hasCalls);
  return withFields(ended, { finish_reason: ended["finish_reason"] ?? (hasCalls ? "tool_calls" : "stop") });
}

function repairWhole(body: Wire): Wire {
  const { choices, id } = body;
  if (!Array.isArray(choices)) return body;
  const whole = mapList(choices, (choice, at) => wholeChoice(choice, at, typeof id === "string" ? id : ""));
  return withHead(withCounts(withFields(body, { choices: whole })), "chat.completion");
}

/** Matches a delta that contains only text, as nearly all do; it needs no repair. */
const plainDelta =
  /^(?=.*"index": ?0[,}])(?=.*"finish_reason": ?null)(?=.*"object": ?"chat)(?=.*"id": ?"[^"])/;
const special =
  /"(?:tool_calls|function_call|usage|finish_reason)": ?[^n]|"content": ?\[|"(?:tool_calls|role)": ?(?:null|"")/;

export function repairChat(): AnswerRepair {
  const choices = new Map<number, Choice>();
  let answer: Wire = {};
  /** The latest usage that the client has not received, and whether it has received one. */
  let withheld: unknown;
  let counted = false;
  let isEnded = false;

  function choiceAt(index: number): Choice {
    const known = choices.get(index) ?? { opened: false, finished: null, calls: [] };
    choices.set(index, known);
    return known;
  }

  /**
   * Returns the position of the call that a delta continues, or -1 for a new one. A delta that names a
   * function starts a new call unless its number and id are known.
   */
  function placeOf({ calls }: Choice, number: unknown, id: string | undefined, isNamed: boolean): number {
    const sameId = id === undefined ? -1 : calls.findIndex((call) => call.id === id);
    if (sameId !== -1) return sameId;
    const sameNumber = number === undefined ? -1 : calls.findLastIndex((call) => call.index === number);
    if (isNamed) return id === undefined ? sameNumber : -1;
    return number === undefined ? calls.length - 1 : sameNumber;
  }

  function callDelta(state: Choice, value: unknown): unknown {
    const delta = asRecord(value);
    if (delta === undefined) return value;
    const id = typeof delta["id"] === "string" && delta["id"] !== "" ? delta["id"] : undefined;
    const number = delta["index"] ?? undefined;
    const at = placeOf(state, number, id, !!asRecord(delta["function"])?.["name"]);
    if (at !== -1) return withCall(delta, { index: at });
    const answerId = typeof answer["id"] === "string" ? answer["id"] : "";
    const index = state.calls.length;
    const name = id ?? `call_${answerId}_${index}`;
    state.calls.push({ index: number, id: name });
    return withCall(delta, { index, id: name, type: delta["type"] ?? "function" });
  }

  function chunkChoice(value: unknown, position: number): unknown {
    const choice = asRecord(value);
    if (choice === undefined) return value;
    const index = typeof choice["index"] === "number" ? choice["index"] : position;
    const state = choiceAt(index);
    const { message, ...rest } = choice;
    const isWhole = asRecord(choice["delta"]) === undefined && asRecord(message) !== undefined;
    // A whole message after deltas repeats them.
    const given = isWhole && !state.opened ? message : choice["delta"];
    let delta = withText(asRecord(given) ?? {});
    const calls = delta["tool_calls"];
    if (Array.isArray(calls))
      delta = withFields(delta, { tool_calls: mapList(calls, (call) => callDelta(state, call)) });
    if (!state.opened) delta = withFields(delta, { role: "assistant" });
    else if (delta["role"] === "") delta = withoutNulls({ ...delta, role: null }, "role");
    delta = withoutNulls(delta, "role", "tool_calls");
    state.opened = true;
    const isSame = delta === choice["delta"];
    const next = withFields(isWhole ? rest : choice, {
      index,
      ...(!isSame && { delta }),
      finish_reason: choice["finish_reason"] ?? null,
    });
    const ended = withFinish(next, state.calls.length > 0);
    const reason = ended["finish_reason"];
    if (reason === null || reason === undefined) return ended;
    if (reason === state.finished) return { ...ended, finish_reason: null };
    state.finished = reason;
    return ended;
  }

  /** Returns frames with a finish reason for each choice that ended without one. */
  function missingReasons(): string[] {
    const open = [...choices].filter(([, state]) => state.opened && state.finished === null);
    return open.map(([index, state]) => {
      const reason = state.calls.length > 0 ? "tool_calls" : "stop";
      return JSON.stringify({ ...answer, choices: [{ index, delta: {}, finish_reason: reason }] });
    });
  }

  /**
   * Leaves the usage out of a chunk unless every choice has ended: counts so far would be added up. Counts
   * after the first complete ones are left out, too; some providers end with zeros.
   */
  function withOneUsage(chunk: Wire): Wire {
    const usage = asRecord(chunk["usage"]);
    if (usage === undefined) return chunk;
    const isAtEnd = [...choices.values()].every(({ finished }) => finished !== null);
    const isNothing = !usage["prompt_tokens"] && !usage["completion_tokens"];
    if (isAtEnd && !counted && !isNothing) {
      counted = true;
      withheld = undefined;
      return chunk;
    }
    if (!counted && !isNothing) withheld = usage;
    return { ...chunk, usage: null };
  }

  /** Returns the frame with the usage that the client has not received. */
  function usageLeft(): string[] {
    if (withheld === undefined) return [];
    const usage = withheld;
    withheld = undefined;
    return [JSON.stringify({ ...answer, choices: [], usage })];
  }

  return {
    whole: repairWhole,
    end: () => (isEnded ? [] : usageLeft()),
    usage: () => decodeUsage(withheld),
    frame(data) {
      if (data.trim() === "[DONE]") {
        isEnded = true;
        const left = [...missingReasons(), ...usageLeft()];
        return left.length === 0 ? undefined : [...left, data];
      }
      if (choices.get(0)?.opened === true && plainDelta.test(data) && !special.test(data)) return undefined;
      const chunk = parseRecord(data);
      const listed = chunk?.["choices"] ?? [];
      if (chunk === undefined || isError(chunk) || !Array.isArray(listed)) return undefined;
      const headed = withHead(chunk, "chat.completion.chunk", answer);
      const { id, object, created, model } = headed;
      answer = { id, object, created, model };
      const ended = withFields(headed, { choices: mapList(listed, chunkChoice) });
      const next = withOneUsage(withCounts(ended));
      return next === chunk ? undefined : [JSON.stringify(next)];
    },
  };
}
