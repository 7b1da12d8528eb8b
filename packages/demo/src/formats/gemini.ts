import type { Answer } from "#answer/answer.ts";
import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { BadQuestion, Listener, type Question, decodeOfferedTools } from "#answer/question.ts";
import type { ChatWire, Frame, Target } from "./chat-wire.ts";

/** The wire format of `/v1beta/models/<model>:generateContent` and `:streamGenerateContent`. */
export const gemini: ChatWire = { read, plain, frames };

interface GeminiQuestion extends Question {
  sse: boolean;
}

/** Reads a field in camel or snake case. This provider accepts both. */
function field(object: Json, camel: string): unknown {
  return object[camel] ?? object[camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function read(body: Json, target: Target): GeminiQuestion {
  const config = asObject(field(body, "generationConfig"));
  const thinking = asObject(field(config, "thinkingConfig"));
  const calling = asObject(field(asObject(field(body, "toolConfig")), "functionCallingConfig"));
  return {
    ...readPrompt(body, target.model),
    stream: target.stream,
    sse: target.sse,
    answers: 1,
    toolChoice: choiceOf(calling),
    parallelTools: true,
    json: formatOf(config),
    thinks: field(thinking, "includeThoughts") === true,
    maxOutput: asNumber(field(config, "maxOutputTokens")),
    stop: asList(field(config, "stopSequences")).map(asText),
  };
}

function choiceOf(calling: Json): Question["toolChoice"] {
  const allowed = asList(field(calling, "allowedFunctionNames")).map(asText);
  const mode = asText(calling["mode"]).toUpperCase();
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return "auto";
  return allowed.length === 1 && allowed[0] !== undefined ? { name: allowed[0] } : "required";
}

function formatOf(config: Json): Question["json"] {
  if (field(config, "responseMimeType") !== "application/json") return false;
  const schema = field(config, "responseJsonSchema") ?? field(config, "responseSchema");
  return schema === undefined ? true : asObject(schema);
}

type Prompt = ReturnType<Listener["request"]> & Pick<Question, "model" | "tools">;

/** Reads the parts that token counting also needs: everything that counts as input. */
export function readPrompt(body: Json, model: string): Prompt {
  const contents = asList(body["contents"]).map(asObject);
  if (contents.length === 0) throw new BadQuestion("contents are not specified", "contents");
  const listener = new Listener();
  for (const part of partsOf(asObject(field(body, "systemInstruction"))))
    listener.otherText(asText(part["text"]));
  let calls = 0;
  for (const [index, content] of contents.entries()) {
    const role = content["role"] ?? "user";
    const parts = partsOf(content);
    if (parts.length === 0) throw new BadQuestion(`contents[${index}].parts must not be empty.`, "contents");
    // The chats of Google's client send a streamed turn as one content per chunk.
    if (role === "model") calls += hearModel(listener, parts);
    else if (role === "user" || role === "function") calls = hearUser(listener, parts, calls);
    else throw new BadQuestion("Please use a valid role: user, model.", `contents[${index}].role`);
  }
  const tools = asList(body["tools"]).flatMap((tool) =>
    asList(field(asObject(tool), "functionDeclarations")).flatMap((declared) => {
      const declaration = asObject(declared);
      return decodeOfferedTools(
        declaration["name"],
        field(declaration, "parametersJsonSchema") ?? declaration["parameters"],
      );
    }),
  );
  return { ...listener.request(body["tools"]), model, tools };
}

function partsOf(content: Json): Json[] {
  return asList(content["parts"]).map(asObject);
}

function hearModel(listener: Listener, parts: Json[]): number {
  listener.otherTurn("assistant");
  let calls = 0;
  for (const part of parts) {
    const call = field(part, "functionCall");
    if (call !== undefined) {
      calls += 1;
      listener.otherText(JSON.stringify(asObject(call)["args"] ?? {}));
    } else listener.otherText(asText(part["text"]));
  }
  return calls;
}

/**
 * Checks what the provider checks: as many responses as there were calls. Returns the number of open calls.
 */
function hearUser(listener: Listener, parts: Json[], calls: number): number {
  const responses = parts.filter((part) => field(part, "functionResponse") !== undefined).length;
  if (responses !== calls) {
    throw new BadQuestion(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      "contents",
    );
  }
  if (responses < parts.length) listener.userTurn();
  for (const part of parts) {
    const response = field(part, "functionResponse");
    const media = asObject(field(part, "inlineData") ?? field(part, "fileData"));
    const kind = asText(field(media, "mimeType"));
    if (response !== undefined) listener.toolResult(asObject(response)["response"]);
    else if (typeof part["text"] === "string") listener.userText(part["text"]);
    else if (kind.startsWith("audio/")) listener.audio();
    else if (kind === "" || kind.startsWith("image/")) listener.image();
    else listener.file();
  }
  return 0;
}

const finishes = {
  stop: "STOP",
  length: "MAX_TOKENS",
  "tool-calls": "STOP",
  "content-filter": "SAFETY",
} as const;

/** Returns the usage. This provider reports reasoning tokens in addition to the candidates' tokens. */
function usageOf(answer: Answer, written: number): Json {
  const { usage } = answer;
  if (usage === undefined) return {};
  const thoughts = Math.min(usage.reasoning, written);
  return {
    usageMetadata: {
      promptTokenCount: usage.input,
      ...(written > thoughts ? { candidatesTokenCount: written - thoughts } : {}),
      ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
      ...(usage.cached === 0 ? {} : { cachedContentTokenCount: usage.cached }),
      totalTokenCount: usage.input + written,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.input }],
    },
  };
}

