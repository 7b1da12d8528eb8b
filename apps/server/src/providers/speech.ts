import { entryOf } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { invalidRequest } from "#errors.ts";
import type { RequestShape } from "./provider.ts";

/** What providers with a speech format of their own share: OpenAI's request, and a voice for each of its names. */
const Speech = z.object({
  input: z.string().min(1),
  voice: z.string().default("alloy"),
  response_format: z.string().default("mp3"),
  speed: z.number().min(0.25).max(4).default(1),
});

/**
 * Reads a request of OpenAI's speech endpoint. Throws `invalid_request`.
 * @param formats name of the provider's format for each `response_format`
 */
export function readSpeech(body: Wire, formats: Readonly<Record<string, string>>) {
  const requested = Speech.safeParse(body);
  if (!requested.success) throw invalidRequest({ reason: "speech_not_valid" }, { param: "input" });
  const { response_format: format } = requested.data;
  const output = entryOf(formats, format);
  if (output === undefined)
    throw invalidRequest({ reason: "speech_format", format }, { param: "response_format" });
  return { ...requested.data, output };
}

/**
 * Returns the channel options that replace the default voices.
 * @param defaults the provider's voice for each of OpenAI's names
 * @param format of a voice, for the operator
 */
export function voiceOptions(defaults: Readonly<Record<string, string>>, format: string) {
  const option = z.string().max(100).optional();
  return z.object({
    voice: z
      .object(
        Object.fromEntries(
          Object.entries(defaults).map(([name, voice]) => [
            name,
            option.meta({ title: name, description: `Default: ${voice}. Format: ${format}` }),
          ]),
        ),
      )
      .optional()
      .meta({ title: "Voices" }),
  });
}

/** Returns the voice of the channel's options or the default for one of OpenAI's names, with its style after `|`. */
export function knownVoice(
  name: string,
  call: RequestShape,
  defaults: Readonly<Record<string, string>>,
): string | undefined {
  const chosen = call.plugin["voice"]?.[name];
  return typeof chosen === "string" && chosen !== "" ? chosen : entryOf(defaults, name);
}
