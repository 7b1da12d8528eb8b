import { type Answer, isForged } from "#answer/answer.ts";
import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { BadQuestion, Listener, type Question, decodeOfferedTools } from "#answer/question.ts";
import { inputPieces } from "#answer/tool-calls.ts";
import { type ChatWire, type Frame, event } from "./chat-wire.ts";

/** The wire format of `/v1/messages`. */
export const anthropic: ChatWire = { read, plain, frames };

function read(body: Json): Question {
  const maxOutput = asNumber(body["max_tokens"]);
  if (maxOutput === undefined) throw new BadQuestion("max_tokens: Field required", "max_tokens");
  if (maxOutput < 1) throw new BadQuestion("max_tokens: must be at least 1", "max_tokens");
  const thinking = asObject(body["thinking"]);
  const budget = asNumber(thinking["budget_tokens"]) ?? 0;
  if (thinking["type"] === "enabled" && budget >= maxOutput) {
    throw new BadQuestion("`max_tokens` must be greater than `thinking.budget_tokens`.", "max_tokens");
  }
  const choice = asObject(body["tool_choice"]);
  const format = asObject(asObject(body["output_config"])["format"] ?? body["output_format"]);
  return {
    ...readPrompt(body),
    stream: body["stream"] === true,
    answers: 1,
    toolChoice: choiceOf(choice),
    parallelTools: choice["disable_parallel_tool_use"] !== true,
    json: format["type"] === "json_schema" ? asObject(format["schema"]) : false,
    thinks: thinking["type"] === "enabled" || thinking["type"] === "adaptive",
    maxOutput,
    stop: asList(body["stop_sequences"]).map(asText),
  };
}

function choiceOf(choice: Json): Question["toolChoice"] {
  switch (choice["type"]) {
    case "any":
      return "required";
    case "none":
      return "none";
    case "tool":
      return { name: asText(choice["name"]) };
    default:
      return "auto";
  }
}

type Prompt = ReturnType<Listener["request"]> & Pick<Question, "model" | "tools">;

/** Reads the parts that token counting also needs: everything that counts as input. */
export function readPrompt(body: Json): Prompt {
  const model = asText(body["model"]);
  if (model === "") throw new BadQuestion("model: Field required", "model");
  const messages = asList(body["messages"]).map(asObject);
  if (messages.length === 0) throw new BadQuestion("messages: at least one message is required", "messages");
  const listener = new Listener();
  const system = body["system"];
  if (typeof system === "string") listener.otherText(system);
  for (const block of asList(system)) listener.otherText(asText(asObject(block)["text"]));
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (message["role"] === "user") open = hearUser(listener, message["content"], open, at);
    else if (message["role"] === "assistant") open = hearAssistant(listener, message["content"], at);
    else if (message["role"] === "system") hearSystem(listener, message, messages[index - 1]?.["role"], at);
    else throw new BadQuestion(`${at}.role: must be "user", "assistant" or "system"`, `${at}.role`);
  }
  const tools = asList(body["tools"]).flatMap((tool) => {
    const { name, input_schema: schema } = asObject(tool);
    return schema === undefined ? [] : decodeOfferedTools(name, schema);
  });
  return { ...listener.request(body["tools"]), model, tools };
}

function blocksOf(content: unknown, at: string): Json[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(asObject);
  throw new BadQuestion(`${at}.content: must be a string or a list of blocks`, `${at}.content`);
}

/** Checks an instruction inside a conversation. It must follow a user's turn, unless it has no text. */
function hearSystem(listener: Listener, message: Json, before: unknown, at: string): void {
  const blocks = blocksOf(message["content"], at);
  if (blocks.length > 0 && before !== "user")
    throw new BadQuestion(`${at}: a "system" message must follow a "user" message`, `${at}.role`);
  for (const [index, block] of blocks.entries()) listener.otherText(textOf(block, `${at}.content.${index}`));
  listener.otherTurn("system");
}

function textOf(block: Json, at: string): string {
  const text = asText(block["text"]);
  if (text === "") throw new BadQuestion(`${at}: text content blocks must be non-empty`, at);
  return text;
}

/**
 * Checks what the provider checks: a turn after tool calls contains the results of all of them, and no
 * others.
 */
