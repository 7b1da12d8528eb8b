import { GatewayError, invalidRequest } from "#errors.ts";
import { addPiece } from "#platform/body/add-piece.ts";
import { foldName } from "./one-reading.ts";

/**
 * Finds the fields of a multipart form while its bytes arrive in any pieces. Does not buffer files. Throws
 * invalid_request.
 */
export interface FormScanner {
  push(chunk: Buffer): void;
  /** Throws when the form is incomplete. */
  end(): void;
  readonly fields: ReadonlyMap<string, string>;
  readonly files: number;
  readonly fileBytes: number;
  /** First bytes of the first file. */
  readonly fileHead: Buffer;
  /** Byte range of the `model` field's value. */
  readonly model: { from: number; to: number } | undefined;
}

const LINE = "\r\n";
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum size of all text fields together, in bytes. The longest prompts are 32,000 characters. */
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_PARTS = 1_000;
const HEAD_BYTES = 64;
/** Fields that decide routing and billing, in the only accepted spelling. Lists end in `[]`. */
const known = new Map(
  `model n stream prompt max_tokens max_completion_tokens size quality response_format partial_images output_format
  background moderation language temperature user style file image mask models fallbacks stream_options input_fidelity
  duration seconds provider timestamp_granularities include chunking_strategy best_of voice`
    .split(/\s+/)
    .map((name) => [foldName(name), name]),
);

/** Fields that may have more than one value. */
const lists = new Set(["image", "mask", "file", "timestamp_granularities", "include", "chunking_strategy"]);

interface Part {
  /** Undefined for a file, and before the first part. */
  field: string | undefined;
  file: boolean;
  from: number;
  value: Buffer[];
}

export function createFormScanner(boundary: string): FormScanner {
  const mark = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`${LINE}--${boundary}`);
  const fields = new Map<string, string>();
  let files = 0;
  /** Every field name by its folded spelling, and whether it is a file. */
  const names = new Map<string, boolean>();
  let fileBytes = 0;
  let textBytes = 0;
  let fileHead: Buffer = Buffer.alloc(0);
  let model: { from: number; to: number } | undefined;
  let parts = 0;
  let state: "content" | "headers" | "end" = "content";
  // The start of a form counts as the start of a line.
  let pending: Buffer = Buffer.from(LINE);
  /** Offset of `pending` in the body. */
  let offset = -LINE.length;
  let part: Part = { field: undefined, file: false, from: 0, value: [] };

  function skip(bytes: number): void {
    pending = pending.subarray(bytes);
    offset += bytes;
  }

  /** Requires that a field for routing or billing occurs once, in one spelling, and not as a file. */
  function requireOne({ name, file }: { name: string; file: boolean }): void {
    const folded = foldName(name);
    // Some servers also accept `model[]`, `model[0]` and `model.` as the field. Only lists are sent like
    // that.
    const base = foldName(name.split(/[[.]/, 1)[0] ?? "");
    const standard = known.get(lists.has(base) ? folded : base);
    if (standard !== undefined && standard !== name)
      throw invalidRequest({ reason: "form_field_spelling", field: name, standard });
    const repeats = file || name.endsWith("[]") || name === "image";
    if (!repeats && names.has(folded)) throw invalidRequest({ reason: "form_field_repeated", field: name });
    if (names.get(folded) === !file)
      throw invalidRequest({ reason: "form_field_file_and_text", field: name });
    names.set(folded, file);
    if (file && neverFiles.has(name)) throw invalidRequest({ reason: "form_field_not_text", field: name });
  }

  function take(bytes: number): void {
    if (part.file) {
      if (fileHead.length < HEAD_BYTES && parts > 0)
        fileHead = Buffer.concat([
          fileHead,
          pending.subarray(0, Math.min(bytes, HEAD_BYTES - fileHead.length)),
        ]);
      fileBytes += bytes;
    } else if (part.field !== undefined) {
      textBytes += bytes;
      if (textBytes > MAX_TEXT_BYTES)
        throw new GatewayError("body_too_large", {
          reason: "form_text_too_long",
          kilobytes: MAX_TEXT_BYTES / 1024,
        });
      addPiece(part.value, Buffer.from(pending.subarray(0, bytes)));
    }
    skip(bytes);
  }

  function finish(): void {
    const { field, value, from } = part;
    if (field === undefined) return;
    fields.set(field, Buffer.concat(value).toString("utf8"));
    part.value = [];
    if (field === "model") model = { from, to: offset };
  }

  /** Requires that only line ends follow the last boundary: some parsers would read further parts there. */
  function nothingMore(): void {
    if (pending.some((byte) => byte !== CARRIAGE_RETURN && byte !== LINE_FEED)) throw ambiguousForm();
    skip(pending.length);
  }

  /** Returns false when more bytes are needed. */
  function content(): boolean {
    const found = pending.indexOf(mark);
    if (found < 0) {
      if (parts === 0 && pending.length >= delimiter.length) throw noPreamble();
      const safe = pending.length - delimiter.length + 1;
      if (safe > 0) take(safe);
      return false;
    }
    const at = found - LINE.length;
    // Some parsers accept a lone line feed as a line end.
    if (at < 0 || pending.toString("latin1", at, found) !== LINE) throw ambiguousForm();
    if (parts === 0 && at > 0) throw noPreamble();
    take(at);
    if (pending.length < delimiter.length + LINE.length) return false;
    const after = pending.toString("latin1", delimiter.length, delimiter.length + LINE.length);
    // A boundary with trailing spaces, or a text that only begins like one, is a boundary for some parsers
    // only.
    if (after !== LINE && after !== "--") throw ambiguousForm();
    finish();
    skip(delimiter.length + (after === LINE ? 0 : LINE.length));
    state = after === LINE ? "headers" : "end";
    return state === "headers";
  }

  function headers(): boolean {
    const end = pending.indexOf(LINE + LINE);
    if (end > MAX_HEADER_BYTES || (end < 0 && pending.length > MAX_HEADER_BYTES))
      throw invalidRequest({ reason: "form_headers_too_long" });
    if (end < 0) return false;
    parts += 1;
    if (parts > MAX_PARTS) throw invalidRequest({ reason: "form_too_many_parts" });
    const text = pending.toString("utf8", Math.min(LINE.length, end), end);
    skip(end + 2 * LINE.length);
    const described = describe(text);
    requireOne(described);
    const { name, file } = described;
    part = { field: file ? undefined : name, file, from: offset, value: [] };
    if (file) files += 1;
    state = "content";
    return true;
  }

  return {
    push(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      while (state !== "end" && (state === "headers" ? headers() : content()));
      if (state === "end") nothingMore();
    },
    end() {
      if (state !== "end") throw invalidRequest({ reason: "form_no_end" });
      if (parts === 0) throw invalidRequest({ reason: "form_empty" });
    },
    get fields() {
      return fields;
    },
    get files() {
      return files;
    },
    get fileBytes() {
      return fileBytes;
    },
    get fileHead() {
      return fileHead;
    },
    get model() {
      return model;
    },
  };
}

