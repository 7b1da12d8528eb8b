import type { Answer } from "./answer.ts";
import { type ChatWire, type Frame, event } from "./chat-wire.ts";
import { type Json, asList, asNumber, asObject, asText } from "./json.ts";
import { BadQuestion, Listener, type Question, offered } from "./question.ts";
import { inputPieces } from "./tool-calls.ts";

/** The wire of `/v1/responses`. It keeps nothing: `previous_response_id` is taken and means no history. */
export const openaiResponses: ChatWire = { read, plain, frames };

interface ResponsesQuestion extends Question {
  encrypted: boolean;
  /** Fields that the vendor repeats in its answer. */
  echo: Json;
}

function read(body: Json): ResponsesQuestion {
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
    ...listener.heard(body["tools"]),
    model,
    answers: 1,
    stream: body["stream"] === true,
    tools: asList(body["tools"]).flatMap((tool) => {
      const { type, name, parameters } = asObject(tool);
      return type === "function" ? offered(name, parameters) : [];
    }),
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

/** Checks what the vendor checks: every output of a tool has its call, and every call its output. */
function listen(listener: Listener, items: Json[], continued: boolean): void {
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    switch (item["type"] ?? "message") {
      case "message":
        hearMessage(listener, item, `input[${index}]`);
        break;
      case "function_call":
        listener.otherTurn("assistant");
        listener.otherText(asText(item["arguments"]));
        open.add(asText(item["call_id"]));
        break;
      case "function_call_output": {
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
  const text = (said: string) => (user ? listener.userText(said) : listener.otherText(said));
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

function usageOf(answer: Answer): Json | null {
  const { usage } = answer;
  if (usage === undefined) return null;
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cached,
      ...(usage.cacheWrite === 0 ? {} : { cache_write_tokens: usage.cacheWrite }),
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

function statusOf(answer: Answer): "completed" | "incomplete" {
  return answer.finish === "length" || answer.finish === "content-filter" ? "incomplete" : "completed";
}

function response(question: Question, answer: Answer, output: Json[] | null): Json {
  // Only this wire's own `read` makes the question.
  const { echo } = question as ResponsesQuestion;
  const status = output === null ? "in_progress" : statusOf(answer);
  const reason = answer.finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: answer.created,
    status,
    background: false,
    error: null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    model: question.model,
    output: output ?? [],
    service_tier: "default",
    ...echo,
    usage: output === null ? null : usageOf(answer),
  };
}

function reasoningItem(question: Question, answer: Answer, done: boolean): Json {
  const { encrypted } = question as ResponsesQuestion;
  return {
    id: `rs_${answer.id}`,
    type: "reasoning",
    summary: done ? [{ type: "summary_text", text: answer.reasoning.join("") }] : [],
    ...(encrypted ? { encrypted_content: done ? answer.signature : "" } : {}),
  };
}

function messageItem(answer: Answer, done: boolean): Json {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    status: done ? statusOf(answer) : "in_progress",
    role: "assistant",
    content: done ? [textPart(answer.text.join(""))] : [],
  };
}

function textPart(text: string): Json {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function callItem(call: Answer["calls"][number], done: boolean): Json {
  return {
    id: `fc_${call.id}`,
    type: "function_call",
    status: done ? "completed" : "in_progress",
    call_id: `call_${call.id}`,
    name: call.name,
    arguments: done ? call.input : "",
  };
}

function output(question: Question, answer: Answer): Json[] {
  return [
    ...(answer.reasoning.length > 0 ? [reasoningItem(question, answer, true)] : []),
    ...(answer.text.length > 0 ? [messageItem(answer, true)] : []),
    ...answer.calls.map((call) => callItem(call, true)),
  ];
}

function plain(question: Question, answer: Answer): Json {
  return response(question, answer, output(question, answer));
}

function* frames(question: Question, answer: Answer): Iterable<Frame> {
  let sequence = 0;
  const say = (type: string, data: Json, piece = false): Frame => {
    const text = event({ type, sequence_number: sequence, ...data }, type);
    sequence += 1;
    return { text, piece };
  };
  yield say("response.created", { response: response(question, answer, null) });
  yield say("response.in_progress", { response: response(question, answer, null) });
  let index = 0;
  if (answer.reasoning.length > 0) {
    const at = { item_id: `rs_${answer.id}`, output_index: index, summary_index: 0 };
    const text = answer.reasoning.join("");
    const item = (done: boolean) => ({
      output_index: at.output_index,
      item: reasoningItem(question, answer, done),
    });
    yield say("response.output_item.added", item(false));
    const part = (text: string) => ({ ...at, part: { type: "summary_text", text } });
    yield say("response.reasoning_summary_part.added", part(""));
    for (const delta of answer.reasoning) {
      yield say("response.reasoning_summary_text.delta", { ...at, delta }, true);
    }
    yield say("response.reasoning_summary_text.done", { ...at, text });
    yield say("response.reasoning_summary_part.done", part(text));
    yield say("response.output_item.done", item(true));
    index += 1;
  }
  if (answer.text.length > 0) {
    const at = { item_id: `msg_${answer.id}`, output_index: index, content_index: 0 };
    const text = answer.text.join("");
    yield say("response.output_item.added", { output_index: index, item: messageItem(answer, false) });
    yield say("response.content_part.added", { ...at, part: textPart("") });
    for (const delta of answer.text) {
      yield say("response.output_text.delta", { ...at, delta, logprobs: [] }, true);
    }
    yield say("response.output_text.done", { ...at, text, logprobs: [] });
    yield say("response.content_part.done", { ...at, part: textPart(text) });
    yield say("response.output_item.done", { output_index: index, item: messageItem(answer, true) });
    index += 1;
  }
  for (const call of answer.calls) {
    const at = { item_id: `fc_${call.id}`, output_index: index };
    yield say("response.output_item.added", { output_index: index, item: callItem(call, false) });
    for (const delta of inputPieces(call.input)) {
      yield say("response.function_call_arguments.delta", { ...at, delta }, true);
    }
    yield say("response.function_call_arguments.done", { ...at, arguments: call.input });
    yield say("response.output_item.done", { output_index: index, item: callItem(call, true) });
    index += 1;
  }
  yield say(`response.${statusOf(answer)}`, {
    response: response(question, answer, output(question, answer)),
  });
}
