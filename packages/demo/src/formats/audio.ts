import { type Json, asNumber, asObject, asText } from "#answer/json.ts";
import { piecesOf } from "#answer/pieces.ts";
import { BadQuestion } from "#answer/question.ts";
import { type Reply, type EventAnswer, json } from "#exchange.ts";
import { type Frame, event } from "./chat-wire.ts";

const RATE = 16_000;
const SECONDS_PER_PIECE = 0.12;
const MOST_PIECES = 80;

/** Returns one soft note per piece of the text, as 16-bit mono samples. */
export function melody(text: string): Buffer {
  const pieces = piecesOf(text).slice(0, MOST_PIECES);
  const perPiece = Math.round(RATE * SECONDS_PER_PIECE);
  const samples = Buffer.alloc(pieces.length * perPiece * 2);
  for (const [index, piece] of pieces.entries()) {
    const pitch = 220 * 2 ** ((piece.trimStart().charCodeAt(0) % 12) / 12);
    for (let at = 0; at < perPiece; at += 1) {
      const swell = Math.sin((Math.PI * at) / perPiece);
      const value = Math.sin((2 * Math.PI * pitch * at) / RATE) * swell * 8000;
      samples.writeInt16LE(Math.round(value), (index * perPiece + at) * 2);
    }
  }
  return samples;
}

export function wave(samples: Buffer): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/**
 * Returns notes instead of speech, always as WAV except raw samples for `pcm`: there is no encoder for other
 * formats.
 */
export function speech(body: Json): Reply | EventAnswer {
  const input = asText(body["input"]);
  if (input === "") throw new BadQuestion("'input' must be a text.", "input");
  const samples = melody(input);
  if (body["stream_format"] === "sse") return { events: speechFrames(input) };
  if (body["response_format"] === "pcm") return { type: "audio/pcm", body: samples };
  return { type: "audio/wav", body: wave(samples) };
}

function frame(data: Json): Frame {
  return { text: event(data, asText(data["type"])), piece: true };
}

function* speechFrames(input: string): Generator<Frame> {
  const pieces = piecesOf(input);
  for (const piece of pieces)
    yield frame({ type: "speech.audio.delta", audio: melody(piece).toString("base64") });
  const [read, output] = [pieces.length, pieces.length * 20];
  yield frame({
    type: "speech.audio.done",
    usage: { input_tokens: read, output_tokens: output, total_tokens: read + output },
  });
}

function* transcriptFrames(text: string, seconds: number, byTokens: boolean): Generator<Frame> {
  const pieces = piecesOf(text);
  for (const delta of pieces) yield frame({ type: "transcript.text.delta", delta });
  const input = seconds * 10;
  const tokens = {
    type: "tokens",
    input_tokens: input,
    output_tokens: pieces.length,
    total_tokens: input + pieces.length,
    input_token_details: { text_tokens: 0, audio_tokens: input },
  };
  const usage = byTokens ? tokens : { type: "duration", seconds };
  yield frame({ type: "transcript.text.done", text, usage });
}

/** Describes the uploaded file instead of transcribing it. */
export function transcription(body: Json): Reply | EventAnswer {
  const file = asObject(body["file"]);
  const bytes = asNumber(file["bytes"]);
  if (bytes === undefined) throw new BadQuestion("'file' must be a file in a form.", "file");
  const text = `The demo model listened to ${asText(file["name"])}, a recording of ${bytes} bytes.`;
  const seconds = Math.max(1, Math.round(bytes / (RATE * 2)));
  const end = new Date(seconds * 1000).toISOString().slice(11, 23);
  if (body["stream"] === true || body["stream"] === "true")
    return { events: transcriptFrames(text, seconds, !asText(body["model"]).includes("whisper")) };
  switch (body["response_format"]) {
    case "text":
      return { type: "text/plain; charset=utf-8", body: `${text}\n` };
    case "srt":
      return {
        type: "application/x-subrip",
        body: `1\n00:00:00,000 --> ${end.replace(".", ",")}\n${text}\n\n`,
      };
    case "vtt":
      return { type: "text/vtt", body: `WEBVTT\n\n00:00:00.000 --> ${end}\n${text}\n\n` };
    case "verbose_json":
      return json({
        task: "transcribe",
        language: asText(body["language"]) || "english",
        duration: seconds,
        text,
        segments: [{ id: 0, seek: 0, start: 0, end: seconds, text, tokens: [], temperature: 0 }],
        usage: { type: "duration", seconds },
      });
    default:
      return json({ text, usage: { type: "duration", seconds } });
  }
}