function hearUser(listener: Listener, content: unknown, open: Set<string>, at: string): Set<string> {
  const blocks = blocksOf(content, at);
  if (blocks.some((block) => block["type"] !== "tool_result")) listener.userTurn();
  for (const [index, block] of blocks.entries()) {
    switch (block["type"]) {
      case "text":
        listener.userText(textOf(block, `${at}.content.${index}`));
        break;
      case "image":
        listener.image();
        break;
      case "document":
        listener.file();
        break;
      case "tool_result": {
        const id = asText(block["tool_use_id"]);
        if (!open.delete(id)) {
          throw new BadQuestion(
            `${at}.content.${index}: no \`tool_use\` block with the id ${id} in the previous message`,
            `${at}.content.${index}`,
          );
        }
        const inner = block["content"] ?? "";
        const text =
          typeof inner === "string" ? inner : blocksOf(inner, at).map((one) => asText(one["text"]));
        listener.toolResult(typeof text === "string" ? text : text.join(""));
        break;
      }
      default:
        listener.otherText(JSON.stringify(block));
    }
  }
  if (open.size > 0) {
    const ids = [...open].join(", ");
    throw new BadQuestion(`${at}: \`tool_use\` ids without \`tool_result\` blocks after them: ${ids}`, at);
  }
  return open;
}

function hearAssistant(listener: Listener, content: unknown, at: string): Set<string> {
  listener.otherTurn("assistant");
  const calls = new Set<string>();
  for (const [index, block] of blocksOf(content, at).entries()) {
    const thought = asText(block["thinking"]);
    if (block["type"] === "thinking" && isForged(thought, asText(block["signature"]))) {
      throw new BadQuestion(`${at}.content.${index}: Invalid \`signature\` in \`thinking\` block`, at);
    }
    if (block["type"] === "tool_use") {
      calls.add(asText(block["id"]));
      listener.otherText(JSON.stringify(block["input"] ?? {}));
    } else if (block["type"] === "text") {
      listener.otherText(textOf(block, `${at}.content.${index}`));
    }
  }
  return calls;
}

function stopReason(answer: Answer): string {
  switch (answer.finish) {
    case "stop":
      return answer.stopSequence === undefined ? "end_turn" : "stop_sequence";
    case "length":
      return "max_tokens";
    case "tool-calls":
      return "tool_use";
    case "content-filter":
      return "refusal";
  }
}

/** Returns the usage. This provider reports cached tokens in addition to the input, not as part of it. */
function usageOf(answer: Answer, output: number): Json | undefined {
  const { usage } = answer;
  if (usage === undefined) return undefined;
  return {
    input_tokens: usage.input - usage.cached - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cached,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}

function message(question: Question, answer: Answer, content: Json[], ended: boolean): Json {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    role: "assistant",
    model: question.model,
    content,
    stop_reason: ended ? stopReason(answer) : null,
    stop_sequence: ended ? (answer.stopSequence ?? null) : null,
    usage: usageOf(answer, ended ? (answer.usage?.output ?? 0) : 1),
  };
}

function plain(question: Question, answer: Answer): Json {
  const content: Json[] = [];
  if (answer.reasoning.length > 0) {
    content.push({ type: "thinking", thinking: answer.reasoning.join(""), signature: answer.signature });
  }
  if (answer.text.length > 0) content.push({ type: "text", text: answer.text.join("") });
  for (const call of answer.calls) {
    content.push({
      type: "tool_use",
      id: `toolu_${call.id}`,
      name: call.name,
      input: JSON.parse(call.input),
    });
  }
  return message(question, answer, content, true);
}

function* frames(question: Question, answer: Answer): Iterable<Frame> {
  const say = (data: Json, piece = false): Frame => ({ text: event(data, asText(data["type"])), piece });
  const start = (index: number, block: Json) =>
    say({ type: "content_block_start", index, content_block: block });
  const delta = (index: number, data: Json, piece = true) =>
    say({ type: "content_block_delta", index, delta: data }, piece);
  const stop = (index: number) => say({ type: "content_block_stop", index });

  yield say({ type: "message_start", message: message(question, answer, [], false) });
  yield say({ type: "ping" });
  let index = 0;
  if (answer.reasoning.length > 0) {
    yield start(index, { type: "thinking", thinking: "", signature: "" });
    for (const piece of answer.reasoning) yield delta(index, { type: "thinking_delta", thinking: piece });
    yield delta(index, { type: "signature_delta", signature: answer.signature }, false);
    yield stop(index);
    index += 1;
  }
  if (answer.text.length > 0) {
    yield start(index, { type: "text", text: "" });
    for (const piece of answer.text) yield delta(index, { type: "text_delta", text: piece });
    yield stop(index);
    index += 1;
  }
  for (const call of answer.calls) {
    yield start(index, { type: "tool_use", id: `toolu_${call.id}`, name: call.name, input: {} });
    yield delta(index, { type: "input_json_delta", partial_json: "" }, false);
    for (const piece of inputPieces(call.input)) {
      yield delta(index, { type: "input_json_delta", partial_json: piece });
    }
    yield stop(index);
    index += 1;
  }
  const usage = answer.usage === undefined ? {} : { usage: usageOf(answer, answer.usage.output) };
  yield say({
    type: "message_delta",
    delta: { stop_reason: stopReason(answer), stop_sequence: answer.stopSequence ?? null },
    ...usage,
  });
  yield say({ type: "message_stop" });
}
