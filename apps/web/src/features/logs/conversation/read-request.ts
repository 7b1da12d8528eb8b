/**
 * Parses the turns of a request in any of the four dialects,
 * recognised by their fields instead of the address. Pure.
 */
import {
  list,
  type Part,
  pretty,
  printed,
  record,
  type Role,
  roleOf,
  text,
  type Turn,
  type Wire,
} from "./turns.ts";

/** Returns undefined when the body is not a conversation. */
export function requestTurns(body: unknown): Turn[] | undefined {
  const wire = record(body);
  if (Array.isArray(wire["messages"])) return [...system(wire["system"]), ...wire["messages"].map(message)];
  if (Array.isArray(wire["contents"]))
    return [
      ...system(record(wire["systemInstruction"] ?? wire["system_instruction"])["parts"]),
      ...wire["contents"].map(geminiContent),
    ];
  const { input } = wire;
  if (typeof input === "string" && "instructions" in wire)
    return [...system(wire["instructions"]), { role: "user", parts: textPart(input) }];
  if (Array.isArray(input) && input.every((item) => typeof item === "object"))
    return [...system(wire["instructions"]), ...input.map(responsesItem)];
  if (typeof input === "string") return [{ role: "user", parts: textPart(input) }];
  return undefined;
}

function system(value: unknown): Turn[] {
  const parts = contentParts(value);
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

export function textPart(value: string, type: "text" | "reasoning" = "text"): Part[] {
  return value === "" ? [] : [{ type, text: value }];
}

/** Parses a message of Chat Completions or Anthropic: their fields do not collide. */
export function message(value: unknown): Turn {
  const wire = record(value);
  const role = roleOf(wire["role"]);
  const content = contentParts(wire["content"]);
  if (role === "tool") {
    const [first] = content;
    const result = first?.type === "text" ? first.text : printed(wire["content"]);
    return {
      role,
      parts: [{ type: "tool-result", name: text(wire["tool_call_id"] ?? wire["name"]), text: result }],
    };
  }
  const calls = list(wire["tool_calls"]).map((call): Part => {
    const { name, arguments: input } = record(record(call)["function"]);
    return { type: "tool-call", name: text(name), input: pretty(text(input)) };
  });
  const reasoning = text(wire["reasoning_content"]) || text(wire["reasoning"]);
  return withoutUser({
    role,
    parts: [...textPart(reasoning, "reasoning"), ...content, ...textPart(text(wire["refusal"])), ...calls],
  });
}

/** Assigns a message that contains only tool results to the tool role. */
function withoutUser(turn: Turn): Turn {
  const isResult = turn.parts.length > 0 && turn.parts.every((part) => part.type === "tool-result");
  return isResult ? { ...turn, role: "tool" } : turn;
}

/** Parses a string, or content blocks of any dialect. */
export function contentParts(value: unknown): Part[] {
  if (typeof value === "string") return textPart(value);
  return list(value).flatMap((block) =>
    typeof block === "string" ? textPart(block) : blockPart(record(block)),
  );
}

function blockPart(block: Wire): Part[] {
  switch (block["type"]) {
    case "thinking":
      return textPart(text(block["thinking"]), "reasoning");
    case "redacted_thinking":
      return textPart("…", "reasoning");
    case "image_url":
    case "input_image":
      return [{ type: "image", url: text(record(block["image_url"])["url"] ?? block["image_url"]) }];
    case "image":
      return [{ type: "image", url: sourceUrl(record(block["source"])) }];
    case "tool_use":
    case "server_tool_use":
      return [{ type: "tool-call", name: text(block["name"]), input: printed(block["input"]) }];
    case "tool_result": {
      const inside = contentParts(block["content"]);
      const result = inside.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
      return [
        { type: "tool-result", name: text(block["tool_use_id"]), text: result || printed(block["content"]) },
      ];
    }
    case "document":
    case "file":
    case "input_file":
    case "input_audio":
      return [{ type: "file", name: fileName(block) }];
    default:
      return textPart(text(block["text"]) || text(block["refusal"]));
  }
}

function sourceUrl(source: Wire): string {
  return text(source["url"]) || dataUrl(text(source["media_type"]), text(source["data"]));
}

export function dataUrl(type: string, data: string): string {
  return data === "" ? "" : `data:${type};base64,${data}`;
}

function fileName(block: Wire): string {
  const file = record(block["file"]);
  return text(block["title"]) || text(file["filename"]) || text(block["filename"]) || text(block["type"]);
}

export function geminiContent(value: unknown): Turn {
  const { role, parts } = record(value);
  return withoutUser({ role: roleOf(role), parts: list(parts).flatMap((part) => geminiPart(record(part))) });
}

function geminiPart(part: Wire): Part[] {
  const call = record(part["functionCall"]);
  if (text(call["name"]) !== "")
    return [{ type: "tool-call", name: text(call["name"]), input: printed(call["args"]) }];
  const result = record(part["functionResponse"]);
  if (text(result["name"]) !== "")
    return [{ type: "tool-result", name: text(result["name"]), text: printed(result["response"]) }];
  const data = record(part["inlineData"] ?? part["inline_data"]);
  const type = text(data["mimeType"] ?? data["mime_type"]);
  if (type.startsWith("image/")) return [{ type: "image", url: dataUrl(type, text(data["data"])) }];
  if (type !== "") return [{ type: "file", name: type }];
  const file = record(part["fileData"]);
  if (text(file["fileUri"]) !== "") return [{ type: "file", name: text(file["fileUri"]) }];
  return textPart(text(part["text"]), part["thought"] === true ? "reasoning" : "text");
}

/** Parses an input or output item of the Responses API. */
export function responsesItem(value: unknown): Turn {
  const item = record(value);
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            name: text(item["name"]),
            input: pretty(text(item["arguments"]) || text(item["input"])),
          },
        ],
      };
    case "function_call_output":
    case "custom_tool_call_output":
      return {
        role: "tool",
        parts: [{ type: "tool-result", name: text(item["call_id"]), text: printed(item["output"]) }],
      };
    case "reasoning": {
      const summary = list(item["summary"]).map((part) => text(record(part)["text"]));
      return { role: "assistant", parts: textPart(summary.join("\n\n") || "…", "reasoning") };
    }
    case "image_generation_call":
      return {
        role: "assistant",
        parts: [{ type: "image", url: dataUrl("image/png", text(item["result"])) }],
      };
    case undefined:
    case "message":
      return message(item);
    default:
      return {
        role: "assistant",
        parts: [{ type: "tool-call", name: text(item["type"]), input: printed(item) }],
      };
  }
}

/** Merges adjacent turns of one role: items and blocks arrive one by one. */
export function joined(turns: Turn[]): Turn[] {
  const result: { role: Role; parts: Part[] }[] = [];
  for (const turn of turns) {
    if (turn.parts.length === 0) continue;
    const last = result.at(-1);
    if (last?.role === turn.role && turn.role === "assistant") last.parts.push(...turn.parts);
    else result.push({ role: turn.role, parts: [...turn.parts] });
  }
  return result;
}
