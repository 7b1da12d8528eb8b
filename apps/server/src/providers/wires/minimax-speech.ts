import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import { parseRecord } from "#dialects/wire.ts";
import type { Adapter, RequestShape } from "#providers/provider.ts";
import { knownVoice, readSpeech, voiceOptions } from "#providers/speech.ts";

/**
 * MiniMax's own wire format for speech. https://platform.minimaxi.com/docs/api-reference/speech-t2a-http,
 * read 2026-11-21.
 */
const defaults = {
  alloy: "female-chengshu",
  echo: "male-qn-qingse",
  fable: "male-qn-jingying",
  onyx: "presenter_male",
  nova: "presenter_female",
  shimmer: "audiobook_female_1",
};

export const voicePlugin = voiceOptions(defaults, "voice|emotion");

const types = lookupTable<string>({
  mp3: "audio/mpeg",
  wav: "audio/wav",
  flac: "audio/flac",
  pcm: "audio/pcm",
});

const Made = z.object({
  data: z.object({ audio: z.hex() }).nullish(),
  extra_info: z
    .object({ usage_characters: z.int().nonnegative(), audio_format: z.string() })
    .partial()
    .nullish(),
  base_resp: z.object({ status_code: z.int(), status_msg: z.string() }).nullish(),
});

function voiceOf(name: string, call: RequestShape): { voice_id: string; emotion?: string } {
  const [voice = "", emotion] = (knownVoice(name, call, defaults) ?? name).split("|");
  return { voice_id: voice, ...(emotion === undefined ? {} : { emotion }) };
}

export const speech: Adapter = {
  request(body, call) {
    const { input, voice, response_format: format, speed } = readSpeech(body, types);
    return {
      path: "/v1/t2a_v2",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: call.model,
        text: input,
        stream: false,
        voice_setting: {
          ...voiceOf(voice, call),
          speed: Math.min(2, Math.max(0.5, speed)),
          vol: 1,
          pitch: 0,
        },
        audio_setting: { format, channel: 1 },
      }),
    };
  },
  answer(text) {
    const made = Made.safeParse(parseRecord(text)).data;
    const code = made?.base_resp?.status_code ?? 0;
    if (code !== 0 || !made?.data)
      return {
        error: {
          // The provider's `refusals` maps the code to a more specific kind.
          kind: "server",
          message: made?.base_resp?.status_msg ?? "The upstream sent no speech.",
          status: 200,
          code: String(code),
        },
      };
    const characters = made.extra_info?.usage_characters;
    return {
      contentType: types[made.extra_info?.audio_format ?? "mp3"] ?? "application/octet-stream",
      body: Buffer.from(made.data.audio, "hex"),
      ...(characters === undefined ? {} : { usage: { input: characters, output: 0, raw: made.extra_info } }),
    };
  },
};
