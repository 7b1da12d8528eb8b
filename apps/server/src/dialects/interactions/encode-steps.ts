/** Encodes messages and responses as steps. */
import { placeCitation } from "#dialects/citation-place.ts";
import type { Wire } from "#dialects/dialect.ts";
import type { Citation, Message, Part } from "#dialects/ir.ts";
import { soundText } from "#dialects/media/media.ts";
import { packProof } from "#dialects/reasoning/proof.ts";
import { asRecord, compact, inputObject, ownFields } from "#dialects/wire.ts";

export function encodeAnnotations(citations: readonly Citation[], text: string): Wire[] {
  return citations.flatMap((citation) => {
    if (citation.url === undefined) return [];
    const { url, title, start, end } = placeCitation(citation, text);
    return [compact<Wire>({ type: "url_citation", url, title, start_index: start, end_index: end })];
  });
}

/** Encodes text or media; undefined for other parts, and for media that cannot be named in this format. */
export function encodeContent(part: Part): Wire | undefined {
  switch (part.type) {
    case "text": {
      const annotations = encodeAnnotations(part.citations ?? [], part.text);
      return { type: "text", text: part.text, ...(annotations.length > 0 && { annotations }) };
    }
    case "refusal":
      return { type: "text", text: part.text };
    case "audio":
      if (part.source.type === "data" && part.source.data === "") {
        const text = soundText(part);
        return text === "" ? undefined : { type: "text", text };
      }
      return encodeMedia("audio", part);
    case "image":
      return encodeMedia("image", part);
    case "file":
      return encodeMedia(part.source.mediaType?.startsWith("video/") === true ? "video" : "document", part);
    default:
      return undefined;
  }
}

function encodeMedia(type: string, { source }: Extract<Part, { source: unknown }>): Wire {
  if (source.type === "data") return { type, data: source.data, mime_type: source.mediaType };
  const uri = source.type === "url" ? source.url : source.id;
  return compact<Wire>({ type, uri, mime_type: source.mediaType });
}

/** Returns the signature of a thought or call, with the origin of one that is not Google's. */
export function signatureOf(part: Parameters<typeof packProof>[0]): string | undefined {
  return packProof(part, "signature", "gemini");
}

export function summaryOf(text: string): Wire {
  return { summary: [{ type: "text", text }] };
}

/** Encodes code that Google ran; undefined for anything else that only one dialect has. */
export function encodeCode(part: Extract<Part, { type: "foreign" }>, id: string): Wire | undefined {
  const fields = ownFields("gemini", part.extra);
  const code = asRecord(fields?.["executableCode"]);
  if (code !== undefined) {
    const named = code["language"];
    const language = typeof named === "string" ? named.toLowerCase() : "python";
    return { type: "code_execution_call", id, arguments: { code: code["code"], language } };
  }
  const result = asRecord(fields?.["codeExecutionResult"]);
  if (result === undefined) return undefined;
  const failed = result["outcome"] !== undefined && result["outcome"] !== "OUTCOME_OK";
  const output = result["output"] ?? "";
  return { type: "code_execution_result", call_id: id, result: output, ...(failed && { is_error: true }) };
}

/** Returns the name of a result's contents. */
function encodeResult(part: Extract<Part, { type: "tool-result" }>): Wire {
  const [first, ...others] = part.parts;
  const isText = first?.type === "text" && others.length === 0;
  return compact<Wire>({
    type: "function_result",
    call_id: part.callId,
    name: part.name,
    result: isText ? first.text : part.parts.flatMap((each) => encodeContent(each) ?? []),
    is_error: part.isError,
  });
}

/** Encodes parts in order. Text and media that follow each other are one step of the type `container`. */
export function encodeParts(parts: readonly Part[], container: "model_output" | "user_input"): Wire[] {
  const steps: Wire[] = [];
  let codes = 0;
  /** Adds a signature to the thought before, or as a thought of its own. */
  const sign = (signature: string) => {
    const last = steps.at(-1);
    if (last?.["type"] === "thought" && last["signature"] === undefined) last["signature"] = signature;
    else steps.push({ type: "thought", signature });
  };
  for (const part of parts) {
    switch (part.type) {
      case "reasoning": {
        const signature = signatureOf(part);
        if (part.text === "" && signature === undefined) break;
        const summary = part.text === "" ? {} : summaryOf(part.text);
        steps.push(compact<Wire>({ type: "thought", signature, ...summary }));
        break;
      }
      case "tool-call": {
        const signature = signatureOf({ signature: part.signature, origin: part.origin });
        if (signature !== undefined) sign(signature);
        const { id, name, input } = part;
        steps.push({ type: "function_call", id, name, arguments: inputObject(input) });
        break;
      }
      case "tool-result":
        steps.push(encodeResult(part));
        break;
      case "foreign": {
        if (asRecord(part.extra.fields["executableCode"]) !== undefined) codes += 1;
        const step = encodeCode(part, codeId(codes));
        if (step !== undefined) steps.push(step);
        break;
      }
      default: {
        const content = encodeContent(part);
        const last = steps.at(-1);
        if (content === undefined) break;
        if (last?.["type"] === container) (last["content"] as Wire[]).push(content);
        else steps.push({ type: container, content: [content] });
      }
    }
  }
  return steps;
}

/** Returns the id of a run of code, which the other format does not have. */
export function codeId(count: number): string {
  return `code_${count}`;
}

/** Encodes messages, without instructions. */
export function encodeMessages(messages: readonly Message[]): Wire[] {
  return messages.flatMap(({ role, parts }) => {
    if (role === "system" || role === "developer") return [];
    return encodeParts(parts, role === "assistant" ? "model_output" : "user_input");
  });
}
