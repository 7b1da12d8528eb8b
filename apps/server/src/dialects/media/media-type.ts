/**
 * Detects the type of a file: by its first bytes, else by the declared type,
 * else by the extension of its name. Clients declare types that do not fit, and strict providers reject the
 * whole request for one of them. Pure.
 */
import { isUtf8 } from "node:buffer";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { ChatRequest, Message, Part } from "#dialects/ir.ts";

const signatures: ReadonlyArray<[string, number, string]> = [
  ["\x89PNG\r\n\x1a\n", 0, "image/png"],
  ["\xff\xd8\xff", 0, "image/jpeg"],
  ["GIF8", 0, "image/gif"],
  ["WEBP", 8, "image/webp"],
  ["%PDF-", 0, "application/pdf"],
  ["WAVE", 8, "audio/wav"],
  ["ID3", 0, "audio/mpeg"],
  ["\xff\xfb", 0, "audio/mpeg"],
  ["\xff\xf3", 0, "audio/mpeg"],
  ["OggS", 0, "audio/ogg"],
  ["fLaC", 0, "audio/flac"],
];

const endings = lookupTable<string>({
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  pdf: "application/pdf",
  yaml: "application/yaml",
  yml: "application/yaml",
  xml: "application/xml",
  js: "text/javascript",
  ts: "application/typescript",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  flac: "audio/flac",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  mp4: "video/mp4",
});

const unknown = "application/octet-stream";

export function typeOfBytes(bytes: Buffer, text: string, url: string): string {
  const known = typeOfStart(bytes.toString("latin1", 0, 16));
  if (known !== undefined) return known;
  return text === "" || text === unknown || text === "binary/octet-stream"
    ? typeOfEnding(url, unknown)
    : text;
}

function typeOfStart(start: string): string | undefined {
  return signatures.find(([mark, at]) => start.startsWith(mark, at))?.[2];
}

/** Other names of a type that strict providers reject. */
const aliases = lookupTable<string>({
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "application/x-pdf": "application/pdf",
  "audio/mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
});

/** Returns the usual name of a type, without its parameters. */
export function usualType(mediaType: string): string {
  const plain = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  return aliases[plain] ?? plain;
}

/** Types whose files always begin with a signature of the list above. */
const signed = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"]);
/** Base64 of the longest signature. */
const HEAD = 24;

/** Returns the type of base64 data by its first bytes alone. */
export function typeOfHead(data: string): string | undefined {
  return typeOfStart(Buffer.from(data.slice(0, HEAD), "base64").toString("latin1"));
}

/**
 * Returns the type of base64 data: by its first bytes, else the declared type under its usual name, else by the
 * extension of the file's name, else text if it is text.
 */
export function typeOfData(data: string, declared: string, filename = ""): string {
  const type = usualType(declared);
  const known = typeOfHead(data);
  if (known !== undefined) return known === type || isSameKind(known, type) ? type : known;
  if (type !== "" && type !== unknown && type !== "binary/octet-stream" && !signed.has(type)) return type;
  const named = typeOfEnding(filename, "");
  if (named !== "" && !signed.has(named)) return named;
  if (signed.has(type)) return type;
  return isUtf8(Buffer.from(data, "base64")) ? "text/plain" : unknown;
}

/** Containers hold several kinds of media: the declared kind is more exact than the signature. */
function isSameKind(known: string, declared: string): boolean {
  return known.split("/")[0] === "audio" && /^(?:audio|video)\//.test(declared);
}

/** Text of formats that are not registered below "text/". */
const textTypes =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|yaml|x-yaml|xml|javascript|x-javascript|ecmascript|typescript|x-typescript|toml|sql|graphql|x-sh|x-python|x-httpd-php|x-ndjson|jsonl)$|model\/[\w.-]+\+xml$)/;

/** Returns whether files of this type are text. */
export function isTextType(mediaType: string): boolean {
  return textTypes.test(usualType(mediaType));
}

/** Returns the type for the extension of a URL, or the fallback for an unknown one. */
export function typeOfEnding(url: string, fallback: string): string {
  const ending = /\.(?<ending>\w{2,4})(?:[?#]|$)/.exec(url)?.groups?.["ending"]?.toLowerCase() ?? "";
  return endings[ending] ?? fallback;
}

function correctType(part: Part): Part {
  if (part.type === "tool-result") {
    const parts = part.parts.map(correctType);
    return parts.some((each, at) => each !== part.parts[at]) ? { ...part, parts } : part;
  }
  if (part.type !== "image" && part.type !== "file") return part;
  const { source } = part;
  if (source.type !== "data") return part;
  const filename = part.type === "file" ? part.filename : undefined;
  const mediaType = typeOfData(source.data, source.mediaType, filename);
  if (mediaType === source.mediaType) return part;
  const next = { ...source, mediaType };
  const type = mediaType.startsWith("image/") ? "image" : "file";
  // The other fields of an image do not fit a file, nor those of a file an image.
  return part.type === type
    ? { ...part, source: next }
    : { type, source: next, ...(part.cache && { cache: part.cache }) };
}

const isTyped = ({ parts }: Message) => parts.every((part) => correctType(part) === part);

/** Returns the request with the types of its images, sounds and files; the same object when all fit. */
export function withMediaTypes(request: ChatRequest): ChatRequest {
  if (request.messages.every(isTyped)) return request;
  const messages = request.messages.map<Message>((message) =>
    isTyped(message) ? message : { ...message, parts: message.parts.map(correctType) },
  );
  return { ...request, messages };
}
