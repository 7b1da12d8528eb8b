import type { IncomingMessage } from "node:http";
import { invalidRequest } from "#errors.ts";
import { piecesInTime, SLOWEST_FORM } from "#platform/body/sender-pace.ts";
import type { StreamedBody } from "#platform/http/exchange.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import { createFormScanner } from "./form-scanner.ts";
import { bodyTooLarge, formMemory } from "./json-body.ts";
import { createSpool, type SpoolPlace } from "./spool.ts";

/**
 * A multipart form. Its fields are parsed while it arrives, and the whole body is spooled. A large file is
 * thus never in memory, and every attempt can send it again. It passes on unchanged, except for the model
 * name.
 */
export interface Form {
  /** Text fields by name, without files. */
  fields: ReadonlyMap<string, string>;
  /** Number of files, their total bytes, and the first bytes of the first one. */
  files: number;
  fileBytes: number;
  fileHead: Buffer;
  /** The body as received. */
  whole(): StreamedBody;
  /** The body with this model in its `model` field, which is added when missing. */
  withModel(model: string): StreamedBody;
  /** Frees the space. The body cannot be sent afterwards. */
  close(): Promise<void>;
}

export interface FormLimits {
  /** Maximum size of the whole body, in bytes. */
  maxBytes: number;
  /** Where large bodies are during their call. */
  place: SpoolPlace;
  memory: MemoryAllocation;
}

export async function readForm(request: IncomingMessage, limits: FormLimits): Promise<Form> {
  const boundary = boundaryOf(request.headers["content-type"] ?? "");
  if (Number(request.headers["content-length"] ?? 0) > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
  const scanner = createFormScanner(boundary);
  const spool = createSpool(limits.place);
  try {
    for await (const chunk of piecesInTime(request, SLOWEST_FORM)) {
      if (spool.length + chunk.length > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
      scanner.push(chunk);
      await spool.append(chunk);
      await limits.memory.add(formMemory(spool.length) - limits.memory.bytes);
    }
    scanner.end();
  } catch (error) {
    await spool.close();
    throw error;
  }
  const { fields, files, fileBytes, fileHead, model } = scanner;
  const whole = spool.length;
  return {
    fields,
    files,
    fileBytes,
    fileHead,
    whole: () => bodyOf(whole, [[0, whole]]),
    withModel(upstream) {
      if (fields.get("model") === upstream) return bodyOf(whole, [[0, whole]]);
      if (model !== undefined)
        return bodyOf(whole, [[0, model.from], Buffer.from(upstream), [model.to, whole]]);
      const field = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${upstream}\r\n`;
      return bodyOf(whole, [Buffer.from(field), [0, whole]]);
    },
    close: () => spool.close(),
  };

  function bodyOf(size: number, parts: (Buffer | [from: number, to: number])[]): StreamedBody {
    const sizes = parts.map((part) => (Buffer.isBuffer(part) ? part.length : part[1] - part[0]));
    return {
      length: sizes.reduce((sum, bytes) => sum + bytes, 0),
      async *open() {
        for (const part of parts) {
          if (Buffer.isBuffer(part)) yield part;
          else yield* spool.read(part[0], Math.min(part[1], size));
        }
      },
    };
  }
}

function boundaryOf(contentType: string): string {
  // Parsers disagree on two boundaries, or on a partly quoted one.
  const found =
    /^multipart\/form-data(?:\s*;\s*charset=[\w-]+)?\s*;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))(?:\s*;\s*charset=[\w-]+)?\s*$/i.exec(
      contentType,
    );
  const name = found?.[1] ?? found?.[2];
  if (name === undefined || name.endsWith(" ")) throw invalidRequest({ reason: "form_content_type" });
  return name;
}
