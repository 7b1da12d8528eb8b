/** What the states of a token are called. */
import { TokenStatus } from "@gateway/shared/token";
import { phrase } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

type Word = { text: string; tone: Tone };

const words: Record<number, Word> = {
  [TokenStatus.enabled]: { text: phrase("Enabled"), tone: "good" },
  [TokenStatus.disabled]: { text: phrase("Disabled"), tone: "idle" },
  [TokenStatus.expired]: { text: phrase("Expired"), tone: "bad" },
  [TokenStatus.exhausted]: { text: phrase("Used up"), tone: "bad" },
};

export function statusWord(status: number): Word {
  return words[status] ?? { text: phrase("Unknown"), tone: "idle" };
}
