import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import {
  BadQuestion,
  Listener,
  type OfferedTool,
  type Question,
  decodeOfferedTools,
} from "#answer/question.ts";

export interface ResponsesQuestion extends Question {
  encrypted: boolean;
  /** Fields that the provider repeats in its response. */
  echo: Json;
}

/**
 * Reads a request of `/v1/responses`. Nothing is stored: `previous_response_id` is accepted and means no
 * history.
 */
export function readResponses(body: Json): ResponsesQuestion {
  const model = asText(body["model"]);
  if (model === "") throw new BadQuestion("Missing required parameter: 'model'.", "model");
  const listener = new Listener();
  listener.otherText(asText(body["instructions"]));
  if (typeof body["input"] === "string") {
    listener.userTurn();
    listener.userText(body["input"]);
  } else if (Array.isArray(body["input"]) && body["input"].length > 0) {
    listen(listener, body["input"].map(asObject), typeof body["previous_response_id"] === "string");
  } else throw new BadQuestion("'input' must be a string or a list with at least one item.", "input");
  const choice = body["tool_choice"];
  const named = asText(asObject(choice)["name"]);
  const format = asObject(asObject(body["text"])["format"]);
  const effort = asText(asObject(body["reasoning"])["effort"]);
  return {
    ...listener.request(body["tools"]),
    model,
    answers: 1,
    stream: body["stream"] === true,
    tools: toolsIn([...asList(body["tools"]), ...addedTools(body["input"])]),
    toolChoice: named !== "" ? { name: named } : choice === "none" || choice === "required" ? choice : "auto",
    parallelTools: body["parallel_tool_calls"] !== false,
    json:
      format["type"] === "json_object"
        ? true
        : format["type"] === "json_schema" && asObject(format["schema"]),
    thinks: effort !== "" && effort !== "none",
    maxOutput: asNumber(body["max_output_tokens"]),
    stop: [],
    encrypted: body["store"] === false || asList(body["include"]).includes("reasoning.encrypted_content"),
    echo: echoOf(body),
  };
}

/** Returns tools that are added inside the input. */
function addedTools(input: unknown): unknown[] {
  return asList(input)
    .map(asObject)
    .flatMap((item) => (item["type"] === "additional_tools" ? asList(item["tools"]) : []));
}

const plainText = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

function toolsIn(list: unknown[], namespace?: string): OfferedTool[] {
  return list.map(asObject).flatMap(({ type, name, parameters, tools }) => {
    if (type === "namespace") return toolsIn(asList(tools), asText(name));
    if (type !== "function" && type !== "custom") return [];
    const plain = type === "custom";
    const form = { plain, ...(namespace !== undefined && { namespace }) };
    return decodeOfferedTools(name, plain ? plainText : parameters).map((tool) => ({ ...tool, form }));
  });
}

function echoOf(body: Json): Json {
  return {
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    metadata: body["metadata"] ?? {},
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: { effort: null, summary: null, ...asObject(body["reasoning"]) },
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: { format: { type: "text" }, ...asObject(body["text"]) },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: body["top_p"] ?? 1,
    truncation: body["truncation"] ?? "disabled",
  };
}

/** Checks what the provider checks: every tool output has its call, and every call its output. */
function listen(listener: Listener, items: Json[], continued: boolean): void {
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    switch (item["type"] ?? "message") {
      case "message":
        hearMessage(listener, item, `input[${index}]`);
        break;
      case "function_call":
      case "custom_tool_call":
        listener.otherTurn("assistant");
        listener.otherText(asText(item["arguments"] ?? item["input"]));
        open.add(asText(item["call_id"]));
        break;
      case "function_call_output":
      case "custom_tool_call_output": {
        const id = asText(item["call_id"]);
        if (!open.delete(id) && !continued) {
          throw new BadQuestion(`No tool call found for function call output with call_id ${id}.`, "input");
        }
        listener.toolResult(outputText(item["output"]));
        break;
      }
      default:
        listener.otherText(JSON.stringify(item));
    }
  }
  if (open.size > 0) {
    throw new BadQuestion(`No tool output found for function call ${[...open].join(", ")}.`, "input");
  }
}

function outputText(output: unknown): unknown {
  return Array.isArray(output) ? output.map((part) => asText(asObject(part)["text"])).join("") : output;
}

function hearMessage(listener: Listener, item: Json, at: string): void {
  const role = asText(item["role"]);
  if (!["user", "assistant", "system", "developer"].includes(role)) {
    throw new BadQuestion(`'${role}' is not a role.`, `${at}.role`);
  }
  const user = role === "user";
  if (user) listener.userTurn();
  else listener.otherTurn(role === "assistant" ? "assistant" : "system");
  const text = (message: string) => (user ? listener.userText(message) : listener.otherText(message));
  if (typeof item["content"] === "string") return text(item["content"]);
  for (const [index, part] of asList(item["content"]).map(asObject).entries()) {
    const type = asText(part["type"]);
    if (type === "input_image") listener.image();
    else if (type === "input_file") listener.file();
    else if (type === "input_audio") listener.audio();
    else if (type === (role === "assistant" ? "output_text" : "input_text")) text(asText(part["text"]));
    else if (type !== "refusal") {
      throw new BadQuestion(`Invalid value: '${type}'.`, `${at}.content[${index}].type`);
    }
  }
}
