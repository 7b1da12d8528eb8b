/** A realtime session: it keeps the conversation, and responds with audio or text on request. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import { type Answer, answer } from "#answer/answer.ts";
import { type Json, asList, asObject, asText } from "#answer/json.ts";
import { BadQuestion, type Question } from "#answer/question.ts";
import { type Behaviour, switchesInText } from "#answer/switches.ts";
import { inputPieces } from "#answer/tool-calls.ts";
import { melody } from "./audio.ts";
import { openaiChat } from "./openai-chat.ts";

export interface RealtimeOptions {
  model: string;
  /** Uses the event names from before the interface was final. */
  beta: boolean;
  /** Behaviour for the whole session, from the key, the model's name and the rules. */
  standing: Behaviour;
  closed(): void;
}

const TOKENS_PER_SECOND = 10;
const BYTES_PER_SECOND = 48_000;
const LISTENS_FOR_SECONDS = 1;

const id = (prefix: string) => `${prefix}_${randomBytes(9).toString("base64url")}`;

/** Serves a session until its socket closes. */
export function serveRealtime(socket: WebSocket, options: RealtimeOptions): void {
  new RealtimeSession(socket, options).open();
}

class RealtimeSession {
  readonly #socket: WebSocket;
  readonly #options: RealtimeOptions;
  readonly #leaving = new AbortController();
  readonly #items: Json[] = [];
  #session: Json;
  #soundBytes = 0;
  #audioTokens = 0;
  #busy: { id: string; stop: AbortController } | undefined;

