/** Names of providers and their own fields. They come with the list of providers, in English. */
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("channels");

const translatedTexts = new Set([
  phrase("API version"),
  phrase("API version (default: v1beta)"),
  phrase("API version (preview or latest; may be empty)"),
  phrase("Region, e.g. eastasia"),
  phrase("Region|ProjectID (default: global and the project of the key)"),
  phrase("DashScope plugin (X-DashScope-Plugin)"),
  phrase("Code execution"),
  phrase("Let the model run code"),
  phrase("OpenAI compatibility"),
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
  phrase("Cloudflare Access"),
  phrase("Another gateway"),
  phrase("Midjourney proxy"),
  phrase("GitHub Models (ended by GitHub on 2026-07-30)"),
  phrase("Flux (OpenAI-compatible server)"),
  phrase("Ideogram (OpenAI-compatible server)"),
  phrase("Google PaLM (retired; uses Gemini)"),
  phrase("Tencent Hunyuan, first API (retired; uses the current API)"),
  phrase("Must contain {{ knowledge }} and {{ question }}"),
  phrase(
    'JSON object by the part of the model name before the slash, for example {"anthropic": {"order": ["Amazon Bedrock"], "allow_fallbacks": false}}',
  ),
]);

/** Translates a label; returns it as it is when this console does not know it. */
export function providerWord(t: TFunction<"channels">, text: string): string {
  const path = /^Default: (\/\S+)\. Enter "disable" to turn this endpoint off\.$/.exec(text)?.[1];
  if (path) return t('Default: {{path}}. Enter "disable" to turn this endpoint off.', { path });
  const [, voice, manner] = /^Default: (\S+)\. Format: voice\|(emotion|role)$/.exec(text) ?? [];
  if (voice && manner === "role") return t("Default: {{voice}}. Format: voice|role", { voice });
  if (voice) return t("Default: {{voice}}. Format: voice|emotion", { voice });
  // Braces in these labels are literal.
  return translatedTexts.has(text) ? t(text, { skipInterpolation: true }) : text;
}