/**
 * Fields never sent as a file. A parser that ignores an empty file name would read such a file as the field.
 */
const neverFiles = new Set([...known.values()].filter((name) => !["file", "image", "mask"].includes(name)));

/**
 * Quoted without escapes, or a token; name and file name in either order. All common clients write one of
 * these forms.
 */
const quotedPattern = (name: string) => `(?:"(?<${name}>[^"\\\\]{1,200})"|(?<${name}Token>[\\w.-]{1,200}))`;
const filename = '; ?filename=(?:"[^"\\\\]{0,1000}"|[\\w.-]{1,1000})';
const disposition = new RegExp(
  `^form-data(?:; ?name=${quotedPattern("name")}(?<file>${filename}(?:; ?filename\\*=[\\w.%'!#$&+^\`|~-]{1,3000})?)?|(?<fileFirst>${filename}); ?name=${quotedPattern("behind")})$`,
);
const header = /^(?<name>[\w-]+): ?(?<value>[\t\x20-\x7e\x80-\uffff]*)$/;
/** Allowed headers of a part. Others could change how it is parsed. */
const plainHeaders = new Set(["content-disposition", "content-type", "content-length", "mime-version"]);

/** Allowed content types of a text field. Others would be decoded differently. */
const textTypes =
  /^(?:text\/plain|application\/(?:json|octet-stream))(?:; ?charset="?(?:utf-8|us-ascii)"?)?$/i;

/** Parses headers that all parsers read the same way, and rejects all others. */
function describe(headers: string): { name: string; file: boolean } {
  const seen = new Map<string, string>();
  for (const line of headers.split(LINE)) {
    const { name, value } = header.exec(line)?.groups ?? {};
    const key = name?.toLowerCase() ?? "";
    const binary = key === "content-transfer-encoding" && /^(?:binary|8bit|7bit)$/i.test(value?.trim() ?? "");
    if (value === undefined || seen.has(key) || !(plainHeaders.has(key) || binary)) throw ambiguousForm();
    seen.set(key, value.trim());
  }
  const found = disposition.exec(seen.get("content-disposition") ?? "")?.groups;
  const name = found?.["name"] ?? found?.["nameToken"] ?? found?.["behind"] ?? found?.["behindToken"];
  // `=?…?=` is a different text for parsers that decode MIME encoded words.
  if (found === undefined || name === undefined || /[\p{C}%]|=\?/u.test(name) || name === "_charset_")
    throw ambiguousForm();
  const file = (found["file"] ?? found["fileFirst"]) !== undefined;
  const type = seen.get("content-type");
  if (!file && type !== undefined && !textTypes.test(type)) throw ambiguousForm(name);
  return { name, file };
}

function ambiguousForm(name?: string): GatewayError {
  return invalidRequest({ reason: "form_ambiguous" }, { param: name });
}

function noPreamble(): GatewayError {
  return invalidRequest({ reason: "form_preamble" });
}
