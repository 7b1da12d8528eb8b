import { createHash } from "node:crypto";
import { type Json, asList, asObject } from "./json.ts";
import { BadQuestion } from "./question.ts";

/**
 * A prompt cache as Anthropic has it: only what stands before a mark (`cache_control`) is written, and only from a mark
 * back is the longest known beginning read. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export interface MarkedCache {
  /**
   * Returns the tokens of a request to Messages: all, those read from the cache, and those written to it.
   * @param account whose cache
   * @param now milliseconds since 1970
   */
  take(account: string, body: Json, now: number): { input: number; read: number; written: number };
}

/** A block of a prompt, with everything before it. */
export interface PromptBlock {
  /** Identifies the prompt up to the end of this block. */
  readonly hash: string;
  /** Tokens of the prompt up to the end of this block. */
  readonly tokens: number;
  readonly isMarked: boolean;
}

/** A shorter beginning is not cached. */
export const SHORTEST_BEGINNING = 1_024;
const MOST_MARKS = 4;
/** Blocks before a mark at whose ends a known beginning is looked for. */
const LOOK_BACK = 20;
const TTL_MS = 5 * 60_000;
const BYTES_PER_TOKEN = 4;
const MOST_BEGINNINGS = 50_000;

export function createMarkedCache(): MarkedCache {
  /** When each beginning expires, oldest first. */
  const expiries = new Map<string, number>();
  const keep = (name: string, now: number) => {
    expiries.delete(name);
    expiries.set(name, now + TTL_MS);
  };
  return {
    take(account, body, now) {
      const blocks = promptBlocks(body);
      const marks = blocks.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
      if (marks.length > MOST_MARKS)
        throw new BadQuestion(`A maximum of ${MOST_MARKS} blocks with cache_control may be provided.`, "");
      const nameOf = (at: number) => `${account} ${blocks[at]?.hash}`;
      const tokensAt = (at: number) => blocks[at]?.tokens ?? 0;
      let readTo = -1;
      for (const mark of marks)
        for (let at = mark; at >= 0 && at > mark - LOOK_BACK; at -= 1)
          if (at > readTo && (expiries.get(nameOf(at)) ?? 0) > now) readTo = at;
      if (readTo >= 0) keep(nameOf(readTo), now);
      const read = tokensAt(readTo);
      let written = 0;
      for (const mark of marks) {
        if (tokensAt(mark) < SHORTEST_BEGINNING) continue;
        keep(nameOf(mark), now);
        written = Math.max(written, tokensAt(mark) - read);
      }
      while (expiries.size > MOST_BEGINNINGS) {
        const [oldest] = expiries.keys();
        if (oldest !== undefined) expiries.delete(oldest);
      }
      return { input: tokensAt(blocks.length - 1), read, written };
    },
  };
}

/** Returns the blocks of a request to Messages. A text and a list of one text are the same block. */
export function promptBlocks(body: Json): PromptBlock[] {
  const blocks: PromptBlock[] = [];
  let hash = "";
  let bytes = 0;
  const add = (role: string, block: Json) => {
    const { cache_control: mark, ...rest } = block;
    const text = role + JSON.stringify(rest);
    hash = createHash("sha256").update(`${hash}\0${text}`).digest("base64url");
    bytes += Buffer.byteLength(text);
    blocks.push({ hash, tokens: Math.ceil(bytes / BYTES_PER_TOKEN), isMarked: mark !== undefined });
  };
  const addAll = (role: string, content: unknown) => {
    if (typeof content === "string") add(role, { type: "text", text: content });
    else for (const block of asList(content)) add(role, asObject(block));
  };
  addAll("tool", body["tools"]);
  addAll("system", body["system"]);
  for (const message of asList(body["messages"]).map(asObject))
    addAll(String(message["role"]), message["content"]);
  return blocks;
}
