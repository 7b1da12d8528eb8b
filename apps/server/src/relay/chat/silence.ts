import type { Dialect, Frame, Tally } from "#dialects/dialect.ts";
import type { ChatEvent } from "#dialects/ir.ts";

/** Whether a streamed answer says anything. One that says nothing, and has no usage, costs nothing. */
export type OutputKind = "nothing" | "refusal" | "something";

/** Says of each event what `Said` needs; `said` is the sum. */
export function openListener(): { event(event: ChatEvent): void; readonly output: OutputKind } {
  let output: OutputKind = "nothing";
  return {
    event(event) {
      if (event.type === "start" || event.type === "finish" || event.type === "error") return;
      if (event.type !== "stop") output = "something";
      else if (output === "nothing" && (event.reason === "content-filter" || event.reason === "refusal"))
        output = "refusal";
    },
    get output() {
      return output;
    },
  };
}

/** More than this is not said without saying something. Characters. */
const MOST_KEPT = 64 * 1024;

/** The same for frames that no one decodes: those before the first text are kept, and decoded only when it is asked. */
export function openFrameListener(
  upstream: Dialect,
  tally: () => Tally,
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
