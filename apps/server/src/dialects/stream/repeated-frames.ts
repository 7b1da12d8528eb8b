import type { Frame, CharacterCount } from "#dialects/dialect.ts";
import { addTally, tallyText, textAt } from "#dialects/usage/tally.ts";

/**
 * Skips the parsing of stream chunks that differ in their text only. After one chunk was read in full, a
 * chunk with the same characters around its text is not parsed: its text is counted, and all else is
 * unchanged.
 */
export interface RepeatedFrames {
  /**
   * Returns whether the frame equals the learned one except for its text. If so, adds the text to the tally.
   */
  take(frame: Frame): boolean;
  /**
   * Remembers a frame that was read in full, if its only effect was on the tally.
   * @param before the tally without it
   */
  learn(frame: Frame, before: Readonly<CharacterCount>): void;
  forget(): void;
}

/** Characters of frames that are learned. Longer ones, such as images, are not repeated. */
const MOST_LEARNED = 64 * 1024;

/**
 * Creates the state for one stream.
 * @param keys of texts that are counted, each with its closing quote
 */
export function openRepeatedFrames(keys: readonly string[], tally: CharacterCount): RepeatedFrames {
  let event: string | undefined;
  let head = "";
  /** Frame text from the closing quote of the text on; empty when nothing is learned. */
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
      if (data.length > MOST_LEARNED) return;
      const text = textAt(data, keys);
      if (text === undefined) return;
      const counted = tallyText(data, text.from, text.end);
      // A second text in the frame would not be counted in the following frames.
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
