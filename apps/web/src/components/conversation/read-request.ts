/**
 * Parses the messages of a request in any of the four dialects,
 * recognised by their fields instead of the address. Pure.
 */
import {
  asArray,
  type MessagePart,
  indentJson,
  stringify,
  asRecord,
  type Role,
  roleOf,
  asText,
  type LoggedMessage,
  type Wire,
} from "./messages.ts";

/** Returns undefined when the body is not a conversation. */
export function readRequestMessages(body: unknown): LoggedMessage[] | undefined {
  const wire = asRecord(body);
  if (Array.isArray(wire["messages"])) return [...system(wire["system"]), ...wire["messages"].map(message)];
  if (Array.isArray(wire["contents"]))
    return [
      ...system(asRecord(wire["systemInstruction"] ?? wire["system_instruction"])["parts"]),
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

function system(value: unknown): LoggedMessage[] {
  const parts = contentParts(value);
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

export function textPart(value: string, type: "text" | "reasoning" = "text"): MessagePart[] {
  return value === "" ? [] : [{ type, text: value }];
}

/** Parses a message of Chat Completions or Anthropic: their fields do not collide. */
export function message(value: unknown): LoggedMessage {
  const wire = asRecord(value);
  const role = roleOf(wire["role"]);
  const content = contentParts(wire["content"]);
  if (role === "tool") {
    const [first] = content;
    const result = first?.type === "text" ? first.text : stringify(wire["content"]);
    return {
      role,
      parts: [{ type: "tool-result", name: asText(wire["tool_call_id"] ?? wire["name"]), text: result }],
    };
  }
  const calls = asArray(wire["tool_calls"]).map((call): MessagePart => {
    const { name, arguments: input } = asRecord(asRecord(call)["function"]);
    return { type: "tool-call", name: asText(name), input: indentJson(asText(input)) };
  });
  const reasoning = asText(wire["reasoning_content"]) || asText(wire["reasoning"]);
  return withoutUser({
    role,
    parts: [...textPart(reasoning, "reasoning"), ...content, ...textPart(asText(wire["refusal"])), ...calls],
  });
}

/** Assigns a message that contains only tool results to the tool role. */
function withoutUser(turn: LoggedMessage): LoggedMessage {
  const isResult = turn.parts.length > 0 && turn.parts.every((part) => part.type === "tool-result");
  return isResult ? { ...turn, role: "tool" } : turn;
}

/** Parses a string, or content blocks of any dialect. */
export function contentParts(value: unknown): MessagePart[] {
  if (typeof value === "string") return textPart(value);
  return asArray(value).flatMap((block) =>
    typeof block === "string" ? textPart(block) : blockPart(asRecord(block)),
  );
}

function blockPart(block: Wire): MessagePart[] {
  switch (block["type"]) {
    case "thinking":
      return textPart(asText(block["thinking"]), "reasoning");
    case "redacted_thinking":
      return textPart("…", "reasoning");
    case "image_url":
    case "input_image":
      return [{ type: "image", url: asText(asRecord(block["image_url"])["url"] ?? block["image_url"]) }];
    case "image":
      return [{ type: "image", url: sourceUrl(asRecord(block["source"])) }];
    case "tool_use":
    case "server_tool_use":
      return [{ type: "tool-call", name: asText(block["name"]), input: stringify(block["input"]) }];
    case "tool_result": {
      const inside = contentParts(block["content"]);
      const result = inside.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
      return [
        {
          type: "tool-result",
          name: asText(block["tool_use_id"]),
          text: result || stringify(block["content"]),
        },
      ];
    }
    case "document":
    case "file":
    case "input_file":
    case "input_audio":
      return [{ type: "file", name: fileName(block) }];
    default:
      return textPart(asText(block["text"]) || asText(block["refusal"]));
  }
}

function sourceUrl(source: Wire): string {
  return asText(source["url"]) || dataUrl(asText(source["media_type"]), asText(source["data"]));
}

export function dataUrl(type: string, data: string): string {
  return data === "" ? "" : `data:${type};base64,${data}`;
}

function fileName(block: Wire): string {
  const file = asRecord(block["file"]);
  return (
    asText(block["title"]) || asText(file["filename"]) || asText(block["filename"]) || asText(block["type"])
  );
}

export function geminiContent(value: unknown): LoggedMessage {
  const { role, parts } = asRecord(value);
  return withoutUser({
    role: roleOf(role),
    parts: asArray(parts).flatMap((part) => geminiPart(asRecord(part))),
  });
}

function geminiPart(part: Wire): MessagePart[] {
  const call = asRecord(part["functionCall"]);
  if (asText(call["name"]) !== "")
    return [{ type: "tool-call", name: asText(call["name"]), input: stringify(call["args"]) }];
  const result = asRecord(part["functionResponse"]);
  if (asText(result["name"]) !== "")
    return [{ type: "tool-result", name: asText(result["name"]), text: stringify(result["response"]) }];
  const data = asRecord(part["inlineData"] ?? part["inline_data"]);
  const type = asText(data["mimeType"] ?? data["mime_type"]);
  if (type.startsWith("image/")) return [{ type: "image", url: dataUrl(type, asText(data["data"])) }];
  if (type !== "") return [{ type: "file", name: type }];
  const file = asRecord(part["fileData"]);
  if (asText(file["fileUri"]) !== "") return [{ type: "file", name: asText(file["fileUri"]) }];
  return textPart(asText(part["text"]), part["thought"] === true ? "reasoning" : "text");
}

/** Parses an input or output item of the Responses API. */
export function responsesItem(value: unknown): LoggedMessage {
  const item = asRecord(value);
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            name: asText(item["name"]),
            input: indentJson(asText(item["arguments"]) || asText(item["input"])),
          },
        ],
      };
    case "function_call_output":
    case "custom_tool_call_output":
      return {
        role: "tool",
        parts: [{ type: "tool-result", name: asText(item["call_id"]), text: stringify(item["output"]) }],
      };
    case "reasoning": {
      const summary = asArray(item["summary"]).map((part) => asText(asRecord(part)["text"]));
      return { role: "assistant", parts: textPart(summary.join("\n\n") || "…", "reasoning") };
    }
    case "image_generation_call":
      return {
        role: "assistant",
        parts: [{ type: "image", url: dataUrl("image/png", asText(item["result"])) }],
      };
    case undefined:
    case "message":
      return message(item);
    default:
      return {
        role: "assistant",
        parts: [{ type: "tool-call", name: asText(item["type"]), input: stringify(item) }],
      };
  }
}

/** Merges adjacent messages of one role: items and blocks arrive one by one. */
export function mergeMessages(turns: LoggedMessage[]): LoggedMessage[] {
  const result: { role: Role; parts: MessagePart[] }[] = [];
  for (const turn of turns) {
    if (turn.parts.length === 0) continue;
    const last = result.at(-1);
    if (last?.role === turn.role && turn.role === "assistant") last.parts.push(...turn.parts);
    else result.push({ role: turn.role, parts: [...turn.parts] });
  }
  return result;
}
