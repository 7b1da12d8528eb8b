/**
 * Estimates the maximum tokens of a call before it is made, so that the reservation covers it. Also counts
 * the tokens of a response whose provider reports no usage. It must not depend on prices.
 */
import type { CharacterCount } from "#dialects/dialect.ts";
import type { ChatRequest, MediaSource, Message, Part, Usage } from "#dialects/ir.ts";
import { tierOf } from "#dialects/usage/service-tier.ts";
import type { Spending } from "#dialects/usage/spending.ts";
import { type LongText, longTextOf } from "#platform/memory/long-texts.ts";
import { audioPart, audioTokensPerSecond, filePart, imagePart, type MediaTokens } from "./input-media.ts";

export interface EstimateOptions {
  /** Maximum output of the model when the request has no limit. */
  maxOutputTokens: number;
  /** Possible usage of the request beyond its text and its limit. */
  spending?: Spending;
}

/** The maximum usage of a request, as far as it can be known. */
export interface Estimate extends Usage {
  /** The request has no output limit: the response may be longer than the reserved output. */
  isOpen?: boolean;
  /** Set with `isOpen` where the gateway may set a limit. */
  open?: OpenOutput;
  /** The provider adds input that is not part of the request. */
  isUnseen?: boolean;
  /** The largest input. Absent where it is the estimated one: the request has only text. */
  mostInput?: MostInput;
  /** The request enables thinking, which is not visible in the response's text. */
  thinks?: boolean;
  /** Most web searches that the gateway runs for the call. The usage of one round is estimated. */
  searches?: number;
}

/** The output of a request without a limit, in tokens. */
export interface OpenOutput {
  /** Reserved for each response. */
  each: number;
  /** Enough for most responses: sent as the limit where the balance does not cover more. */
  usual: number;
  responses: number;
}

/** Returns the estimate with this much output for each response. */
export function withEach(estimate: Estimate, each: number): Estimate {
  const { open, output, audioOutput, imageOutput } = estimate;
  if (open === undefined || open.each === each) return estimate;
  const tokens = capTokens(output + (each - open.each) * open.responses);
  return {
    ...estimate,
    output: tokens,
    ...(audioOutput === output ? { audioOutput: tokens } : {}),
    ...(imageOutput === output ? { imageOutput: tokens } : {}),
    open: { ...open, each },
  };
}

/** The largest input of a request whose parts may contain more than their size shows, in tokens. */
export interface MostInput {
  input: number;
  /** Of the input: images and audio, which may have prices of their own. */
  image: number;
  audio: number;
  /** A part of this kind is limited by the model's context window only. */
  window?: "document" | "audio";
}

export function estimateUsage(request: ChatRequest, options: EstimateOptions): Estimate {
  const scan = emptyScan();
  for (const message of request.messages) addMessage(scan, message);
  for (const tool of request.tools ?? []) {
    scan.tokens += tokensPerTool;
    addText(scan, tool.name);
    addText(scan, tool.description ?? "");
    addJson(scan, tool.schema);
    noteCache(scan, tool.cache);
  }
  for (const tool of request.serverTools ?? []) addJson(scan, tool.extra.fields);
  if (request.responseFormat?.type === "json-schema") addJson(scan, request.responseFormat.schema);
  // Documents, template arguments: unknown fields may still become model input.
  addJson(scan, request.extra?.fields);

  const { spending } = options;
  scan.tokens += spending?.storedTokens ?? 0;
  const input = tokensPerRequest + scan.text + scan.tokens + scan.image + scan.audio + scan.files;
  return {
    input: capTokens(input),
    ...outputOf(request, options),
    ...(scan.image > 0 ? { imageInput: capTokens(scan.image) } : {}),
    ...(scan.audio > 0 ? { audioInput: capTokens(scan.audio) } : {}),
    // All input before a cache mark may be written to the cache, which costs more than reading it.
    ...(scan.cache === "1h" ? { cacheWrite1h: capTokens(input) } : {}),
    ...(scan.cache === "5m" ? { cacheWrite5m: capTokens(input) } : {}),
    ...requestedTier(request),
    ...(spending !== undefined && Object.keys(spending.toolCalls).length > 0
      ? { toolCalls: spending.toolCalls }
      : {}),
    ...(spending?.unseen === true ? { isUnseen: true } : {}),
    ...mostInputOf(scan, input),
    ...(spending?.thinks === true ? { thinks: true } : {}),
  };
}

/** Tokens of one generated image, in the most expensive size and quality with a published count. */
export const tokensPerImage = 6_240;
/** Tokens of each partial image, if requested. */
export const tokensPerPartialImage = 100;
/** Tokens that providers add for the answer when the thinking budget would use up the limit. */
const answerBesideThinking = 1_024;

type Output = Pick<Estimate, "output" | "audioOutput" | "imageOutput" | "isOpen" | "open">;

