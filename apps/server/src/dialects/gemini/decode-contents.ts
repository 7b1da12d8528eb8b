import { append } from "#dialects/append.ts";
import type { Extra, MediaSource, Message, Part } from "#dialects/ir.ts";
import { audioFormat } from "#dialects/media/media.ts";
import { isGoogleFile } from "#dialects/media/uploaded-file.ts";
import { unpackCallProof, unpackProof } from "#dialects/reasoning/proof.ts";
import { asRecord, extraOf, fieldsIn } from "#dialects/wire.ts";
import {
  blob,
  fileData,
  functionCall,
  functionResponse,
  type RequestPart,
  requestPart,
  type WireContent,
} from "./schema.ts";

export function decodeMedia(mimeType: string, data: string): Part {
  const source = { type: "data" as const, mediaType: mimeType, data };
  if (mimeType.startsWith("image/")) return { type: "image", source };
  if (mimeType.startsWith("audio/")) return { type: "audio", source, format: audioFormat(mimeType) };
  return { type: "file", source };
}

function decodeFile(wire: NonNullable<RequestPart["fileData"]>): Part {
  const { fileUri: url, mimeType } = wire;
  const typed = mimeType ? { mediaType: mimeType } : {};
  const source: MediaSource = isGoogleFile(url)
    ? { type: "file", id: url, ...typed }
    : { type: "url", url, ...typed };
  return mimeType?.startsWith("image/") ? { type: "image", source } : { type: "file", source };
}

/**
 * Reads a function result, which is an object in this format.
 * Forms that contain plain text are read as that text.
 */
function decodeResult(response: Record<string, unknown>): { text: string; isError: boolean } {
  const [key, ...others] = Object.keys(response);
  if (key !== undefined && others.length === 0) {
    const value = response[key];
    if (typeof value === "string" && (key === "result" || key === "output"))
      return { text: value, isError: false };
    if (typeof value === "string" && key === "error") return { text: value, isError: true };
  }
  return { text: JSON.stringify(response), isError: false };
}

/**
 * Calls that await a result. Calls and results of this format need no ids;
 * without ids they are matched by name, in order.
 */
export interface CallBook {
  open: Array<{ id: string; name: string }>;
  /** Ids of calls that have a result. */
  answered: Set<string>;
  count: number;
}

function decodeCall(
  wire: NonNullable<RequestPart["functionCall"]>,
  signature: string | undefined,
  book: CallBook,
): Part {
  const id = wire.id || `call_${book.count}`;
  book.count += 1;
  book.open.push({ id, name: wire.name });
  const input = JSON.stringify(wire.args ?? {});
  return { type: "tool-call", id, name: wire.name, input, ...unpackCallProof(signature) };
}

const isMedia = ({ inlineData, fileData }: RequestPart) => Boolean(inlineData ?? fileData);

function decodeResponsePart(wire: NonNullable<RequestPart["functionResponse"]>, book: CallBook): Part[] {
  const at = book.open.findIndex((call) => (wire.id ? call.id === wire.id : call.name === wire.name));
  const [call] = at === -1 ? [] : book.open.splice(at, 1);
  // Gemini CLI sends a result twice when it resumes a session. Other providers reject the second.
  if (call === undefined && wire.id && book.answered.has(wire.id)) return [];
  const callId = wire.id || (call?.id ?? wire.name);
  book.answered.add(callId);
  const { text, isError } = decodeResult(wire.response ?? {});
  const attached = (wire.parts ?? []).flatMap((each) => (isMedia(each) ? decodePart(each, book) : []));
  const isWordless = attached.length > 0 && Object.keys(wire.response ?? {}).length === 0;
  return [
    {
      type: "tool-result",
      callId,
      name: wire.name,
      parts: isWordless ? attached : [{ type: "text", text }, ...attached],
      ...(isError && { isError }),
    },
  ];
}

/** Decodes text. A signature on plain text becomes an empty reasoning part, which is sent back unchanged. */
function decodeText(text: string, thought: boolean, signature: string | undefined): Part[] {
  const proof = signature === undefined ? undefined : unpackProof(signature, "signature");
  if (thought) return [{ type: "reasoning", text, ...proof }];
  const spoken: Part[] = text === "" ? [] : [{ type: "text", text }];
  return proof === undefined ? spoken : [...spoken, { type: "reasoning", text: "", ...proof }];
}

