import { phrasesOf } from "@gateway/shared/phrase-list";
import type { Settings } from "@gateway/shared/site/settings";
import type { ChatRequest } from "#dialects/ir.ts";
import { GatewayError } from "#errors.ts";

/**
 * What operators do not want asked: phrases that must not stand in what a user says. Throws `content_policy_violation`,
 * which does not name the phrase: no one shall learn the list by asking.
 */
export function requireAllowedContent({ messages }: ChatRequest, settings: Settings): void {
  if (!settings.EnableSafe) return;
  const phrases = phrasesIn(settings);
  if (phrases.length === 0) return;
  for (const { role, parts } of messages) {
    if (role !== "user") continue;
    for (const part of parts) {
      if (part.type !== "text") continue;
      const text = part.text.toLowerCase();
      if (phrases.some((phrase) => text.includes(phrase))) throw new GatewayError("content_policy_violation");
    }
  }
}

/** Settings are one object until someone changes them: the list is read once for each, not once per call. */
const known = new WeakMap<Settings, readonly string[]>();

function phrasesIn(settings: Settings): readonly string[] {
  let phrases = known.get(settings);
  if (phrases === undefined) known.set(settings, (phrases = phrasesOf(settings.SafeKeyWords)));
  return phrases;
}
