import { describe, expect, it } from "vitest";
import { GatewayError } from "#errors.ts";
import { azureSpeech } from "./definitions/cloud/azure-speech.ts";
import { stability } from "./definitions/media/stability.ts";
import { minimax } from "./definitions/minimax.ts";
import { serves } from "./provider.ts";
import type { Adapter, RequestShape, Provider } from "./provider.ts";
import { refusal } from "./refusal.ts";

function adapterOf(provider: Provider, path: string): Adapter {
  const adapter = provider.adapters?.[path];
  if (adapter === undefined) throw new Error(`${provider.label} does not adapt ${path}`);
  return adapter;
}

const call: RequestShape = { model: "m", stream: false, other: "", plugin: {} };

describe("Azure Speech", () => {
  const speech = adapterOf(azureSpeech, "/v1/audio/speech");

  it("escapes text that looks like markup", () => {
    const { body, headers } = speech.request(
      { input: `a < b & "c"</voice>`, voice: "fable", speed: 1.5 },
      call,
    );
    expect(headers).toEqual({
      "content-type": "application/ssml+xml",
      "x-microsoft-outputformat": "audio-24khz-160kbitrate-mono-mp3",
    });
    expect(body).toContain('<voice name="zh-CN-YunxiNeural"><mstts:express-as role="boy">');
    expect(body).toContain('<prosody rate="+50%">a &lt; b &amp; &quot;c&quot;&lt;/voice&gt;</prosody>');
  });

  it("accepts the channel's voices and the provider's own", () => {
    const plugin = { voice: { alloy: "en-US-AvaNeural" } };
    const voiceIn = (voice: string) =>
      /<voice name="([^"]*)"/.exec(speech.request({ input: "Hi", voice }, { ...call, plugin }).body)?.[1];
    expect(["alloy", "en-GB-RyanNeural", "marin", "constructor"].map(voiceIn)).toEqual([
      "en-US-AvaNeural",
      "en-GB-RyanNeural",
      "zh-CN-YunxiNeural",
      "zh-CN-YunxiNeural",
    ]);
  });

  it("reports unsupported formats, and serves only speech", () => {
    for (const format of ["flac", "constructor"])
      expect(() => speech.request({ input: "Hi", response_format: format }, call)).toThrow(GatewayError);
    expect(serves(azureSpeech, "audio", "/v1/audio/transcriptions", {})).toBe(false);
    expect(() => azureSpeech.places?.("key", { ...call, other: "evil.example/" })).toThrow("region");
  });
});

describe("speech of MiniMax", () => {
  const speech = adapterOf(minimax, "/v1/audio/speech");

  it("is requested in MiniMax's format", () => {
    const plugin = { voice: { nova: "presenter_female|happy" } };
    const { path, body } = speech.request({ input: "Hi", voice: "nova", speed: 4 }, { ...call, plugin });
    expect(path).toBe("/v1/t2a_v2");
    expect(JSON.parse(body)).toMatchObject({
      model: "m",
      text: "Hi",
      voice_setting: { voice_id: "presenter_female", emotion: "happy", speed: 2 },
      audio_setting: { format: "mp3" },
    });
  });

  it("becomes sound, billed by its characters", () => {
    const answer = speech.answer?.(
      JSON.stringify({
        data: { audio: "494433", status: 2 },
        extra_info: { audio_format: "mp3", usage_characters: 26 },
        base_resp: { status_code: 0, status_msg: "success" },
      }),
      0,
    );
    expect(answer).toMatchObject({
      contentType: "audio/mpeg",
      body: Buffer.from("ID3"),
      usage: { input: 26 },
    });
  });

  it("reports an error code inside a response of status 200", () => {
    const refused = (code: number) => {
      const text = JSON.stringify({ base_resp: { status_code: code, status_msg: "no" } });
      const answer = speech.answer?.(text, 0);
      return answer !== undefined && "error" in answer ? refusal(minimax, answer.error) : undefined;
    };
    expect(refused(1008)).toMatchObject({ kind: "quota", message: "no" });
    expect(refused(2013)).toMatchObject({ kind: "bad-request", message: "no" });
    expect(speech.answer?.("<html>", 0)).toMatchObject({ error: { kind: "server" } });
  });
});

describe("images of Stability", () => {
  const images = adapterOf(stability, "/v1/images/generations");

  it("are requested as a form, with the nearest aspect ratio", () => {
    const requested = images.request(
      { prompt: "A house", size: "1536x1024" },
      { ...call, model: "sd3.5-large" },
    );
    expect(requested.path).toBe("/v2beta/stable-image/generate/sd3");
    const boundary = /boundary=(\S+)/.exec(requested.headers["content-type"] ?? "")?.[1];
    expect(requested.body.split(`--${boundary}`)).toHaveLength(6);
    for (const field of [
      '"prompt"\r\n\r\nA house',
      '"aspect_ratio"\r\n\r\n3:2',
      '"model"\r\n\r\nsd3.5-large',
    ])
      expect(requested.body).toContain(field);
    expect(images.request({ prompt: "x" }, { ...call, model: "stable-image-core" }).path).toMatch(/core$/);
  });

  it("are generated one at a time", () => {
    expect(() => images.request({ prompt: "x", n: 2 }, call)).toThrow('"n"');
  });

  it("become OpenAI's response", () => {
    const answer = images.answer?.('{"image":"aGk=","finish_reason":"SUCCESS","seed":1}', 5_000);
    expect(answer !== undefined && "body" in answer && JSON.parse(answer.body.toString())).toEqual({
      created: 5,
      data: [{ b64_json: "aGk=" }],
    });
    expect(images.answer?.('{"errors":["no"]}', 0)).toHaveProperty("error");
  });
});
