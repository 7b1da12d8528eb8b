/** Names of providers and their own fields. They come with the list of providers, in English. */
import type { TFunction } from "i18next";
import { phrase } from "#lib/i18n.ts";

const known = new Set([
  phrase("API version"),
  phrase("API version (v1beta unless given)"),
  phrase("API version (preview or latest; may be empty)"),
  phrase("Region, e.g. eastasia"),
  phrase("Region|ProjectID (global unless given; the project is that of the key)"),
  phrase("DashScope plugin (X-DashScope-Plugin)"),
  phrase("Code execution"),
  phrase("Let the model run code"),
  phrase("OpenAI wire"),
  phrase("Use Google's OpenAI-compatible endpoint for chat"),
  phrase("Paths"),
  phrase("Chat"),
  phrase("Completions"),
  phrase("Embeddings"),
  phrase("Moderations"),
  phrase("Image generation"),
  phrase("Image edits"),
  phrase("Image variations"),
  phrase("Speech"),
  phrase("Voices"),
  phrase("Transcription"),
  phrase("Audio translation"),
  phrase("Provider routing"),
  phrase("Routing"),
  phrase("Retrieval"),
  phrase("Knowledge base"),
  phrase("Prompt template"),
  phrase("Web search"),
  phrase("Let the model search the web"),
  phrase("Let Qwen search the web"),
  phrase("Web browser"),
  phrase("Let glm-4-alltools browse"),
  phrase("Drawing"),
  phrase("Let glm-4-alltools draw"),
  phrase("Code interpreter"),
  phrase("Sandbox of glm-4-alltools"),
  phrase("Cloudflare Access in front of it"),
  phrase("Another gateway"),
  phrase("Midjourney proxy"),
  phrase("GitHub Models (ended by GitHub on 2026-07-30)"),
  phrase("Flux (OpenAI-compatible server)"),
  phrase("Ideogram (OpenAI-compatible server)"),
  phrase("Google PaLM (retired by Google; asks Gemini)"),
  phrase("Tencent Hunyuan, first API (retired by Tencent; asks today's)"),
  phrase("With {{ knowledge }} and {{ question }} where they shall stand"),
  phrase(
    'By the provider before the slash of a model: {"anthropic": {"order": ["Amazon Bedrock"], "allow_fallbacks": false}}',
  ),
]);

/** Translates a label; returns it as it is when this console does not know it. */
export function providerWord(t: TFunction, text: string): string {
  const path = /^(\/\S+) unless given; "disable" switches it off$/.exec(text)?.[1];
  if (path) return t('{{path}} unless given; "disable" switches it off', { path });
  const [, voice, manner] = /^(\S+) unless given; voice\|(emotion|role)$/.exec(text) ?? [];
  if (voice && manner === "role") return t("{{voice}} unless given; voice|role", { voice });
  if (voice) return t("{{voice}} unless given; voice|emotion", { voice });
  // Braces in these labels are literal.
  return known.has(text) ? t(text, { skipInterpolation: true }) : text;
}
