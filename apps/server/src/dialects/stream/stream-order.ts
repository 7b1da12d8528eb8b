import type { Frame, StreamDecoder } from "#dialects/dialect.ts";
import { truncatedStreamEvent } from "#dialects/failure.ts";
import type { ChatEvent } from "#dialects/ir.ts";

/**
 * Ensures the event order of the IR for any provider data: one `start` first,
 * one `finish` or `error` last, nothing after it.
 */
export function inOrder(decoder: StreamDecoder): StreamDecoder {
  let started = false;
  let ended = false;

  function pass(events: ChatEvent[]): ChatEvent[] {
    if (ended || events.length === 0) return [];
    const passed: ChatEvent[] = [];
    for (const event of events) {
      if (event.type === "start") {
        if (started) continue;
      } else if (!started) {
        passed.push({ type: "start", id: "", model: "" });
      }
      started = true;
      passed.push(event);
      if (event.type === "finish" || event.type === "error") {
        ended = true;
        break;
      }
    }
    return passed;
  }

  return {
    frame: (frame: Frame) => pass(decoder.frame(frame)),
    end() {
      if (ended) return [];
      const events = pass(decoder.end());
      return ended ? events : [...events, ...pass([truncatedStreamEvent()])];
    },
  };
}
