import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import { FIXED_PIECES, firstMessage } from "./prompt-pieces.ts";

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching, read 2026-11-28. */
const mark = { cache_control: { type: "ephemeral" } };

/** Blocks that may carry a mark. Those of thinking may not. */
const markable: ReadonlySet<unknown> = new Set([
  "text",
  "image",
  "document",
  "tool_use",
  "tool_result",
  "image_url",
  "input_audio",
  "file",
]);

/**
 * Returns the body with a mark at the end of each of these pieces, or at the nearest earlier place that may have one. The
 * same object when there is none.
 * @param ends numbers of pieces
 */
export function withMarks(body: Wire, ends: readonly number[]): Wire {
  let next = body;
  for (const end of ends) next = withMarkAt(next, end);
  return next;
}

function withMarkAt(body: Wire, end: number): Wire {
  const { messages } = body;
  if (Array.isArray(messages))
    for (let at = firstMessage(body) + end - FIXED_PIECES - 1; at >= 0; at -= 1) {
      const message = asRecord(messages[at]);
      const content = message === undefined ? undefined : markedContent(message["content"]);
      if (content !== undefined)
        return { ...body, messages: (messages as unknown[]).with(at, { ...message, content }) };
    }
  const system = end < FIXED_PIECES ? undefined : markedContent(body["system"]);
  if (system !== undefined) return { ...body, system };
  const tools = markedTools(body["tools"]);
  return tools === undefined ? body : { ...body, tools };
}

/** Returns the content with a mark; undefined when nothing in it may have one. */
function markedContent(content: unknown): unknown[] | undefined {
  if (typeof content === "string")
    return content.trim() === "" ? undefined : [{ type: "text", text: content, ...mark }];
  if (!Array.isArray(content)) return undefined;
  const at = content.findLastIndex((block: unknown) => {
    const wire = asRecord(block);
    if (wire === undefined || !markable.has(wire["type"])) return false;
    return wire["type"] !== "text" || String(wire["text"]).trim() !== "";
  });
  return at < 0 ? undefined : (content as unknown[]).with(at, { ...asRecord(content[at]), ...mark });
}

/** A tool that is loaded later may have no mark, nor may the tools of Chat Completions. */
function markedTools(tools: unknown): unknown[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  const at = tools.findLastIndex((tool: unknown) => {
    const { defer_loading: isLater, function: own } = asRecord(tool) ?? {};
    return isLater !== true && own === undefined;
  });
  return at < 0 ? undefined : (tools as unknown[]).with(at, { ...asRecord(tools[at]), ...mark });
}