/** Text and thinking share one limit. Thinking beyond it, predictions and images are added. */
function outputOf({ maxOutputTokens, reasoning, n = 1 }: ChatRequest, options: EstimateOptions): Output {
  const { spending } = options;
  const limit = maxOutputTokens ?? options.maxOutputTokens;
  const budget = Math.max(reasoning?.budgetTokens ?? 0, spending?.thinking ?? 0);
  let one = limit;
  if (maxOutputTokens === undefined) one += budget;
  else if (budget >= limit) one += budget + answerBesideThinking;
  const answer = one;
  if (spending?.predicted !== undefined) one += textTokens(JSON.stringify(spending.predicted));
  // The size of an image does not depend on the limit.
  if (spending?.image === true) one = Math.max(one, tokensPerImage);
  const drawn =
    (spending?.toolImages ?? 0) * (tokensPerImage + (spending?.partialImages ?? 0) * tokensPerPartialImage);
  const output = capTokens((one + drawn) * n);
  const images = spending?.image === true ? output : capTokens(drawn * n);
  return {
    output,
    ...(spending?.audio === true ? { audioOutput: output } : {}),
    ...(images > 0 ? { imageOutput: images } : {}),
    ...(maxOutputTokens === undefined && limit > 0
      ? { isOpen: true, open: { each: answer, usual: answer, responses: n } }
      : {}),
  };
}

/** Returns the requested service tier. One dialect requests its fast tier with a `speed` field. */
function requestedTier({ serviceTier, extra }: ChatRequest): Pick<Usage, "tier"> {
  const tier = tierOf(extra?.fields["speed"] === "fast" ? "fast" : serviceTier);
  return tier === undefined ? {} : { tier };
}

/** Returns the maximum number of tokens of a text. */
export function textTokens(text: string): number {
  const scan = emptyScan();
  addText(scan, text);
  return capTokens(scan.text);
}

/** Estimates the tokens of a text without reported usage: the average of tokenizers, rounded up. */
export function tokensOf({ narrow, wide, spaces = 0 }: CharacterCount): number {
  // Text with longer runs than words (keys, base64, a list without spaces) has more tokens than prose.
  const dense = Math.max(0, narrow - (spaces + 1) * longestProseWord);
  return Math.ceil((narrow - dense) / narrowPerToken + dense / densePerToken + wide * tokensPerWide);
}

// Averages of current tokenizers on prose, code and Chinese.
const narrowPerToken = 4;
const densePerToken = 2.5;
const longestProseWord = 24;
const tokensPerWide = 0.7;

// Tokens per character in the most expensive current tokenizer, for text that is not paid for yet.
const tokensPerLetter = 1 / 3;
/** For the characters of a word beyond its first 32: base64, hashes, keys. */
const tokensPerDense = 1 / 1.3;
/** Cyrillic, Greek, Arabic, Hebrew, Indic scripts. */
const tokensPerForeign = 0.8;
/** Chinese, Japanese, Korean, emoji (per UTF-16 unit). */
const tokensPerIdeograph = 1.3;
const longestWord = 32;

const tokensPerRequest = 8;
const tokensPerMessage = 5;
const tokensPerTool = 12;
/** Some providers add text of their own around images, files and results. */
const tokensPerPart = 8;

const largest = 1_000_000_000;

function capTokens(tokens: number): number {
  return Math.min(Math.max(0, Math.ceil(tokens)), largest);
}

interface Scan {
  /** Tokens of text, not rounded yet. */
  text: number;
  /** Tokens that do not depend on text. */
  tokens: number;
  image: number;
  audio: number;
  cache: "5m" | "1h" | undefined;
  /** The largest input in parts that are not text. */
  most: { image: number; audio: number; other: number };
  /** Whether the request has such parts, and the kind of those that only the context window limits. */
  hasMedia: boolean;
  window: MostInput["window"];
  /** Documents, videos and other files. */
  files: number;
}

function emptyScan(): Scan {
  return {
    text: 0,
    tokens: 0,
    image: 0,
    audio: 0,
    cache: undefined,
    most: { image: 0, audio: 0, other: 0 },
    hasMedia: false,
    window: undefined,
    files: 0,
  };
}

function addMedia(scan: Scan, kind: "image" | "audio" | "other", { usual, most }: MediaTokens): void {
  scan.hasMedia = true;
  scan.tokens += tokensPerPart;
  if (kind === "other") scan.files += usual;
  else scan[kind] += usual;
  scan.most[kind] += most ?? usual;
  if (most !== undefined) return;
  scan.window = kind === "audio" ? "audio" : (scan.window ?? "document");
}

/** @param input the estimated input */
function mostInputOf(scan: Scan, input: number): Pick<Estimate, "mostInput"> {
  if (!scan.hasMedia) return {};
  const { image, audio, other } = scan.most;
  const most = input - scan.image - scan.audio - scan.files + image + audio + other;
  return {
    mostInput: {
      input: capTokens(most),
      image: capTokens(image),
      audio: capTokens(audio),
      ...(scan.window === undefined ? {} : { window: scan.window }),
    },
  };
}

/** Longer texts are sampled, so that a megabyte of text does not delay other calls. */
const longestWhole = 131_072;
const samples = 128;
/** Sampling of texts that are stored as bytes. */
const byteSamples = 64;
const byteSampleLength = 512;

