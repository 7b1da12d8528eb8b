import { setImmediate as nextTurn } from "node:timers/promises";
import { createRepairingDecoder } from "#dialects/answer-repair.ts";
import { isWrapped, withoutObject } from "#dialects/answer-schema.ts";
import type {
  AnswerRepair,
  CharacterCount,
  StreamDecoder,
  Upstream,
  UpstreamDialect,
} from "#dialects/dialect.ts";
import type { ChatResponse, UpstreamError, Usage } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { withOrigin } from "#dialects/reasoning/proof.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { createFrameSplitter, type RawFrame } from "#dialects/stream/sse.ts";
import { ownNamesOf, toolNames, withOwnNames } from "#dialects/tools/tool-names.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { billedUsage } from "#dialects/usage/service-tier.ts";
import { emptyTally, needsCount } from "#dialects/usage/tally.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";
import { GatewayError } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import { tallyResponse } from "#relay/core/billing/tally-text.ts";
import type { MemoryShare, RoutedCall } from "#relay/core/call.ts";
import { isLong, parseInPieces, stringifyInPieces } from "#relay/core/response/long-json.ts";
import {
  beginOf,
  emptyResponseError,
  isCut,
  isEvents,
  UNCOUNTED_BYTES,
  unreadableError,
  wholeText,
} from "#relay/core/response/whole-text.ts";
import type { ChatCall } from "./chat-call.ts";
import { type FrameHandler, FrameReader } from "./frame-reader.ts";

/** A complete response: read, metered, and encoded for the client. */
export interface ReadBody {
  body: string;
  usage: Usage | undefined;
  tally: CharacterCount;
  /** Our own count, where it is of more than the text for the client. */
  counted?: Usage;
}

/** Responses may contain images and audio as base64. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

type ReadCall = Pick<ChatCall, "client" | "request"> &
  Partial<Pick<ChatCall, "memory" | "finished" | "rewritten">>;

export interface ChatResponseSource {
  response: UpstreamResponse;
  upstream: Upstream;
  repair?: AnswerRepair | undefined;
  /** Origin of the proofs of thinking in the response. */
  origin?: string | undefined;
}

type BodyResult =
  | ReadBody
  | { large: UpstreamResponse; upstream: UpstreamDialect }
  | { error: UpstreamError };

/** Reads a response. Returns a large one that may pass unchanged as the response itself. */
export async function readBody(call: ReadCall, came: ChatResponseSource): Promise<BodyResult> {
  const { response, upstream } = came;
  const { memory } = call;
  if (isEventStream(response)) return encodeWholeResponse(call, came, await collect(came, memory));
  let text: string;
  if (upstream.id !== "own" && upstream.id === call.client.id && mayPass(call)) {
    const begun = await beginOf(response, memory);
    if ("text" in begun) text = begun.text;
    else if (isObject(begun.head)) return { large: begun.response, upstream };
    else text = await wholeText(begun.response, MAX_BODY_BYTES, memory);
  } else text = await wholeText(response, MAX_BODY_BYTES, memory);
  if (isEvents(text)) return encodeWholeResponse(call, came, collectText(came, text));
  return readText(call, came, text);
}

type ReadText = ReadBody | { error: UpstreamError };

async function readText(call: ReadCall, came: ChatResponseSource, text: string): Promise<ReadText> {
  const { response, upstream } = came;
  if (upstream.id !== "own" && upstream.id === call.client.id) {
    // Passes unchanged; a scan finds the usage. A response that is not JSON, or of which the end is missing,
    // must not reach a client as a success.
    const body = isObject(text) && !isCut(text) ? repairText(text, came.repair) : undefined;
    if (body === undefined) return { error: unreadableError(response.status) };
    const { usage, tally } = upstream.skimResponse(body);
    const passed = withoutNegativeCounts(body);
    if (usage !== undefined || !isSilent(tally)) return { body: passed, usage, tally };
    // Neither usage nor text: only a refusal, a call without arguments or media count as a response.
    const answer = understand(came, text);
    return "error" in answer ? answer : { body: passed, usage: usageOfAnswer(answer), tally };
  }
  return isLong(text) ? readLong(call, came, text) : encodeWholeResponse(call, came, understand(came, text));
}

