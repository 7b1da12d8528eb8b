/**
 * Maximum tokens of an image by the published formulas, because the channel is not chosen yet: tiles of 512
 * after scaling (85 + 170 each), or width × height / 750.
 */
import type { MediaSource } from "#dialects/ir.ts";
import { longTextOf } from "#platform/memory/long-texts.ts";

const lowDetail = 85;
const perTile = 170;
/** Used for images of unknown size: an image scaled down to 1568 × 1568, the maximum for one image. */
const most = 1_640;

export function imageTokens(source: MediaSource, detail: string | undefined): number {
  if (detail === "low") return lowDetail;
  if (source.type !== "data") return most;
  const size = imageSize(dataHead(source, headerCharacters));
  return size === undefined ? most : Math.min(most, Math.max(tileTokens(size), areaTokens(size)));
}

/** Tokens of every image at a provider that does not count its size. */
const leastMost = 1_120;
/** An image of 2576 pixels on its long side, the largest that counts by its area. */
const mostByArea = 4_784;

/**
 * Returns the largest tokens of an image at providers that count tiles or area. Unlike `imageTokens` it ignores
 * `detail`, which few providers know.
 */
export function mostImageTokens(source: MediaSource): number {
  const size = source.type === "data" ? imageSize(dataHead(source, headerCharacters)) : undefined;
  if (size === undefined) return mostByArea;
  return Math.max(leastMost, tileTokens(size), Math.min(mostByArea, areaTokens(size)));
}

/** Counts 2,833 tokens and 5,667 per tile instead of 85 and 170. */
const dearImages = /4o-mini/i;
const dearImageFactor = 34;

/** Returns how many times more tokens an image has for this model than `imageTokens` states. */
export function imageFactor(model: string): number {
  return dearImages.test(model) ? dearImageFactor : 1;
}

/** Decodes this many leading characters of base64 data. */
export function dataHead(source: { data: string }, characters: number): Buffer {
  const long = longTextOf(source, "data");
  const text =
    long === undefined || long.isEscaped
      ? source.data.slice(0, characters)
      : long.bytes.toString("latin1", 0, Math.min(characters, long.bytes.length));
  return Buffer.from(text, "base64");
}

export interface ImageSize {
  width: number;
  height: number;
}

function tileTokens({ width, height }: ImageSize): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles = Math.ceil((width * fit * short) / 512) * Math.ceil((height * fit * short) / 512);
  return lowDetail + perTile * tiles;
}

function areaTokens({ width, height }: ImageSize): number {
  return Math.ceil((width * height) / 750);
}

// JPEG stores its size after the camera's metadata, which may contain a thumbnail.
const headerCharacters = 131_072;

/** Reads width and height from the first bytes of a PNG, GIF, WebP or JPEG. */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function pngSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || bytes.toString("latin1", 0, 4) !== "GIF8") return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString("latin1", 8, 12) !== "WEBP") return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
