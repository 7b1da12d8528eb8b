import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useMayEnter } from "#lib/session.ts";

/** Names the channels of a call for readers who may not know them. */
export function nameByNumber(t: TFunction<"logs">, attempts: readonly AttemptNote[]): AttemptNote[] {
  return attempts.map((note) => ({
    ...note,
    channel_name: t("Channel {{number}}", { number: note.channel_id }),
  }));
}

/** The attempts of a call, with names that its reader may see; `attempts` is null until the call is loaded alone. */
export function useShownAttempts(row: LogRow): { attempts: AttemptNote[] | null; anonymous: boolean } {
  const { t } = useTranslation("logs");
  const anonymous = !useMayEnter("logs");
  const { attempts } = row;
  return { attempts: attempts && anonymous ? nameByNumber(t, attempts) : attempts, anonymous };
}