const partFields = fieldsIn(requestPart.out);
const innerFields = {
  functionCall: fieldsIn(functionCall.out),
  functionResponse: fieldsIn(functionResponse.out),
  inlineData: fieldsIn(blob.out),
  fileData: fieldsIn(fileData.out),
};

/** Returns the fields that the IR does not have, of a part and of the object in it. */
function partExtra(wire: RequestPart): Extra | undefined {
  const extra = extraOf("gemini", wire, partFields);
  let fields = extra?.fields;
  for (const [name, known] of Object.entries(innerFields)) {
    const inner = asRecord(wire[name]);
    const more = inner === undefined ? undefined : extraOf("gemini", inner, known);
    if (more !== undefined) fields = { ...fields, [name]: more.fields };
  }
  return fields === undefined ? undefined : { dialect: "gemini", fields };
}

function decodePart(wire: RequestPart, book: CallBook): Part[] {
  const parts = decodeKnownPart(wire, book);
  const [first, ...rest] = parts;
  if (first === undefined || first.type === "foreign") return parts;
  const extra = partExtra(wire);
  return extra === undefined ? parts : [{ ...first, extra }, ...rest];
}

function decodeKnownPart(wire: RequestPart, book: CallBook): Part[] {
  const signature = wire.thoughtSignature || undefined;
  if (wire.functionCall) return [decodeCall(wire.functionCall, signature, book)];
  if (wire.functionResponse) return decodeResponsePart(wire.functionResponse, book);
  if (wire.inlineData) return [decodeMedia(wire.inlineData.mimeType, wire.inlineData.data)];
  if (wire.fileData) return [decodeFile(wire.fileData)];
  if (typeof wire.text === "string") return decodeText(wire.text, wire.thought === true, signature);
  return [{ type: "foreign", extra: { dialect: "gemini", fields: wire } }];
}

/**
 * Decodes all contents to messages. Streaming clients store each chunk as a separate content. Consecutive
 * contents of the model become one message again; otherwise reasoning would lose its proof and calls their
 * results.
 */
export function decodeContents(contents: readonly WireContent[], book: CallBook): Message[] {
  const messages: Message[] = [];
  for (const message of contents.flatMap((content) => decodeContent(content, book))) {
    if (message.parts.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === "assistant" && message.role === "assistant") goOn(last.parts, message.parts);
    else messages.push(message);
  }
  return messages;
}

/** Appends parts. Text or reasoning that continues the last part is merged with it. */
function goOn(output: Part[], [first, ...rest]: Part[]): void {
  const last = output.at(-1);
  const isOpen = last?.type === "reasoning" && last.signature === undefined && last.encrypted === undefined;
  if (first === undefined) return;
  if (last?.type === "text" && first.type === "text") last.text += first.text;
  else if (isOpen && first.type === "reasoning")
    Object.assign(last, { ...first, text: last.text + first.text });
  else output.push(first);
  append(output, rest);
}

/**
 * Joins a thought with the signature part that follows it. Clients that collect a stream store the signature,
 * which comes last, as a separate part. Together they are the thought that the provider signed.
 */
function withProofs(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const isProof = part.type === "reasoning" && part.text === "";
    if (isProof && joined.at(-1)?.type === "reasoning") goOn(joined, [part]);
    else joined.push(part);
  }
  return joined;
}

/**
 * Decodes one content. Tool results are part of a user content here; in the IR they are separate messages.
 */
export function decodeContent(wire: WireContent, book: CallBook): Message[] {
  const parts = (wire.parts ?? []).flatMap((part) => decodePart(part, book));
  if (wire.role === "model") return [{ role: "assistant", parts: withProofs(parts) }];
  if (wire.role === "system") return [{ role: "system", parts }];
  const messages: Message[] = [];
  for (const part of parts) {
    const role = part.type === "tool-result" ? "tool" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(part);
    else messages.push({ role, parts: [part] });
  }
  return messages;
}
