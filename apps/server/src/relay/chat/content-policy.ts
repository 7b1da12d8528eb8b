import { phrasesOf } from "@gateway/shared/phrase-list";
import type { Settings } from "@gateway/shared/site/settings";
import type { ChatRequest } from "#dialects/ir.ts";
import { GatewayError } from "#errors.ts";

/**
 * Throws `content_policy_violation` when a user message contains a phrase that administrators forbid. The
 * error does not contain the phrase, so that no caller can learn the list by trial.
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

/**
 * Cached per settings object, which is replaced on every change, so that the list is parsed once and not per
 * call.
 */
const known = new WeakMap<Settings, readonly string[]>();

function phrasesIn(settings: Settings): readonly string[] {
  let phrases = known.get(settings);
  if (phrases === undefined) known.set(settings, (phrases = phrasesOf(settings.SafeKeyWords)));
  return phrases;
}
