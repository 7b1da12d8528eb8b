import type { ScannedAnswer } from "#dialects/dialect.ts";
import type { AnswerReader } from "./pass-bytes.ts";

/** Kept back of a JSON answer in any case: parsers that read what is there would make much of an answer without its end. */
const KEPT_BYTES = 4 * 1024;

/**
 * Reads a large JSON answer that passes as bytes. Pure.
 * @param isStrict the answer must be a JSON object that says something; else whatever came to its end is an answer
 */
export function createJsonReader(
  { scan, usage }: ScannedAnswer,
  { isStrict }: { isStrict: boolean },
): AnswerReader {
  let total = 0;
  const hasEnded = () => scan.endsAt !== undefined && scan.isObject;
  return {
    push(chunk) {
      scan.push(chunk);
      total += chunk.length;
      return KEPT_BYTES + (scan.endsAt === undefined ? 0 : total - scan.endsAt);
    },
    get usage() {
      return usage();
    },
    get tally() {
      return scan.tally;
    },
    failed: false,
    get ended() {
      return hasEnded();
    },
    get isWhole() {
      return !isStrict || hasEnded();
    },
    get isSilent() {
      const { narrow, wide } = scan.tally;
      return isStrict && narrow === 0 && wide === 0 && !scan.hasMedia && usage() === undefined;
    },
  };
}
