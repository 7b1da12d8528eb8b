/**
 * Amazon Bedrock's Converse as a provider speaks it: JSON, or AWS's binary event stream.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, read 2026-11-23.
 */
import type { Answer } from "@gateway/demo/answer/answer";
import { asList, asNumber, asObject, asText, type Json } from "@gateway/demo/answer/json";
import { BadQuestion, Listener, decodeOfferedTools, type Question } from "@gateway/demo/answer/question";
import { inputPieces } from "@gateway/demo/answer/tool-calls";
import { eventMessage } from "#providers/wires/event-stream.fixture.ts";

/** Reads a request and checks what Bedrock checks: alternating roles, and a result for every call. */
export function readConverse(body: Json, model: string, stream: boolean): Question {
  const listener = new Listener();
  for (const block of asList(body["system"])) listener.otherText(textOf(asObject(block), "system"));
  const messages = asList(body["messages"]).map(asObject);
  if (messages.length === 0)
    throw new BadQuestion("A conversation must start with a user message.", "messages");
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const role = asText(message["role"]);
    if (role !== (index % 2 === 0 ? "user" : "assistant"))
      throw new BadQuestion("A conversation must alternate between user and assistant roles.", "messages");
    const blocks = asList(message["content"]).map(asObject);
    if (blocks.length === 0)
      throw new BadQuestion(`The content field at messages.${index} is empty.`, "messages");
    open = role === "user" ? readUser(listener, blocks, open) : readAssistant(listener, blocks);
  }
  const config = asObject(body["toolConfig"]);
  const inference = asObject(body["inferenceConfig"]);
  return {
    ...listener.request(config["tools"]),
    model,
    stream,
    answers: 1,
    tools: asList(config["tools"]).flatMap((tool) => {
      const { name, inputSchema } = asObject(asObject(tool)["toolSpec"]);
      if (name !== undefined && !/^[\w-]{1,64}$/.test(asText(name)))
        throw new BadQuestion(`The tool name ${asText(name)} is not allowed.`, "toolConfig");
      return decodeOfferedTools(name, asObject(inputSchema)["json"]);
    }),
    toolChoice: "auto",
    parallelTools: true,
    json: formatOf(body),
    thinks: false,
    maxOutput: asNumber(inference["maxTokens"]),
    stop: asList(inference["stopSequences"]).map(asText),
  };
}

function formatOf(body: Json): Question["json"] {
  const structure = asObject(asObject(asObject(body["outputConfig"])["textFormat"])["structure"]);
  const schema = asText(asObject(structure["jsonSchema"])["schema"]);
  return schema === "" ? false : asObject(JSON.parse(schema));
}

function textOf(block: Json, at: string): string {
  const text = block["text"];
  if (text === undefined) return "";
  if (typeof text !== "string" || text.trim() === "")
    throw new BadQuestion(`The text field in the ContentBlock object at ${at} is blank.`, at);
  return text;
}

function readUser(listener: Listener, blocks: Json[], open: Set<string>): Set<string> {
  if (blocks.some((block) => block["toolResult"] === undefined)) listener.userTurn();
  for (const block of blocks) {
    const result = asObject(block["toolResult"]);
    if (block["toolResult"] === undefined) {
      listener.userText(textOf(block, "messages"));
      continue;
    }
    if (!open.delete(asText(result["toolUseId"])))
      throw new BadQuestion(
        "The number of toolResult blocks exceeds the number of toolUse blocks.",
        "messages",
      );
    // Blank text is accepted here, unlike in messages.
    const texts = asList(result["content"]).map((part) => asText(asObject(part)["text"]));
    listener.toolResult(texts.join(""));
  }
  if (open.size > 0)
    throw new BadQuestion(`Expected toolResult blocks for ${[...open].join(", ")}.`, "messages");
  return open;
}

function readAssistant(listener: Listener, blocks: Json[]): Set<string> {
  listener.otherTurn("assistant");
  const calls = new Set<string>();
  for (const block of blocks) {
    const call = asObject(block["toolUse"]);
    if (block["toolUse"] === undefined) listener.otherText(textOf(block, "messages"));
    else {
      calls.add(asText(call["toolUseId"]));
      listener.otherText(JSON.stringify(call["input"] ?? {}));
    }
  }
  return calls;
}

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "content_filtered",
} as const;

function usageOf({ usage }: Answer): Json {
  const { input = 0, output = 0 } = usage ?? {};
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}

export function plainConverse(answer: Answer): Json {
  const text = answer.text.join("");
  const content = [
    ...(text === "" ? [] : [{ text }]),
    ...answer.calls.map(({ id, name, input }) => ({
      toolUse: { toolUseId: `tooluse_${id}`, name, input: JSON.parse(input) as unknown },
    })),
  ];
  return {
    output: { message: { role: "assistant", content } },
    stopReason: stopReasons[answer.finish],
    usage: usageOf(answer),
    metrics: { latencyMs: 1 },
  };
}

/** Yields the messages of the event stream. */
export function* framesOfConverse(answer: Answer): Iterable<{ bytes: Buffer; piece: boolean }> {
  let index = 0;
  const frame = (type: string, payload: Json, piece = false) => ({ bytes: frameOf(type, payload), piece });
  yield frame("messageStart", { role: "assistant" });
  if (answer.text.length > 0) {
    for (const text of answer.text)
      yield frame("contentBlockDelta", { contentBlockIndex: index, delta: { text } }, true);
    yield frame("contentBlockStop", { contentBlockIndex: index });
    index += 1;
  }
  for (const { id, name, input } of answer.calls) {
    const start = { toolUse: { toolUseId: `tooluse_${id}`, name } };
    yield frame("contentBlockStart", { contentBlockIndex: index, start });
    for (const piece of inputPieces(input))
      yield frame(
        "contentBlockDelta",
        { contentBlockIndex: index, delta: { toolUse: { input: piece } } },
        true,
      );
    yield frame("contentBlockStop", { contentBlockIndex: index });
    index += 1;
  }
  yield frame("messageStop", { stopReason: stopReasons[answer.finish] });
  yield frame("metadata", { usage: usageOf(answer), metrics: { latencyMs: 1 } });
}

function frameOf(type: string, payload: Json): Buffer {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return eventMessage(headers, JSON.stringify(payload));
}
