import type { Frame, Tally } from "./dialect.ts";
import { addTally, tallyText, textAt } from "./tally.ts";

/**
 * The chunks of a stream mostly differ in their text alone. Once one of them was read in full, those that have the same
 * characters around their text need no reading: the text is counted, and everything else is as it was.
 */
export interface RepeatedFrames {
  /** Whether the frame is the one that was learned but for its text, which is added to the tally then. */
  take(frame: Frame): boolean;
  /**
   * Remembers a frame that was read in full, if its only effect was on the tally.
   * @param before the tally without it
   */
  learn(frame: Frame, before: Readonly<Tally>): void;
  forget(): void;
}

/** @param keys of texts that are counted, each with its closing quote */
export function openRepeatedFrames(keys: readonly string[], tally: Tally): RepeatedFrames {
  let event: string | undefined;
  let head = "";
  /** From the closing quote of the text on; empty when nothing is learned. */
  let tail = "";

  return {
    take(frame) {
      const { data } = frame;
      const end = data.length - tail.length;
      if (tail === "" || end < head.length || frame.event !== event) return false;
      if (!data.endsWith(tail) || !data.startsWith(head)) return false;
      const counted = tallyText(data, head.length, end);
      if (counted === undefined) return false;
      addTally(tally, counted);
      return true;
    },
    learn(frame, before) {
      tail = "";
      const { data } = frame;
      const text = textAt(data, keys);
      if (text === undefined) return;
      const counted = tallyText(data, text.from, text.end);
      // Another text in it would not be counted in those that follow.
      if (
        counted === undefined ||
        counted.narrow !== tally.narrow - before.narrow ||
        counted.wide !== tally.wide - before.wide
      )
        return;
      event = frame.event;
      head = data.slice(0, text.from);
      tail = data.slice(text.end);
    },
    forget() {
      tail = "";
    },
  };
}