function addText(scan: Scan, text: string): void {
  if (text.length <= longestWhole) {
    scan.text += weigh(text, 0, text.length);
    return;
  }
  const length = Math.floor(longestWhole / samples);
  const stride = Math.floor(text.length / samples);
  let found = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    found += weigh(text, sample * stride, sample * stride + length);
  }
  scan.text += (found / (samples * length)) * text.length;
}

/** Adds a text that is stored as bytes. Escape sequences count as written. */
function addBytes(scan: Scan, { bytes }: LongText): void {
  if (bytes.length <= longestWhole) return addText(scan, bytes.toString("utf8"));
  const stride = Math.floor(bytes.length / byteSamples);
  let found = 0;
  for (let sample = 0; sample < byteSamples; sample += 1) {
    // Random offsets prevent a client from predicting the sampled ranges.
    const from = sample * stride + Math.floor(Math.random() * (stride - byteSampleLength));
    const text = bytes.toString("utf8", from, from + byteSampleLength);
    found += weigh(text, 0, text.length);
  }
  scan.text += (found / (byteSamples * byteSampleLength)) * bytes.length;
}

/** Adds the text of a part; long texts are stored as bytes. */
function addTextOf(scan: Scan, part: { text: string }): void {
  const long = longTextOf(part, "text");
  if (long === undefined) addText(scan, part.text);
  else addBytes(scan, long);
}

const firstForeign = 0x300;
const firstIdeograph = 0x2e80;

/** Characters that end a word: whitespace and the punctuation of JSON and code. */
const endsWord = new Uint8Array(firstForeign).fill(1, 0, 0x21);
for (const mark of '",:{}') endsWord[mark.charCodeAt(0)] = 1;

/**
 * Returns the maximum number of tokens in this range. Reads most characters only once and counts at the end
 * of a word.
 */
function weigh(text: string, from: number, to: number): number {
  let dense = 0;
  let foreign = 0;
  let ideographs = 0;
  let word = from;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < firstForeign && endsWord[code] === 0) continue;
    const isForeign = code >= firstForeign;
    // The character that ends a long word costs as much as the word.
    dense += Math.max(0, at - word - longestWord + (isForeign ? 0 : 1));
    if (code >= firstIdeograph) ideographs += 1;
    else if (isForeign) foreign += 1;
    word = at + 1;
  }
  dense += Math.max(0, to - word - longestWord);
  const letters = to - from - dense - foreign - ideographs;
  return (
    letters * tokensPerLetter +
    dense * tokensPerDense +
    foreign * tokensPerForeign +
    ideographs * tokensPerIdeograph
  );
}

function addJson(scan: Scan, value: unknown): void {
  if (value !== undefined) addText(scan, JSON.stringify(value));
}

function noteCache(scan: Scan, cache: { ttl?: "5m" | "1h" } | undefined): void {
  if (cache !== undefined && scan.cache !== "1h") scan.cache = cache.ttl ?? "5m";
}

function addMessage(scan: Scan, message: Message): void {
  scan.tokens += tokensPerMessage;
  if (message.name !== undefined) addText(scan, message.name);
  for (const part of message.parts) addPart(scan, part);
}

function addPart(scan: Scan, part: Part): void {
  if ("cache" in part) noteCache(scan, part.cache);
  switch (part.type) {
    case "text":
    case "refusal":
      addTextOf(scan, part);
      break;
    case "reasoning":
      addTextOf(scan, part);
      addText(scan, part.encrypted ?? "");
      break;
    case "tool-call":
      scan.tokens += tokensPerPart;
      addText(scan, part.name);
      addText(scan, part.input);
      break;
    case "tool-result":
      scan.tokens += tokensPerPart;
      for (const inner of part.parts) addPart(scan, inner);
      break;
    case "image":
      addMedia(scan, "image", imagePart(part.source, part.detail));
      break;
    case "audio":
      addMedia(scan, "audio", audioPart(part.source, part.format));
      break;
    case "file":
      addMedia(scan, kindOf(part.source), filePart(part.source));
      break;
    case "foreign":
      addJson(scan, part.extra.fields);
      if (mayContainMedia(part.extra.fields)) addMedia(scan, "other", { usual: 0, most: undefined });
      break;
    default:
      part satisfies never;
  }
}

function kindOf({ mediaType = "" }: MediaSource): "image" | "audio" | "other" {
  if (mediaType.startsWith("audio/")) return "audio";
  return mediaType.startsWith("image/") ? "image" : "other";
}

/** Names of a dialect's own parts that refer to files, sound or pictures. */
const mediaNames = /video|audio|image|document|pdf|file|upload/i;

/** Whether a part that only its own dialect knows may contain more than its text. */
function mayContainMedia({ type, ...fields }: Record<string, unknown>): boolean {
  const names = typeof type === "string" ? [type] : Object.keys(fields);
  return names.some((name) => mediaNames.test(name) && !/search|result|call/i.test(name));
}

/** Returns the maximum tokens of a recording at any provider. */
export function recordingTokens(seconds: number): number {
  return capTokens(seconds * audioTokensPerSecond);
}
