import type { ReasonFact } from "@gateway/shared/reasons";
import { useTranslation } from "react-i18next";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { hasErrorCode, storedReason } from "#lib/labels/reasons.ts";
import { pauseReason } from "./status.ts";

/** Returns the reason for the state of a channel or key in the user's language. Loads the messages of errors. */
export function useReason(text: string, facts: readonly ReasonFact[]): string {
  const { t } = useTranslation("channels");
  useErrorTexts(hasErrorCode(facts));
  return storedReason(t, text, facts, pauseReason);
}

export function Reason({ text, facts }: { text: string; facts: readonly ReasonFact[] }) {
  return useReason(text, facts);
}