function callParts(answer: Answer): Json[] {
  return answer.calls.map((call, index) => ({
    functionCall: { name: call.name, args: JSON.parse(call.input) as unknown },
    ...(index === 0 && answer.signature !== "" ? { thoughtSignature: answer.signature } : {}),
  }));
}

function body(question: Question, answer: Answer, parts: Json[], written: number, last: boolean): Json {
  const content = { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" };
  return {
    candidates: [{ content, ...(last ? { finishReason: finishes[answer.finish] } : {}), index: 0 }],
    ...usageOf(answer, written),
    modelVersion: question.model,
    responseId: answer.id,
  };
}

function plain(question: Question, answer: Answer): Json {
  const parts: Json[] = [];
  if (answer.reasoning.length > 0) parts.push({ text: answer.reasoning.join(""), thought: true });
  if (answer.text.length > 0) {
    const proof = answer.signature === "" ? {} : { thoughtSignature: answer.signature };
    parts.push({ text: answer.text.join(""), ...proof });
  }
  return body(question, answer, [...parts, ...callParts(answer)], answer.usage?.output ?? 0, true);
}

/**
 * Calls are sent whole in this format, and parallel ones in one frame. The last frame has the finish reason and, after text, the signature.
 */
function* frames(question: Question, answer: Answer): Iterable<Frame> {
  // Only this file's own `read` creates the question.
  const { sse } = question as GeminiQuestion;
  let sent = 0;
  let first = true;
  const frame = (parts: Json[], piece: boolean, last = false): Frame => {
    const written = last ? (answer.usage?.output ?? 0) : sent;
    const text = JSON.stringify(body(question, answer, parts, written, last));
    const opening = first ? "[" : ",\r\n";
    first = false;
    return { text: sse ? `data: ${text}\r\n\r\n` : opening + text + (last ? "\r\n]\r\n" : ""), piece };
  };
  for (const piece of answer.reasoning) {
    sent += 1;
    yield frame([{ text: piece, thought: true }], true);
  }
  for (const piece of answer.text) {
    sent += 1;
    yield frame([{ text: piece }], true);
  }
  const calls = callParts(answer);
  if (calls.length > 0) yield frame(calls, true);
  const proof = answer.signature !== "" && answer.text.length > 0;
  yield frame(proof ? [{ text: "", thoughtSignature: answer.signature }] : [], false, true);
}