/** Does the same for a response that takes long to parse and to write: other requests are served in between. */
async function readLong(call: ReadCall, came: ChatResponseSource, text: string): Promise<ReadText> {
  await nextTurn();
  const parsed = await parseInPieces(text, came.upstream.read ?? parseJson);
  if (parsed === undefined) return { error: unreadableError(came.response.status) };
  const answer = understand(came, text, parsed);
  await nextTurn();
  return encodeWholeResponse(call, came, answer, stringifyInPieces);
}

/**
 * Whether a large response may pass unchanged. One that this gateway stores, or whose names it restores, is needed whole.
 * A provider's deviations from the dialect are repaired in responses that are read whole anyway: a large one would have to
 * be held in memory for them.
 */
function mayPass({ finished, rewritten }: ReadCall): boolean {
  return finished === undefined && rewritten !== true;
}

function isObject(text: string): boolean {
  return text.trimStart().startsWith("{");
}

/**
 * Returns the response without its provider's deviations from the dialect; the same text where there are
 * none, and undefined for a text that is not JSON.
 */
function repairText(text: string, repair: AnswerRepair | undefined): string | undefined {
  if (repair === undefined) return text;
  const body = parseRecord(text);
  if (body === undefined) return undefined;
  const next = repair.whole(body);
  return next === body ? text : JSON.stringify(next);
}

/** Reads a complete response that is needed in another format than its own. It may be a stream. */
export async function readAnswer(
  came: ChatResponseSource,
  memory: MemoryShare | undefined,
): Promise<ChatResponse | { error: UpstreamError }> {
  if (isEventStream(came.response)) return collect(came, memory);
  const text = await wholeText(came.response, MAX_BODY_BYTES, memory);
  return isEvents(text) ? collectText(came, text) : understand(came, text);
}

function isEventStream({ headers }: UpstreamResponse): boolean {
  return String(headers["content-type"] ?? "").startsWith("text/event-stream");
}

/** Encodes a response for the client, with its usage. */
export async function encodeWholeResponse(
  call: Pick<ChatCall, "client" | "request">,
  { upstream: { id: upstream }, origin }: ChatResponseSource,
  answer: ChatResponse | { error: UpstreamError },
  write = async (value: unknown) => JSON.stringify(value),
): Promise<ReadText> {
  if ("error" in answer) return answer;
  const names = toolNames(call.request, upstream);
  const plain = isWrapped(call.request, upstream) ? withoutObject(answer) : answer;
  const named = names === undefined ? plain : withOwnNames(plain, ownNamesOf(names));
  const usage = usageOfAnswer(answer);
  const tally = needsCount(usage) ? tallyResponse(answer) : emptyTally();
  const body = await write(call.client.encodeResponse(withOrigin(named, origin), call.request));
  return { body, usage, tally };
}

function understand(
  came: ChatResponseSource,
  text: string,
  read: unknown = (came.upstream.read ?? parseJson)(text),
): ChatResponse | { error: UpstreamError } {
  const { response, upstream } = came;
  const parsed = repairedAnswer(read, came.repair);
  if (parsed === undefined) return { error: unreadableError(response.status) };
  const decoded = decode(upstream, parsed);
  if (decoded === undefined)
    return { error: errorInside(came, text, bareError) ?? unreadableError(response.status) };
  if (saysNothing(decoded)) return { error: errorInside(came, text) ?? emptyResponseError(response.status) };
  return failureOf(decoded) ?? decoded;
}

function repairedAnswer(answer: unknown, repair: AnswerRepair | undefined): unknown {
  const body = repair === undefined ? undefined : asRecord(answer);
  return body === undefined ? answer : repair?.whole(body);
}

function isRefused({ choices }: ChatResponse): boolean {
  return choices.some(({ finish }) => finish === "content-filter" || finish === "refusal");
}

function saysNothing(answer: ChatResponse): boolean {
  const isEmpty = answer.choices.every((choice) => choice.parts.length === 0);
  const isCutOff = answer.choices.some(({ finish }) => finish === "length");
  return answer.usage === undefined && isEmpty && !isRefused(answer) && !isCutOff;
}

/** Returns the billed usage. A refusal without usage costs nothing. */
function usageOfAnswer(answer: ChatResponse): Usage | undefined {
  const isFree = answer.usage === undefined && isRefused(answer);
  const isEmpty = answer.choices.every((choice) => choice.parts.length === 0);
  return isFree && isEmpty ? { input: 0, output: 0 } : billedUsage(answer);
}

/**
 * Returns an error for a model that could not finish. Only the provider's own dialect has a finish reason for
 * that.
 */
