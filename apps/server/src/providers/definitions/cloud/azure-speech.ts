import { escapeHtml } from "@gateway/shared/escape-html";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { Wire } from "#dialects/dialect.ts";
import { type Adapter, type RequestShape, CredentialError, type Provider } from "#providers/provider.ts";
import { knownVoice, readSpeech, voiceOptions } from "#providers/speech.ts";

const defaults = {
  alloy: "zh-CN-YunxiNeural",
  echo: "zh-CN-YunyangNeural",
  fable: "zh-CN-YunxiNeural|boy",
  onyx: "zh-CN-YunyeNeural",
  nova: "zh-CN-XiaochenNeural",
  shimmer: "zh-CN-XiaohanNeural",
};

const formats = lookupTable<string>({
  mp3: "audio-24khz-160kbitrate-mono-mp3",
  opus: "ogg-24khz-16bit-mono-opus",
  wav: "riff-24khz-16bit-mono-pcm",
  pcm: "raw-24khz-16bit-mono-pcm",
});

/** Returns the voice for one of OpenAI's names, by channel or default, or Azure's voice of that name. */
function voiceOf(name: string, call: RequestShape): [voice: string, role: string | undefined] {
  const known = knownVoice(name, call, defaults);
  const [voice = "", role] = (known ?? (/^[a-z]{2,3}-/.test(name) ? name : defaults.alloy)).split("|");
  return [voice, role];
}

const speech: Adapter = {
  request(body: Wire, call) {
    const { input, voice, speed, output } = readSpeech(body, formats);
    const [name, role] = voiceOf(voice, call);
    const rate = `${speed < 1 ? "" : "+"}${Math.round((speed - 1) * 100)}%`;
    const spoken = `<prosody rate="${rate}">${escapeHtml(input)}</prosody>`;
    const acted =
      role === undefined
        ? spoken
        : `<mstts:express-as role="${escapeHtml(role)}">${spoken}</mstts:express-as>`;
    return {
      path: "/cognitiveservices/v1",
      headers: { "content-type": "application/ssml+xml", "x-microsoft-outputformat": output },
      body:
        '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" ' +
        'xmlns:mstts="https://www.w3.org/2001/mstts" xml:lang="en-US">' +
        `<voice name="${escapeHtml(name)}">${acted}</voice></speak>`,
    };
  },
};

/** https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech, read 2026-11-21. */
export const azureSpeech: Provider = {
  type: 24,
  id: "azure-speech",
  label: "Azure Speech",
  icon: "azure",
  group: "cloud",
  help: "provider-azure",
  baseUrl: "https://{region}.tts.speech.microsoft.com",
  dialects: ["openai-chat"],
  endpoints: ["audio"],
  offers: (path) => path === "/v1/audio/speech",
  keyHint: "",
  otherLabel: "Region, e.g. eastasia",
  models: ["tts-1", "tts-1-hd"],
  testModel: "",
  website: "https://portal.azure.com",
  plugin: voiceOptions(defaults, "voice|role"),
  headers: (key) => ({ "ocp-apim-subscription-key": key, "user-agent": "gateway" }),
  places(_key, { other }) {
    if (!/^[a-z0-9]+$/.test(other))
      throw new CredentialError("Azure Speech needs its region, e.g. eastasia.");
    return { region: other };
  },
  adapters: { "/v1/audio/speech": speech },
  listing: "none",
};
