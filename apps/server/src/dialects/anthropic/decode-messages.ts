import type { z } from "zod";
import { type cacheControl, withCache } from "#dialects/cache-control.ts";
import type { MediaSource, Message, Part } from "#dialects/ir.ts";
import { base64OfText } from "#dialects/media/media.ts";
import { unpackProof } from "#dialects/reasoning/proof.ts";
import { fieldsIn, parseAt, withExtra } from "#dialects/wire.ts";
import { decodeCitation } from "./citation.ts";
import { block, requestBlocks } from "./schema.ts";

type Blocks = string | Array<{ type: string }> | null | undefined;

function foreign(wire: { type: string }): Extract<Part, { type: "foreign" }> {
  return { type: "foreign", extra: { dialect: "anthropic", fields: { ...wire } } };
}

/** Returns a block that other dialects receive as a text with its title, and its other content. */
function decodeTitled(
  wire: { type: string },
  title: string,
  content: Blocks,
  { at, cache }: { at: string; cache: z.infer<typeof cacheControl> | null | undefined },
): Part {
  const parts = decodeBlocks(content, at);
  const texts = parts.filter((part) => part.type === "text");
  const text = [title, ...texts.map((part) => part.text)].filter(Boolean).join("\n\n");
  const inner = texts.find((part) => part.cache !== undefined)?.cache;
  const whole = withCache({ type: "text" as const, text, ...(inner && { cache: inner }) }, cache);
  const fallback = [
    withExtra(whole, "anthropic", wire, fieldsOf.get(wire.type) ?? noFields),
    ...parts.filter((part) => part.type !== "text"),
  ];
  return { ...foreign(wire), fallback };
}

function decodeSearchResult(wire: { type: string }, at: string): Part {
  const { title, source, content, cache_control: cache } = parseAt(requestBlocks.search_result, wire, at);
  return decodeTitled(wire, [title, source].filter(Boolean).join("\n"), content, {
    at: `${at}.content`,
    cache,
  });
}

type ImageSource = z.infer<typeof requestBlocks.image>["source"];

function decodeSource(source: ImageSource): MediaSource {
  switch (source.type) {
    case "base64":
      return { type: "data", mediaType: source.media_type, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    default:
      return { type: "file", id: source.file_id };
  }
}

function decodeDocument(wire: { type: string }, at: string): Part {
  const { source, title, cache_control: cache } = parseAt(requestBlocks.document, wire, at);
  if (source.type === "content")
    return decodeTitled(wire, title ?? "", source.content, { at: `${at}.source.content`, cache });
  const decoded: MediaSource =
    source.type === "text"
      ? { type: "data", mediaType: source.media_type ?? "text/plain", data: base64OfText(source.data) }
      : decodeSource(source);
  return withCache({ type: "file" as const, source: decoded, ...(title && { filename: title }) }, cache);
}

function decodeText(wire: { type: string }, at: string): Part {
  const { text, citations, cache_control: cache } = parseAt(requestBlocks.text, wire, at);
  const cited = (citations ?? []).flatMap((each) => decodeCitation(each) ?? []);
  const part = { type: "text" as const, text, ...(cited.length > 0 && { citations: cited }) };
  return withCache(part, cache);
}

function decodeToolResult(wire: { type: string }, at: string): Part {
  const result = parseAt(requestBlocks.tool_result, wire, at);
  const part = {
    type: "tool-result" as const,
    callId: result.tool_use_id,
    parts: decodeBlocks(result.content, `${at}.content`),
    ...(result.is_error && { isError: true }),
  };
  return withCache(part, result.cache_control);
}

const noFields: ReadonlySet<string> = new Set();
const fieldsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(requestBlocks).map(([type, schema]) => [type, fieldsIn(block, schema)]),
);

function decodeBlock(wire: { type: string }, at: string): Part {
  const part = decodeKnownBlock(wire, at);
  const known = fieldsOf.get(wire.type);
  return part.type === "foreign" || known === undefined ? part : withExtra(part, "anthropic", wire, known);
}

function decodeKnownBlock(wire: { type: string }, at: string): Part {
  switch (wire.type) {
    case "text":
      return decodeText(wire, at);
    case "image": {
      const image = parseAt(requestBlocks.image, wire, at);
      return withCache({ type: "image" as const, source: decodeSource(image.source) }, image.cache_control);
    }
    case "document":
      return decodeDocument(wire, at);
    case "thinking": {
      const { thinking, signature } = parseAt(requestBlocks.thinking, wire, at);
      return { type: "reasoning", text: thinking, ...(signature && unpackProof(signature, "signature")) };
    }
    case "redacted_thinking": {
      const { data } = parseAt(requestBlocks.redacted_thinking, wire, at);
      return { type: "reasoning", text: "", ...unpackProof(data, "encrypted") };
    }
    case "tool_use": {
      const { id, name, input, cache_control: cache } = parseAt(requestBlocks.tool_use, wire, at);
      return withCache({ type: "tool-call" as const, id, name, input: JSON.stringify(input) }, cache);
    }
    case "tool_result":
      return decodeToolResult(wire, at);
    case "search_result":
      return decodeSearchResult(wire, at);
    case "tool_reference": {
      const { tool_name: name, cache_control: cache } = parseAt(requestBlocks.tool_reference, wire, at);
      const text = { type: "text" as const, text: `This tool can be called now: ${name}` };
      return { ...foreign(wire), fallback: [withCache(text, cache)] };
    }
    default:
      return foreign(wire);
  }
}

/** Decodes content blocks. `at` is the path of the list. Throws `invalidRequest`. */
export function decodeBlocks(content: Blocks, at: string): Part[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((wire, index) => decodeBlock(wire, `${at}.${index}`));
}

/** Decodes a message. Tool results are part of a user message here; in the IR they are separate messages. */
export function decodeMessage(
  wire: { role: "user" | "assistant" | "system"; content: Blocks },
  at: string,
): Message[] {
  const parts = decodeBlocks(wire.content, `${at}.content`);
  if (wire.role !== "user") return [{ role: wire.role, parts }];
  const messages: Message[] = [];
  for (const part of parts) {
    const role = part.type === "tool-result" ? "tool" : "user";
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(part);
    else messages.push({ role, parts: [part] });
  }
  return messages.length === 0 ? [{ role: "user", parts }] : messages;
}
