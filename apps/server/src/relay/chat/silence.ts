import type { Dialect, Frame, CharacterCount } from "#dialects/dialect.ts";
import type { ChatEvent } from "#dialects/ir.ts";

/**
 * What a streamed response contains. One without content and usage costs nothing. "cut" is a response that
 * reached its length limit without content, for example within hidden thinking.
 */
export type OutputKind = "nothing" | "refusal" | "cut" | "something";

/** Tracks the kind of output over the events of a response. */
export function openListener(): { event(event: ChatEvent): void; readonly output: OutputKind } {
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
export function openFrameListener(
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
