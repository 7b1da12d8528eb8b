import { invalidRequest } from "#errors.ts";

/**
 * A multipart form read in place: the fields' values are found, the file stays where it is. The body is held once,
 * and goes on as it came unless the model has another name upstream.
 */
export interface Form {
  /** Text fields by name; files are not among them. */
  fields: ReadonlyMap<string, string>;
  /** Bytes of all files. */
  fileBytes: number;
  /** The body with the `model` field replaced. */
  withModel(model: string): Buffer;
}

const HEADER_END = Buffer.from("\r\n\r\n");
const MAX_FIELD_BYTES = 1024 * 1024;

export function readForm(body: Buffer, contentType: string): Form {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) throw invalidRequest("The multipart body has no boundary.");
  const mark = Buffer.from(`--${name}`);
  const fields = new Map<string, string>();
  let fileBytes = 0;
  let model: { from: number; to: number } | undefined;
  let at = body.indexOf(mark);
  while (at >= 0) {
    const headersFrom = at + mark.length + 2;
    const headersTo = body.indexOf(HEADER_END, headersFrom);
    const next = headersTo < 0 ? -1 : body.indexOf(mark, headersTo);
    if (next < 0) break;
    const headers = body.toString("utf8", headersFrom, headersTo);
    const from = headersTo + HEADER_END.length;
    // The line break before the next boundary belongs to the boundary.
    const to = next - 2;
    const field = /name="([^"]*)"/i.exec(headers)?.[1];
    if (/filename/i.test(headers)) fileBytes += to - from;
    else if (field !== undefined && to - from <= MAX_FIELD_BYTES) {
      fields.set(field, body.toString("utf8", from, to));
      if (field === "model") model = { from, to };
    }
    at = next;
  }
  if (fields.size === 0 && fileBytes === 0) throw invalidRequest("The multipart body has no fields.");
  return {
    fields,
    fileBytes,
    withModel(upstream) {
      if (model === undefined || fields.get("model") === upstream) return body;
      return Buffer.concat([body.subarray(0, model.from), Buffer.from(upstream), body.subarray(model.to)]);
    },
  };
}
