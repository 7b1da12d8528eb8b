import type { TFunction } from "i18next";
import { formatTime } from "#lib/format/quota.ts";

type Titled = { title: string; model_name: string; token_name?: string; first_at: number };

/** Returns the first question, or what identifies a session whose requests are not stored: model, client and time. */
export function titleOf(t: TFunction<"sessions">, session: Titled): string {
  if (session.title !== "") return session.title;
  const { model_name, token_name = "", first_at } = session;
  return [model_name || t("Unknown model"), token_name, formatTime(first_at).slice(0, 16)]
    .filter(Boolean)
    .join(" · ");
}
