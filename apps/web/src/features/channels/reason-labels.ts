/** What the server says of a channel, a key or an entry of an import, in the reader's language. */
import type { TFunction } from "i18next";
import { storedReason } from "#lib/reasons.ts";
import { pauseReason } from "./status.ts";

export function reasonText(t: TFunction, reason: string): string {
  const [, name] = /^There is no group named "(.+)"\.$/.exec(reason) ?? [];
  return name === undefined
    ? storedReason(t, reason, pauseReason)
    : t('There is no group named "{{name}}".', { name });
}