  constructor(socket: WebSocket, options: RealtimeOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#session = {
      id: id("sess"),
      object: "realtime.session",
      type: "realtime",
      model: options.model,
      output_modalities: ["audio"],
      instructions: "",
      tools: [],
      max_output_tokens: "inf",
      audio: { input: { format: { type: "audio/pcm", rate: 24_000 } }, output: { voice: "alloy" } },
    };
  }

  open(): void {
    this.#socket.on("message", (data: Buffer) => {
      let event: unknown;
      try {
        event = JSON.parse(data.toString("utf8"));
      } catch {
        this.#complain("The message is not JSON.", "invalid_json");
        return;
      }
      this.#hear(asObject(event));
    });
    this.#socket.on("error", () => {});
    this.#socket.once("close", () => {
      this.#leaving.abort();
      this.#options.closed();
    });
    this.#send("session.created", { session: this.#session });
  }

  #send(type: string, fields: Json): void {
    if (this.#socket.readyState === this.#socket.OPEN)
      this.#socket.send(JSON.stringify({ type, event_id: id("event"), ...fields }));
  }

  #complain(message: string, code: string, param: string | null = null): void {
    this.#send("error", { error: { type: "invalid_request_error", code, message, param, event_id: null } });
  }

  #add(item: Json): void {
    this.#items.push(item);
    const place = { previous_item_id: this.#items.at(-2)?.["id"] ?? null };
    if (this.#options.beta) this.#send("conversation.item.created", { ...place, item });
    else {
      this.#send("conversation.item.added", { ...place, item });
      this.#send("conversation.item.done", { ...place, item });
    }
  }

  #commit(): void {
    if (this.#soundBytes === 0) {
      this.#complain("The audio buffer is empty.", "input_audio_buffer_commit_empty");
      return;
    }
    const item = { id: id("item"), type: "message", role: "user", content: [{ type: "input_audio" }] };
    const tokens = Math.ceil((this.#soundBytes / BYTES_PER_SECOND) * TOKENS_PER_SECOND);
    const seconds = this.#soundBytes / BYTES_PER_SECOND;
    this.#soundBytes = 0;
    this.#audioTokens += tokens;
    this.#send("input_audio_buffer.committed", { item_id: item.id, previous_item_id: null });
    this.#add(item);
    const writer = asObject(asObject(asObject(this.#session["audio"])["input"])["transcription"]);
    const older = asObject(this.#session["input_audio_transcription"]);
    const transcriber = asText(writer["model"]) || asText(older["model"]);
    if (transcriber === "") return;
    const usage =
      transcriber === "whisper-1"
        ? { type: "duration", seconds }
        : {
            type: "tokens",
            input_tokens: tokens,
            output_tokens: 5,
            total_tokens: tokens + 5,
            input_token_details: { text_tokens: 0, audio_tokens: tokens },
          };
    this.#send("conversation.item.input_audio_transcription.completed", {
      item_id: item.id,
      content_index: 0,
      transcript: "The input of the demo model.",
      usage,
    });
  }

  async #respond(requested: Json): Promise<void> {
    if (this.#busy !== undefined) {
      this.#complain(
        `Conversation already has an active response: ${this.#busy.id}.`,
        "conversation_already_has_active_response",
      );
      return;
    }
    const response = id("resp");
    const stop = new AbortController();
    this.#busy = { id: response, stop };
    try {
      await this.#speak(
        response,
        { ...this.#session, ...requested },
        AbortSignal.any([stop.signal, this.#leaving.signal]),
      );
    } catch (error) {
      if (!(error instanceof BadQuestion)) throw error;
      this.#complain(error.message, "invalid_value", error.param);
    } finally {
      this.#busy = undefined;
    }
  }

  async #speak(response: string, config: Json, signal: AbortSignal): Promise<void> {
    const question = questionOf(this.#options.model, config, this.#items);
    const behaviour = { ...this.#options.standing, ...switchesInText(question.prompt) };
    const made = answer(question, behaviour);
    const kinds = asList(config["output_modalities"] ?? config["modalities"]);
    const sound = kinds.includes("audio");
    const about = { id: response, object: "realtime.response", conversation_id: "conv_demo" };
    this.#send("response.created", {
      response: { ...about, status: "in_progress", output: [], usage: null },
    });
    const output: Json[] = [];
    const pace = pacer(behaviour, signal);
    if (made.calls.length > 0)
      for (const call of made.calls) output.push(await this.#sayCall(response, call, output.length, pace));
    else output.push(await this.#sayText(response, made.text, sound, output.length, pace));
    if (pace.broken === "cut") return this.#socket.terminate();
    if (pace.broken === "error") {
      this.#complain("The server had an error while answering.", "server_error");
      return this.#socket.close(1011, "server_error");
    }
    this.#items.push(...output);
    const status = signal.aborted ? "cancelled" : "completed";
    const usage =
      behaviour.noUsage === true ? null : usageOf(made, sound && made.calls.length === 0, this.#audioTokens);
    this.#send("response.done", { response: { ...about, status, output, usage } });
  }

  async #sayText(
    response: string,
    pieces: string[],
    sound: boolean,
    index: number,
    pace: Pace,
  ): Promise<Json> {
    const item: Json = {
      id: id("item"),
      type: "message",
      role: "assistant",
      status: "in_progress",
      content: [],
    };
    const at = { response_id: response, item_id: item["id"], output_index: index, content_index: 0 };
    const [phrasesOf, part] = sound
      ? [
          this.#options.beta ? "response.audio_transcript" : "response.output_audio_transcript",
          this.#options.beta ? "audio" : "output_audio",
        ]
      : [
          this.#options.beta ? "response.text" : "response.output_text",
          this.#options.beta ? "text" : "output_text",
        ];
    this.#send("response.output_item.added", { response_id: response, output_index: index, item });
    this.#send("response.content_part.added", { ...at, part: { type: part } });
    let text = "";
    for (const piece of pieces) {
      if (!(await pace.next())) break;
      text += piece;
      this.#send(`${phrasesOf}.delta`, { ...at, delta: piece });
      if (sound)
        this.#send(this.#options.beta ? "response.audio.delta" : "response.output_audio.delta", {
          ...at,
          delta: melody(piece).toString("base64"),
        });
    }
    this.#send(`${phrasesOf}.done`, { ...at, ...(sound ? { transcript: text } : { text: text }) });
    const content = [sound ? { type: part, transcript: text } : { type: part, text: text }];
    const done = { ...item, status: "completed", content };
    this.#send("response.output_item.done", { response_id: response, output_index: index, item: done });
    return done;
  }

  async #sayCall(response: string, call: Answer["calls"][number], index: number, pace: Pace): Promise<Json> {
    const item: Json = { id: id("item"), type: "function_call", call_id: `call_${call.id}`, name: call.name };
    const at = { response_id: response, item_id: item["id"], output_index: index, call_id: item["call_id"] };
    this.#send("response.output_item.added", {
      response_id: response,
      output_index: index,
      item: { ...item, arguments: "" },
    });
    for (const delta of inputPieces(call.input)) {
      if (!(await pace.next())) break;
      this.#send("response.function_call_arguments.delta", { ...at, delta });
    }
    this.#send("response.function_call_arguments.done", { ...at, name: call.name, arguments: call.input });
    const done = { ...item, status: "completed", arguments: call.input };
    this.#send("response.output_item.done", { response_id: response, output_index: index, item: done });
    return done;
  }

  #hear(event: Json): void {
    switch (asText(event["type"])) {
      case "session.update": {
        const wish = asObject(event["session"]);
        if (wish["model"] !== undefined && wish["model"] !== this.#options.model)
          return this.#complain("Cannot update a session's model.", "invalid_value", "session.model");
        this.#session = {
          ...this.#session,
          ...wish,
          audio: mergeFormats(this.#session["audio"], wish["audio"]),
        };
        return this.#send("session.updated", { session: this.#session });
      }
      case "conversation.item.create":
        return this.#add({ id: id("item"), ...asObject(event["item"]) });
      case "input_audio_buffer.append": {
        this.#soundBytes += Math.floor((asText(event["audio"]).length * 3) / 4);
        const turns = asObject(asObject(asObject(this.#session["audio"])["input"])["turn_detection"]);
        if (turns["type"] !== "server_vad" || this.#soundBytes < LISTENS_FOR_SECONDS * BYTES_PER_SECOND)
          return;
        this.#commit();
        break;
      }
      case "input_audio_buffer.commit":
        return this.#commit();
      case "input_audio_buffer.clear":
        this.#soundBytes = 0;
        return this.#send("input_audio_buffer.cleared", {});
      case "response.cancel":
        return this.#busy?.stop.abort();
      case "response.create":
        break;
      default:
        return this.#complain(`Invalid value: '${asText(event["type"])}'.`, "invalid_value", "type");
    }
    this.#respond(asObject(event["response"])).catch(() => this.#socket.terminate());
  }
}

function mergeFormats(old: unknown, wish: unknown): Json {
  const [was, is] = [asObject(old), asObject(wish)];
  const side = (name: string) => ({ ...asObject(was[name]), ...asObject(is[name]) });
  return { input: side("input"), output: side("output") };
}

interface Pace {
  /** Returns false when the response ends here. */
  next(): Promise<boolean>;
  broken: "cut" | "error" | undefined;
}

function pacer(behaviour: Behaviour, signal: AbortSignal): Pace {
  let left = typeof behaviour.cut === "number" ? behaviour.cut : (behaviour.errorMidStream ?? Infinity);
  const pace: Pace = {
    broken: undefined,
    async next() {
      if (left === 0) pace.broken = typeof behaviour.cut === "number" ? "cut" : "error";
      left -= 1;
      if (pace.broken !== undefined) return false;
      await sleep(behaviour.chunkDelay ?? 0, undefined, { signal }).catch(() => {});
      return !signal.aborted;
    },
  };
  return pace;
}

function usageOf(made: Answer, sound: boolean, audioInput: number): Json {
  const { input = 0, output = 0, cached = 0 } = made.usage ?? {};
  const audio = sound ? Math.floor(output / 2) : 0;
  return {
    total_tokens: input + audioInput + output,
    input_tokens: input + audioInput,
    output_tokens: output,
    input_token_details: {
      text_tokens: input,
      audio_tokens: audioInput,
      image_tokens: 0,
      cached_tokens: cached,
      cached_tokens_details: { text_tokens: cached, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: output - audio, audio_tokens: audio },
  };
}

/** Converts the conversation to a question for the chat model. */
function questionOf(model: string, config: Json, items: Json[]): Question {
  const messages = items.flatMap((item): Json[] => {
    switch (item["type"]) {
      case "function_call": {
        const call = { name: item["name"], arguments: item["arguments"] };
        return [
          { role: "assistant", tool_calls: [{ id: item["call_id"], type: "function", function: call }] },
        ];
      }
      case "function_call_output":
        return [{ role: "tool", tool_call_id: item["call_id"], content: item["output"] }];
      default: {
        const text = asList(item["content"])
          .map(asObject)
          .map((part) => asText(part["text"]) || asText(part["transcript"]));
        return [{ role: item["role"] ?? "user", content: text.join("\n") || "(sound)" }];
      }
    }
  });
  const tools = asList(config["tools"]).map((tool) => ({ type: "function", function: tool }));
  const output = messages.length === 0 ? [{ role: "user", content: "Hello" }] : messages;
  return openaiChat.read(
    { model, messages: output, tools, tool_choice: config["tool_choice"] },
    {
      model,
      stream: true,
      sse: true,
    },
  );
}