function failureOf({ choices }: ChatResponse): { error: UpstreamError } | undefined {
  const [first] = choices;
  return first !== undefined && choices.every(({ finish }) => finish === "error")
    ? { error: interruptedError(first.finishRaw) }
    : undefined;
}

/** @param raw the provider's own finish reason */
export function interruptedError(raw: string | undefined): UpstreamError {
  const reason = raw === undefined ? "" : ` (${raw})`;
  return { kind: "server", message: `The model could not finish its answer${reason}.`, status: 200 };
}

/** Collects a stream that was not requested: some providers always stream. */
function collect(
  came: ChatResponseSource,
  memory: MemoryShare | undefined,
): Promise<ChatResponse | { error: UpstreamError }> {
  return new Promise((resolve, reject) => {
    const collected = new CollectedStream(came);
    let counted = 0;
    const handler: FrameHandler = {
      frames(frames) {
        collected.add(frames);
        if (collected.size > MAX_BODY_BYTES)
          throw new TransportError("network", `The response is larger than ${MAX_BODY_BYTES} bytes.`);
        const { error } = collected;
        if (error !== undefined) {
          reader.close();
          return resolve({ error });
        }
        const more = collected.size - counted;
        if (memory === undefined || more <= UNCOUNTED_BYTES) return;
        counted = collected.size;
        reader.pause();
        memory.add(more).then(
          () => reader.resume(),
          (error: unknown) => {
            reader.close();
            reject(error);
          },
        );
      },
      end: () => resolve(collected.answer()),
      fail: reject,
      isComplete: () => collected.isComplete,
    };
    const reader = FrameReader.open(came.response, handler, memory);
  });
}

function collectText(came: ChatResponseSource, text: string): ChatResponse | { error: UpstreamError } {
  const splitter = createFrameSplitter();
  const collected = new CollectedStream(came);
  collected.add(splitter.push(Buffer.from(text)));
  collected.add(splitter.flush());
  return collected.answer();
}

class CollectedStream {
  readonly #came: ChatResponseSource;
  readonly #decoder: StreamDecoder;
  readonly #collector = createCollector();
  isComplete = false;
  /** Characters. */
  size = 0;

  constructor(came: ChatResponseSource) {
    this.#came = came;
    this.#decoder = createRepairingDecoder(came.upstream.decodeStream(), came.repair);
  }

  /** The error that the stream ended with. */
  get error(): UpstreamError | undefined {
    const { answer } = this.#collector;
    return answer !== undefined && "error" in answer ? answer.error : undefined;
  }

  add(frames: readonly RawFrame[]): void {
    for (const { frame, raw } of frames) {
      this.size += raw.length;
      this.isComplete ||= this.#came.upstream.isLast(frame);
      for (const event of this.#decoder.frame(frame)) this.#collector.add(event);
    }
  }

  answer(): ChatResponse | { error: UpstreamError } {
    if (this.error === undefined) for (const event of this.#decoder.end()) this.#collector.add(event);
    const { answer } = this.#collector;
    if (answer === undefined) return { error: unreadableError(this.#came.response.status) };
    if ("error" in answer) return answer;
    return saysNothing(answer)
      ? { error: emptyResponseError(this.#came.response.status) }
      : (failureOf(answer) ?? answer);
  }
}

/** Returns undefined for JSON that is no response of this dialect; another channel may return one. */
function decode(upstream: Upstream, parsed: unknown): ChatResponse | undefined {
  try {
    return upstream.decodeResponse(parsed);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function isSilent(tally: CharacterCount): boolean {
  return tally.narrow === 0 && tally.wide === 0;
}

const namedError = /"(?:error|base_resp|code)"/;
/** A body that is no response at all may contain only a message of the provider. */
const bareError = /"(?:error|base_resp|code|message|detail)"/;

/**
 * Returns the error in a response with status 200, which some providers send; undefined when there is none.
 */
function errorInside(
  { upstream, response }: ChatResponseSource,
  text: string,
  sign = namedError,
): UpstreamError | undefined {
  if (!sign.test(text)) return undefined;
  const error = upstream.decodeError(response.status, text, response.headers);
  return error.kind === "bad-request" ? { ...error, status: 400 } : error;
}

/** Calls `finished`. The response is already paid for, so an error must not withhold it from the client. */
export async function finish(
  { planned, target }: RoutedCall<ChatCall>,
  bill: CallBill,
  end: string,
): Promise<void> {
  try {
    await planned.received.finished?.(end, target);
  } catch (error) {
    bill.report(error);
  }
}
