import type { Answer } from "#answer/answer.ts";
import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { BadQuestion, Listener, type Question, decodeOfferedTools } from "#answer/question.ts";
import { inputPieces } from "#answer/tool-calls.ts";
import { type ChatWire, type Frame, event } from "./chat-wire.ts";

/** The wire format of `/v1/chat/completions`. */
export const openaiChat: ChatWire = { read, plain, frames };

interface ChatQuestion extends Question {
  includeUsage: boolean;
}

function read(body: Json): ChatQuestion {
  const model = asText(body["model"]);
  if (model === "") throw new BadQuestion("you must provide a model parameter", "model");
  const messages = asList(body["messages"]).map(asObject);
  if (messages.length === 0)
    throw new BadQuestion("'messages' must be a list with at least one message.", "messages");
  const received = listen(messages).request(body["tools"]);
  const answers = asNumber(body["n"]) ?? 1;
  if (answers < 1 || answers > 128) throw new BadQuestion("'n' must be between 1 and 128.", "n");
  const format = asObject(body["response_format"]);
  const effort = asText(body["reasoning_effort"]);
  const choice = body["tool_choice"];
  const named = asText(asObject(asObject(choice)["function"])["name"]);
  return {
    ...received,
    model,
    answers,
    stream: body["stream"] === true,
    includeUsage: asObject(body["stream_options"])["include_usage"] === true,
    tools: asList(body["tools"]).flatMap((tool) => {
      const { name, parameters } = asObject(asObject(tool)["function"]);
      return decodeOfferedTools(name, parameters);
    }),
    toolChoice: named !== "" ? { name: named } : choice === "none" || choice === "required" ? choice : "auto",
    parallelTools: body["parallel_tool_calls"] !== false,
    json: formatOf(format),
    thinks: effort !== "" && effort !== "none",
    maxOutput: asNumber(body["max_completion_tokens"]) ?? asNumber(body["max_tokens"]),
    stop: typeof body["stop"] === "string" ? [body["stop"]] : asList(body["stop"]).map(asText),
  };
}

function formatOf(format: Json): Question["json"] {
  if (format["type"] === "json_object") return true;
  if (format["type"] !== "json_schema") return false;
  return asObject(asObject(format["json_schema"])["schema"]);
}

/** Checks what the provider checks: every tool call has its result, and every result has its call. */
function listen(messages: Json[]): Listener {
  const listener = new Listener();
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const role = asText(message["role"]);
    const at = `messages.[${index}]`;
    if (role !== "tool") refuseOpen(open, `${at}.role`);
    switch (role) {
      case "user":
        listener.userTurn();
        hear(listener, message["content"], true, at);
        break;
      case "system":
      case "developer":
        listener.otherTurn("system");
        hear(listener, message["content"], false, at);
        break;
      case "assistant": {
        listener.otherTurn("assistant");
        const calls = asList(message["tool_calls"]).map(asObject);
        open = new Set(calls.map((call) => asText(call["id"])));
        for (const call of calls) listener.otherText(asText(asObject(call["function"])["arguments"]));
        if (message["content"] !== null && message["content"] !== undefined) {
          hear(listener, message["content"], false, at);
        } else if (calls.length === 0) {
          throw new BadQuestion("An assistant message needs 'content' or 'tool_calls'.", `${at}.content`);
        }
        break;
      }
      case "tool": {
        const id = asText(message["tool_call_id"]);
        if (!open.delete(id)) {
          throw new BadQuestion(
            `The tool message for '${id}' does not answer a preceding message with 'tool_calls'.`,
            `${at}.role`,
          );
        }
        listener.toolResult(plainText(message["content"]));
        break;
      }
      default:
        throw new BadQuestion(`'${role}' is not a role.`, `${at}.role`);
    }
  }
  refuseOpen(open, `messages.[${messages.length - 1}].role`);
  return listener;
}

function refuseOpen(open: Set<string>, param: string): void {
  if (open.size === 0) return;
  const ids = [...open].join(", ");
  throw new BadQuestion(`No tool message answers these tool_call_ids: ${ids}.`, param);
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .map((part) => asText(asObject(part)["text"]))
    .join("");
}

