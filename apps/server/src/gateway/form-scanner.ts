import { invalidRequest } from "#errors.ts";

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
/** What decides how a call is routed and billed must be said once. */
const SINGLE = new Set(["model", "n", "stream", "prompt", "max_tokens"]);

interface Part {
  /** Undefined for a file, and for what stands before the first part. */
  field: string | undefined;
  file: boolean;
  from: number;
  value: Buffer[];
  size: number;
}

export function createFormScanner(boundary: string): FormScanner {
  const delimiter = Buffer.from(`${LINE}--${boundary}`);
  const fields = new Map<string, string>();
  let files = 0;
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
        throw invalidRequest(`The field "${part.field}" of the form is too long.`, part.field);
      part.value.push(Buffer.from(pending.subarray(0, bytes)));
    }
    skip(bytes);
  }

  function finish(): void {
    const { field, value, from } = part;
    if (field === undefined) return;
    if (SINGLE.has(field) && fields.has(field))
      throw invalidRequest(`The field "${field}" stands twice in the form.`, field);
    fields.set(field, Buffer.concat(value).toString("utf8"));
    if (field === "model") model = { from, to: offset };
  }

  /** False when more bytes are needed. */
  function content(): boolean {
    const at = pending.indexOf(delimiter);
    if (at < 0) {
      const safe = pending.length - delimiter.length + 1;
      if (safe > 0) take(safe);
      return false;
    }
    take(at);
    if (pending.length < delimiter.length + LINE.length) return false;
    const after = pending.toString("latin1", delimiter.length, delimiter.length + LINE.length);
    if (after !== LINE && after !== "--") {
      // Only looks like the boundary.
      take(LINE.length);
      return true;
    }
    finish();
    skip(delimiter.length + (after === LINE ? 0 : LINE.length));
    state = after === LINE ? "headers" : "end";
    return state === "headers";
  }

  function headers(): boolean {
    const end = pending.indexOf(LINE + LINE);
    if (end > MAX_HEADER_BYTES || (end < 0 && pending.length > MAX_HEADER_BYTES))
      throw invalidRequest("The headers of a part of the form are too long.");
    if (end < 0) return false;
    parts += 1;
    if (parts > MAX_PARTS) throw invalidRequest("The form has too many parts.");
    const text = pending.toString("utf8", 0, end);
    skip(end + 2 * LINE.length);
    part = { ...describe(text), from: offset, value: [], size: 0 };
    if (part.file) files += 1;
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
      if (state !== "end")
        throw invalidRequest("The multipart body has no end: its last boundary is missing.");
      if (parts === 0) throw invalidRequest("The multipart body has no fields.");
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

function describe(headers: string): Pick<Part, "field" | "file"> {
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
  // A name in two spellings could mean one field to us and another to the vendor.
  if (/[;\s]name\*/i.test(disposition)) throw invalidRequest("A field of the form has its name encoded.");
  const name = /[;\s]name=(?:"([^"]*)"|([^;\s]+))/i.exec(disposition);
  if (/[;\s]filename\*?=/i.test(disposition)) return { field: undefined, file: true };
  return { field: name?.[1] ?? name?.[2], file: false };
}
