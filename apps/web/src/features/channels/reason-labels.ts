/** Translates the reason for the state of a channel or key. */
import type { ReasonFact } from "@gateway/shared/reasons";
import type { TFunction } from "i18next";
import { storedReason } from "#lib/reasons.ts";
import { pauseReason } from "./status.ts";

export function reasonText(t: TFunction, text: string, facts: readonly ReasonFact[]): string {
  return storedReason(t, text, facts, pauseReason);
}
