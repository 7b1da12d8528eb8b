import { isWrapped, openUnwrapping } from "#dialects/answer-schema.ts";
import type {
  AnswerRepair,
  Dialect,
  Frame,
  StreamDecoder,
  CharacterCount,
  Upstream,
} from "#dialects/dialect.ts";
import type { ChatEvent, UpstreamError, Usage } from "#dialects/ir.ts";
import { eventWithOrigin } from "#dialects/reasoning/proof.ts";
import { formatFrame, type RawFrame } from "#dialects/stream/sse.ts";
import { ownNamesOf, toolNames, withOwnName } from "#dialects/tools/tool-names.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { billedUsage } from "#dialects/usage/service-tier.ts";
import { tallyEvent } from "#relay/core/billing/tally-text.ts";
import { excessOf } from "#relay/core/routing/excess.ts";
import { interruptedError } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";

/**
 * What a streamed response contains. One without content and usage costs nothing. "cut" is a response that
 * reached its length limit without content, for example within hidden thinking.
 */
type OutputKind = "nothing" | "refusal" | "cut" | "something";

/** Connects the upstream's frames to the client: unchanged or translated, always metered. */
export interface Pipe {
  /** Returns the text to send now. The end of the response is kept back. */
  frame(raw: RawFrame): string;
  /** Called when the upstream's body ended. Returns the text to send. */
  end(): string;
  /** Returns the text that was kept back. */
  pending(): string;
  complete(): boolean;
  /** Error that broke the connection, if any. */
  broken?: unknown;
  /** Whether the upstream has sent a frame after which a client may consider the response complete. */
  closing(): boolean;
  usage(): Usage | undefined;
  /** Returns our own count, where it is of more than the text for the client. */
  counted?(): Usage;
  readonly tally: CharacterCount;
  /** Returns the kind of output so far. */
  output(): OutputKind;
  error(): UpstreamError | undefined;
}

/** Connects two sides of the same dialect: the text passes unchanged, and a skimmer meters it. */
export function passingPipe(call: ChatCall, upstream: Dialect, repair: AnswerRepair | undefined): Pipe {
  const skimmer = upstream.skim();
  const excess = excessOf(call);
  const listener = openFrameListener(upstream, () => skimmer.tally);
  let pending = "";
  /** The last frame passed unchanged, so frames that differ only in their text do too. */
  let isPlain = false;

  function pass({ frame, raw: came }: RawFrame): string {
    skimmer.frame(frame);
    listener.frame(frame);
    if (skimmer.error !== undefined || upstream.dropFrame?.(frame, call.request) === true) return "";
    const trimmed = upstream.trimFrame === undefined ? came : upstream.trimFrame(came, call.request);
    const raw = withoutNegativeCounts(trimmed);
    if (pending === "" && !upstream.isLast(frame)) {
      isPlain = raw === came;
      return raw;
    }
    pending += raw;
    return "";
  }

  /** Passes the frames that replace another one, or that were missing. */
  function passAll(event: string | undefined, frames: readonly string[]): string {
    let text = "";
    for (const data of frames) text += pass({ frame: { event, data }, raw: formatFrame({ event, data }) });
    isPlain = false;
    return text;
  }

  return {
    frame(whole) {
      if (isPlain && skimmer.repeats?.(whole.frame) === true) {
        listener.frame(whole.frame);
        return whole.raw;
      }
      isPlain = false;
      const repaired = repair?.frame(whole.frame.data);
      if (repaired === undefined) return pass(whole);
      return passAll(whole.frame.event, repaired);
    },
    end: () => (repair === undefined ? "" : passAll(undefined, repair.end())),
    pending() {
      return pending;
    },
    complete() {
      return skimmer.complete;
    },
    closing() {
      return skimmer.complete;
    },
    usage() {
      return skimmer.usage ?? repair?.usage();
    },
    tally: skimmer.tally,
    output: () => listener.output(),
    error() {
      return skimmer.error ?? excess(skimmer.tally);
    },
  };
}

/** Connects two dialects: decodes frames to events, and encodes them as the client's frames. */
export function translatingPipe(
  call: ChatCall,
  { upstream, origin }: { upstream: Upstream; origin?: string | undefined },
  decoder: StreamDecoder,
): Pipe {
  const encode = call.client.encodeStream(call.request);
  const excess = excessOf(call);
  const names = toolNames(call.request, upstream.id);
  const own = names && ownNamesOf(names);
  const unwrap = isWrapped(call.request, upstream.id) ? openUnwrapping() : undefined;
  const tally: CharacterCount = { narrow: 0, wide: 0 };
  const listener = openListener();
  let pending = "";
  let complete = false;
  let closing = false;
  let usage: Usage | undefined;
  let error: UpstreamError | undefined;

  function take(events: ReturnType<typeof decoder.frame>): string {
    let text = "";
    for (const event of unwrap === undefined ? events : events.flatMap(unwrap)) {
      if (event.type === "error") {
        error = event.error;
        return text;
      }
      if (event.type === "stop" && event.reason === "error") {
        error = interruptedError(event.raw);
        return text;
      }
      if (event.type === "finish") {
        usage = billedUsage(event);
        complete = true;
      }
      tallyEvent(tally, event);
      listener.event(event);
      const proven = eventWithOrigin(event, origin);
      const encoded = encode(own === undefined ? proven : withOwnName(proven, own));
      if (encoded.last || pending !== "") pending += encoded.text;
      else text += encoded.text;
    }
    return text;
  }

  return {
    frame({ frame }: { frame: Frame }) {
      closing ||= upstream.isLast(frame);
      return take(decoder.frame(frame));
    },
    end: () => take(decoder.end()),
    pending() {
      return pending;
    },
    complete() {
      return complete;
    },
    closing() {
      return closing;
    },
    usage() {
      return usage;
    },
    tally,
    output: () => listener.output,
    error() {
      return error ?? excess(tally);
    },
  };
}

/** Tracks the kind of output over the events of a response. */
function openListener(): { event(event: ChatEvent): void; readonly output: OutputKind } {
  let output: OutputKind = "nothing";
  return {
    event(event) {
      if (event.type === "start" || event.type === "finish" || event.type === "error") return;
      if (event.type !== "stop") output = "something";
      else if (output === "nothing" && event.reason === "length") output = "cut";
      else if (output === "nothing" && (event.reason === "content-filter" || event.reason === "refusal"))
        output = "refusal";
    },
    get output() {
      return output;
    },
  };
}

/** Maximum characters of frames without text that are kept. */
const MOST_KEPT = 64 * 1024;

/**
 * Like `openListener`, for frames that are not decoded. Keeps the frames before the first text, and decodes
 * them only in `output()`.
 */
function openFrameListener(
  upstream: Dialect,
  tally: () => CharacterCount,
): { frame(frame: Frame): void; output(): OutputKind } {
  let kept: Frame[] | undefined = [];
  let size = 0;
  return {
    frame(frame) {
      if (kept === undefined) return;
      const { narrow, wide } = tally();
      kept.push(frame);
      size += frame.data.length;
      if (narrow > 0 || wide > 0 || size > MOST_KEPT) kept = undefined;
    },
    output() {
      if (kept === undefined) return "something";
      const listener = openListener();
      const decoder = upstream.decodeStream();
      for (const frame of kept) for (const event of decoder.frame(frame)) listener.event(event);
      for (const event of decoder.end()) listener.event(event);
      return listener.output;
    },
  };
}
