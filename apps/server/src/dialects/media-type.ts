import { lookupTable } from "@gateway/shared/lookup-table";
/**
 * Detects the type of a file: by its first bytes, else by the declared type,
 * else by the extension of its name. Pure.
 */

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
  const start = bytes.toString("latin1", 0, 16);
  for (const [mark, at, type] of signatures) if (start.startsWith(mark, at)) return type;
  return text === "" || text === unknown || text === "binary/octet-stream"
    ? typeOfEnding(url, unknown)
    : text;
}

/** Returns the type for the extension of a URL, or the fallback for an unknown one. */
export function typeOfEnding(url: string, fallback: string): string {
  const ending = /\.(?<ending>\w{2,4})(?:[?#]|$)/.exec(url)?.groups?.["ending"]?.toLowerCase() ?? "";
  return endings[ending] ?? fallback;
}