function hear(listener: Listener, content: unknown, user: boolean, at: string): void {
  const text = (message: string) => (user ? listener.userText(message) : listener.otherText(message));
  if (typeof content === "string") return text(content);
  if (!Array.isArray(content))
    throw new BadQuestion("'content' must be a string or a list.", `${at}.content`);
  for (const [index, part] of content.map(asObject).entries()) {
    switch (part["type"]) {
      case "text":
      case "refusal":
        text(asText(part["text"] ?? part["refusal"]));
        break;
      case "image_url":
        listener.image();
        break;
      case "input_audio":
        listener.audio();
        break;
      case "file":
        listener.file();
        break;
      default:
        throw new BadQuestion(
          `'${asText(part["type"])}' is no content part.`,
          `${at}.content.[${index}].type`,
        );
    }
  }
}

export const openaiFinishes = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
} as const;

export function openaiUsage(answer: Answer): Json | undefined {
  const { usage } = answer;
  if (usage === undefined) return undefined;
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cached,
      ...(usage.cacheWrite === 0 ? {} : { cache_write_tokens: usage.cacheWrite }),
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function toolCall(call: Answer["calls"][number], input: string): Json {
  return { id: `call_${call.id}`, type: "function", function: { name: call.name, arguments: input } };
}

function plain(question: Question, answer: Answer): Json {
  const reasoning = answer.reasoning.join("");
  const message: Json = {
    role: "assistant",
    content: answer.calls.length > 0 ? null : answer.text.join(""),
    refusal: null,
    annotations: [],
  };
  if (reasoning !== "") {
    message["reasoning_content"] = reasoning;
    message["reasoning_details"] = [
      { type: "reasoning.text", text: reasoning, signature: answer.signature, index: 0 },
    ];
  }
  if (answer.calls.length > 0) {
    message["tool_calls"] = answer.calls.map((call) => toolCall(call, call.input));
  }
  return {
    id: `chatcmpl-${answer.id}`,
    object: "chat.completion",
    created: answer.created,
    model: question.model,
    choices: Array.from({ length: question.answers }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: openaiFinishes[answer.finish],
    })),
    usage: openaiUsage(answer),
    service_tier: "default",
    system_fingerprint: "fp_demo",
  };
}

function* frames(question: Question, answer: Answer): Iterable<Frame> {
  // Only this file's own `read` creates the question.
  const includeUsage = (question as ChatQuestion).includeUsage && answer.usage !== undefined;
  const head = {
    id: `chatcmpl-${answer.id}`,
    object: "chat.completion.chunk",
    created: answer.created,
    model: question.model,
    service_tier: "default",
    system_fingerprint: "fp_demo",
  };
  // Stringifies the constant part once: a long stream repeats it thousands of times.
  const before = `data: ${JSON.stringify(head).slice(0, -1)},"choices":`;
  const after = includeUsage ? ',"usage":null}\n\n' : "}\n\n";
  const chunk = (index: number, delta: Json, finish: string | null, piece: boolean): Frame => {
    const choice = { index, delta, logprobs: null, finish_reason: finish };
    return { text: `${before}[${JSON.stringify(choice)}]${after}`, piece };
  };
  for (let index = 0; index < question.answers; index += 1) {
    yield chunk(index, { role: "assistant", content: "", refusal: null }, null, false);
    for (const piece of answer.reasoning) yield chunk(index, { reasoning_content: piece }, null, true);
    if (answer.signature !== "") {
      const proof = { type: "reasoning.text", signature: answer.signature, index: 0 };
      yield chunk(index, { reasoning_details: [proof] }, null, false);
    }
    for (const piece of answer.text) yield chunk(index, { content: piece }, null, true);
    for (const [at, call] of answer.calls.entries()) {
      yield chunk(index, { tool_calls: [{ index: at, ...toolCall(call, "") }] }, null, true);
      for (const piece of inputPieces(call.input)) {
        yield chunk(index, { tool_calls: [{ index: at, function: { arguments: piece } }] }, null, true);
      }
    }
    yield chunk(index, {}, openaiFinishes[answer.finish], false);
  }
  if (includeUsage) yield { text: event({ ...head, choices: [], usage: openaiUsage(answer) }), piece: false };
  yield { text: "data: [DONE]\n\n", piece: false };
}
