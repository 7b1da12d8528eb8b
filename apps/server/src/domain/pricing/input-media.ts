import type { MediaSource } from "#dialects/ir.ts";
import { longTextOf } from "#platform/memory/long-texts.ts";
import { dataHead, imageTokens, mostImageTokens } from "./image-tokens.ts";

/**
 * Tokens of input that is not text. A client chooses the size of a file in bytes, and few formats limit what a
 * byte may contain: a page, a second or a picture. Each kind of part therefore has two counts. Pure.
 */
export interface MediaTokens {
  /** Ordinary content of this size. Billed when the provider reports no usage. */
  usual: number;
  /** The largest count for this part; undefined where only the model's context window limits it. */
  most: number | undefined;
}

/** Tokens per second: the highest published rate. */
export const audioTokensPerSecond = 32;
const unseenAudioSeconds = 60;
/** 64 kbit/s. Speech is rarely recorded at a lower rate. */
const compressedBytesPerSecond = 8_000;
/** 16 bit at 16 kHz. A higher data rate counts as a longer recording. */
const plainBytesPerSecond = 32_000;
/** 8 kbit/s, the lowest rate of MPEG audio. */
const leastMpegBytesPerSecond = 1_000;
/** Opus, AAC and FLAC store silence in a few bytes per second. */
const leastBytesPerSecond = 50;
/** 9.5 hours, the longest recording that a provider accepts. */
export const longestRecordingSeconds = 34_200;
/** A page has some tens of kilobytes and up to 3,000 tokens of text and image. */
const bytesPerDocumentToken = 16;
const unseenFileTokens = 10_000;
/** Tokens per byte of text: base64 is the most expensive. */
const tokensPerTextByte = 1 / 1.3;
/** Characters of base64 that show the kind of a file. */
const headCharacters = 1_400;

/** Returns the tokens of an image. */
export function imagePart(source: MediaSource, detail: string | undefined): MediaTokens {
  return { usual: imageTokens(source, detail), most: mostImageTokens(source) };
}

/** Returns the tokens of a recording. */
export function audioPart(source: MediaSource, format: string | undefined): MediaTokens {
  if (source.type !== "data") return { usual: unseenAudioSeconds * audioTokensPerSecond, most: undefined };
  const bytes = bytesOf(source);
  // Headerless samples have the rate that the provider expects, 16 kHz or more.
  const isPlain = /pcm|l16/i.test(`${format ?? ""} ${source.mediaType}`);
  const head = dataHead(source, headCharacters);
  const usual = isPlain ? bytes / plainBytesPerSecond : recordingSeconds(head, bytes);
  const most = mostRecordingSeconds(head, bytes);
  return {
    usual: Math.ceil(usual * audioTokensPerSecond),
    most: Math.ceil(Math.max(usual, most) * audioTokensPerSecond),
  };
}

/** Returns the tokens of a document, a video or another file. */
export function filePart(source: MediaSource): MediaTokens {
  if (source.type !== "data") return { usual: unseenFileTokens, most: undefined };
  const bytes = bytesOf(source);
  if (isText(source.mediaType, dataHead(source, headCharacters))) {
    const tokens = Math.ceil(bytes * tokensPerTextByte);
    return { usual: tokens, most: tokens };
  }
  if (source.mediaType.startsWith("image/")) return imagePart(source, undefined);
  if (source.mediaType.startsWith("audio/")) return audioPart(source, undefined);
  return { usual: Math.ceil(bytes / bytesPerDocumentToken), most: undefined };
}

const textTypes =
  /^text\/|^application\/(?:json|xml|x-?yaml|yaml|toml|csv|sql|javascript|typescript|x-ndjson|x-sh|x-python)\b|\+(?:json|xml)$/;

/** Whether a file is text by its type and its beginning. The type alone is only the client's word. */
function isText(mediaType: string, head: Buffer): boolean {
  return textTypes.test(mediaType) && !head.includes(0) && !head.includes("%PDF");
}

/** Returns the number of bytes of base64 data. */
function bytesOf(source: { data: string }): number {
  const length = longTextOf(source, "data")?.bytes.length ?? source.data.length;
  return Math.floor((length * 3) / 4);
}

/**
 * Returns the seconds of a WAV file with uncompressed audio and a consistent header; otherwise undefined. The
 * header's rate counts only where it makes the recording longer, because the client controls the header.
 */
function plainSeconds(head: Buffer, bytes: number): number | undefined {
  if (head.length < 36 || head.toString("latin1", 0, 4) !== "RIFF") return undefined;
  if (head.toString("latin1", 8, 16) !== "WAVEfmt ") return undefined;
  const [channels, bits] = [head.readUInt16LE(22), head.readUInt16LE(34)];
  const rate = (head.readUInt32LE(24) * channels * bits) / 8;
  const isPlain = head.readUInt16LE(20) === 1 && [8, 16, 24, 32].includes(bits);
  if (!isPlain || rate === 0 || head.readUInt32LE(28) !== rate) return undefined;
  return bytes / Math.min(rate, plainBytesPerSecond);
}

/** Returns the usual length of a recording in seconds, from the start of the file and its size in bytes. */
export function recordingSeconds(head: Buffer, bytes: number): number {
  return plainSeconds(head, bytes) ?? bytes / compressedBytesPerSecond;
}

/** Returns the longest possible recording in this number of bytes, in seconds. */
export function mostRecordingSeconds(head: Buffer, bytes: number): number {
  const seconds =
    plainSeconds(head, bytes) ?? bytes / (isMpeg(head) ? leastMpegBytesPerSecond : leastBytesPerSecond);
  return Math.max(recordingSeconds(head, bytes), Math.min(seconds, longestRecordingSeconds));
}

/** Whether a file begins with a frame of MPEG audio, e.g. MP3. AAC has the same mark, but no layer. */
function isMpeg(head: Buffer): boolean {
  const [first = 0, second = 0] = head;
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0;
}
