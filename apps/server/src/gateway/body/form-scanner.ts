import { type GatewayError, invalidRequest } from "#errors.ts";
import { foldName } from "./one-reading.ts";

/** Finds the fields of a multipart form while its bytes pass in any pieces. Holds no file. Throws invalid_request. */
export interface FormScanner {
  push(chunk: Buffer): void;
  /** Throws when the form has not ended. */
  end(): void;
  readonly fields: ReadonlyMap<string, string>;
  readonly files: number;
  readonly fileBytes: number;
  /** How the first file begins. */
  readonly fileHead: Buffer;
  /** Where the value of the field `model` lies. */
  readonly model: { from: number; to: number } | undefined;
}

const LINE = "\r\n";
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_PARTS = 1_000;
const HEAD_BYTES = 64;
/** What decides how a call is routed and billed, in the one spelling that is read. Lists end in `[]`. */
const known = new Map(
  `model n stream prompt max_tokens max_completion_tokens size quality response_format partial_images output_format
  background moderation language temperature user style file image mask models fallbacks stream_options input_fidelity
  duration seconds provider timestamp_granularities include chunking_strategy best_of voice`
    .split(/\s+/)
    .map((name) => [foldName(name), name]),
);

/** Fields with more than one value. */
const lists = new Set(["image", "mask", "file", "timestamp_granularities", "include", "chunking_strategy"]);

interface Part {
  /** Undefined for a file, and for what stands before the first part. */
  field: string | undefined;
  file: boolean;
  from: number;
  value: Buffer[];
  size: number;
}

export function createFormScanner(boundary: string): FormScanner {
  const mark = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`${LINE}--${boundary}`);
  const fields = new Map<string, string>();
  let files = 0;
  /** Every name by its folded spelling, and whether it is a file. */
  const names = new Map<string, boolean>();
  let fileBytes = 0;
  let fileHead: Buffer = Buffer.alloc(0);
  let model: { from: number; to: number } | undefined;
  let parts = 0;
  let state: "content" | "headers" | "end" = "content";
  // A form begins as if a line had ended before it.
  let pending: Buffer = Buffer.from(LINE);
  /** Where `pending` lies in the body. */
  let offset = -LINE.length;
  let part: Part = { field: undefined, file: false, from: 0, value: [], size: 0 };

  function skip(bytes: number): void {
    pending = pending.subarray(bytes);
    offset += bytes;
  }

  /** A field that a call is routed and billed by is there once, in one spelling, and never as a file. */
  function requireOne({ name, file }: { name: string; file: boolean }): void {
    const folded = foldName(name);
    // Some servers read `model[]`, `model[0]` and `model.` as the field, too; only lists are sent like that.
    const base = foldName(name.replace(/[[.].*$/, ""));
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
      part.size += bytes;
      if (part.size > MAX_FIELD_BYTES)
        throw invalidRequest({ reason: "form_field_too_long", field: part.field });
      part.value.push(Buffer.from(pending.subarray(0, bytes)));
    }
    skip(bytes);
  }

  function finish(): void {
    const { field, value, from } = part;
    if (field === undefined) return;
    fields.set(field, Buffer.concat(value).toString("utf8"));
    if (field === "model") model = { from, to: offset };
  }

  /** False when more bytes are needed. */
  function content(): boolean {
    const found = pending.indexOf(mark);
    if (found < 0) {
      if (parts === 0 && pending.length >= delimiter.length) throw noPreamble();
      const safe = pending.length - delimiter.length + 1;
      if (safe > 0) take(safe);
      return false;
    }
    const at = found - LINE.length;
    // Some readers take a lone line feed for a line's end.
    if (at < 0 || pending.toString("latin1", at, found) !== LINE) throw ambiguousForm();
    if (parts === 0 && at > 0) throw noPreamble();
    take(at);
    if (pending.length < delimiter.length + LINE.length) return false;
    const after = pending.toString("latin1", delimiter.length, delimiter.length + LINE.length);
    // Spaces behind it, or a text that only begins like it, are a boundary for some readers and not for others.
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
    part = { field: file ? undefined : name, file, from: offset, value: [], size: 0 };
    if (file) files += 1;
    state = "content";
    return true;
  }

  return {
    push(chunk) {
      if (state === "end") return;
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      while (state === "headers" ? headers() : content());
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

/** Names that are never sent as a file; a reader that ignores an empty file name would take one for the field. */
const neverFiles = new Set([...known.values()].filter((name) => !["file", "image", "mask"].includes(name)));

/** Quoted without escapes, or a token; in this order, as all clients write it, or with the file's name first. */
const quoted = (name: string) => `(?:"(?<${name}>[^"\\\\]{1,200})"|(?<${name}Token>[\\w.-]{1,200}))`;
const filename = '; ?filename=(?:"[^"\\\\]{0,1000}"|[\\w.-]{1,1000})';
const disposition = new RegExp(
  `^form-data(?:; ?name=${quoted("name")}(?<file>${filename}(?:; ?filename\\*=[\\w.%'!#$&+^\`|~-]{1,3000})?)?|(?<fileFirst>${filename}); ?name=${quoted("behind")})$`,
);
const header = /^(?<name>[\w-]+): ?(?<value>[\t\x20-\x7e\x80-\uffff]*)$/;
/** Of a part's headers; others could change how it is read. */
const plainHeaders = new Set(["content-disposition", "content-type", "content-length", "mime-version"]);

/** Of a field that is a text: any other would be decoded to something else. */
const textTypes =
  /^(?:text\/plain|application\/(?:json|octet-stream))(?:; ?charset="?(?:utf-8|us-ascii)"?)?$/i;

/** Reads what every reader reads in the same way, and refuses everything else. */
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
  // `=?…?=` is another text for readers that decode words of mail headers.
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
