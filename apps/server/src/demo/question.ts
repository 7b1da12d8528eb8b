import { type Json, asList, asObject } from "./json.ts";

/** What a chat request asks for, whatever wire it came on. */
export interface Question {
  model: string;
  stream: boolean;
  /** The last thing the user said, its switches included. */
  prompt: string;
  /** How many times the user has spoken so far. */
  turns: number;
  images: number;
  audios: number;
  files: number;
  /** Results of tools that the model has not answered yet. */
  toolResults: string[];
  tools: OfferedTool[];
  toolChoice: "auto" | "none" | "required" | { name: string };
  parallelTools: boolean;
  /** `true`: any JSON; an object: JSON that fits this schema. */
  json: false | true | Json;
  /** The caller asked the model to think, whatever its name. */
  thinks: boolean;
  /** How many answers. */
  answers: number;
  /** Tokens at most, reasoning included. */
  maxOutput: number | undefined;
  stop: string[];
  /** Tokens, roughly: a quarter of the bytes. */
  input: number;
}

export interface OfferedTool {
  name: string;
  schema: Json;
  /** What only the wire of Responses knows: the group of the tool, and that its input is plain text. */
  form?: { namespace?: string; plain: boolean };
}

/** A request that no provider would take. */
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

/** Gathers what a request holds while a wire walks through its messages. */
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

  /** A user's turn begins: what older turns showed and asked is history. */
  userTurn(): void {
    this.#turns += 1;
    this.#messages += 1;
    this.#prompt = "";
    this.#imagesInTurn = 0;
    this.#audios = 0;
    this.#files = 0;
  }

  /** The model, or the system, spoke: results before it are answered. */
  otherTurn(role: "assistant" | "system"): void {
    this.#messages += 1;
    if (role === "assistant") this.#results = [];
  }

  userText(text: string): void {
    this.#prompt += (this.#prompt === "" ? "" : "\n") + text;
    this.otherText(text);
  }

  otherText(text: string): void {
    this.#bytes += Buffer.byteLength(text);
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
  ): Pick<Question, "prompt" | "turns" | "images" | "audios" | "files" | "toolResults" | "input"> {
    const offered = asList(tools).length === 0 ? 0 : JSON.stringify(tools).length;
    return {
      prompt: this.#prompt,
      turns: this.#turns,
      images: this.#imagesInTurn,
      audios: this.#audios,
      files: this.#files,
      toolResults: this.#results,
      input:
        Math.ceil((this.#bytes + offered) / 4) +
        this.#messages * TOKENS_PER_MESSAGE +
        this.#images * TOKENS_PER_IMAGE,
    };
  }
}

export function offered(name: unknown, schema: unknown): OfferedTool[] {
  return typeof name === "string" && name !== "" ? [{ name, schema: asObject(schema) }] : [];
}
