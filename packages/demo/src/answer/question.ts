import { type Json, asList, asObject } from "./json.ts";

/** The content of a chat request, for any wire format. */
export interface Question {
  model: string;
  stream: boolean;
  /** The user's last message, including its switches. */
  prompt: string;
  /** Number of user turns so far. */
  turns: number;
  images: number;
  audios: number;
  files: number;
  /** Tool results that the model has not responded to yet. */
  toolResults: string[];
  tools: OfferedTool[];
  toolChoice: "auto" | "none" | "required" | { name: string };
  parallelTools: boolean;
  /** `true`: any JSON; an object: JSON that matches this schema. */
  json: false | true | Json;
  /** The caller requested reasoning, whatever the model. */
  thinks: boolean;
  /** Number of answers. */
  answers: number;
  /** Maximum number of tokens, reasoning included. */
  maxOutput: number | undefined;
  stop: string[];
  /** Estimated tokens: a quarter of the bytes. */
  input: number;
  /** The prompt in parts: the tools, then every text in order. */
  parts?: readonly string[];
}

export interface OfferedTool {
  name: string;
  schema: Json;
  /** Set only for the Responses format: the group of the tool, and whether its input is plain text. */
  form?: { namespace?: string; plain: boolean };
}

/** A request that every provider would reject. */
export class BadQuestion extends Error {
  readonly param: string;

  constructor(message: string, param: string) {
    super(message);
    this.name = "BadQuestion";
    this.param = param;
  }
}

const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_IMAGE = 85;

/** Context that coding agents put before the question, in the same turn. Its words name most of their tools. */
const agentContext = /^\s*<(?:system-reminder|session_context|environment_context)>/;

/** Collects the content of a request while a wire format walks through its messages. */
export class Listener {
  #prompt = "";
  #turns = 0;
  #bytes = 0;
  #messages = 0;
  #images = 0;
  #imagesInTurn = 0;
  #audios = 0;
  #files = 0;
  #results: string[] = [];
  readonly #parts: string[] = [];

  /** Begins a user's turn. Text and media of earlier turns are history. */
  userTurn(): void {
    this.#turns += 1;
    this.#messages += 1;
    this.#prompt = "";
    this.#imagesInTurn = 0;
    this.#audios = 0;
    this.#files = 0;
  }

  /** Records a turn of the model or the system. A turn of the model answers the tool results before it. */
  otherTurn(role: "assistant" | "system"): void {
    this.#messages += 1;
    if (role === "assistant") this.#results = [];
  }

  userText(text: string): void {
    if (!agentContext.test(text)) this.#prompt += (this.#prompt === "" ? "" : "\n") + text;
    this.otherText(text);
  }

  otherText(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    this.#parts.push(text);
  }

  image(): void {
    this.#images += 1;
    this.#imagesInTurn += 1;
  }

  audio(): void {
    this.#audios += 1;
  }

  file(): void {
    this.#files += 1;
  }

  toolResult(content: unknown): void {
    const text = typeof content === "string" ? content : JSON.stringify(content ?? null);
    this.#results.push(text);
    this.#messages += 1;
    this.otherText(text);
  }

  request(
    tools: unknown,
  ): Pick<Question, "prompt" | "turns" | "images" | "audios" | "files" | "toolResults" | "input" | "parts"> {
    const toolText = asList(tools).length === 0 ? "" : JSON.stringify(tools);
    return {
      prompt: this.#prompt,
      turns: this.#turns,
      images: this.#imagesInTurn,
      audios: this.#audios,
      files: this.#files,
      toolResults: this.#results,
      input:
        Math.ceil((this.#bytes + toolText.length) / 4) +
        this.#messages * TOKENS_PER_MESSAGE +
        this.#images * TOKENS_PER_IMAGE,
      parts: [toolText, ...this.#parts],
    };
  }
}

export function decodeOfferedTools(name: unknown, schema: unknown): OfferedTool[] {
  return typeof name === "string" && name !== "" ? [{ name, schema: asObject(schema) }] : [];
}
