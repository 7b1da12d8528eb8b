import type { Redis } from "ioredis";
import { z } from "zod";
import type { Usage } from "#dialects/ir.ts";
import { now as clock } from "#platform/clock.ts";
import type { Secrets } from "#platform/secrets.ts";

/**
 * Cache of model responses by request. With Redis, entries are stored there, encrypted, so that all nodes
 * share them and they survive a restart. Otherwise they are kept in the memory of this process, with the
 * least recently used evicted first. The module does not check access, and does not know what a response
 * costs.
 */
export interface AnswerCache {
  /** Finds a cached response. Never throws: an unreadable entry counts as missing. */
  find(request: string): Promise<RememberedAnswer | undefined>;
  /** Stores a response in the background. */
  keep(request: string, answer: RememberedAnswer, seconds: number): void;
}

export interface RememberedAnswer {
  kind: "body" | "stream";
  headers: Record<string, string>;
  /** The text as the client received it. */
  text: string;
  usage: Usage;
  group: string;
  billedModel: string;
  upstreamModel: string;
  /** In milliseconds since 1970. */
  madeAt: number;
}

/** Entries in Redis were written by the gateway. The schema only rejects entries of other versions. */
const Remembered = z.looseObject({
  kind: z.enum(["body", "stream"]),
  headers: z.record(z.string(), z.string()),
  text: z.string(),
  usage: z.looseObject({ input: z.number(), output: z.number() }),
  group: z.string(),
  billedModel: z.string(),
  upstreamModel: z.string(),
  madeAt: z.number(),
});

export interface AnswerCacheOptions {
  secrets: Pick<Secrets, "hash" | "encrypt" | "decrypt">;
  redis?: Redis | undefined;
  /** Maximum number of characters that the process keeps. */
  capacity?: number;
  now?: () => number;
}

const CAPACITY = 64 * 1024 * 1024;

export function createAnswerCache(options: AnswerCacheOptions): AnswerCache {
  const { secrets, redis } = options;
  const nameOf = (request: string) => `answer:${Buffer.from(secrets.hash(request)).toString("base64url")}`;
  return redis === undefined ? inProcess(nameOf, options) : inRedis(nameOf, secrets, redis);
}

function inRedis(
  nameOf: (request: string) => string,
  secrets: AnswerCacheOptions["secrets"],
  redis: Redis,
): AnswerCache {
  return {
    async find(request) {
      const name = nameOf(request);
      try {
        const sealed = await redis.getBuffer(name);
        if (sealed === null) return undefined;
        const read = Remembered.safeParse(JSON.parse(secrets.decrypt(sealed, name)));
        return read.success ? read.data : undefined;
      } catch {
        // Redis is unavailable, or another secret encrypted the entry: the provider is called instead.
        return undefined;
      }
    },
    keep(request, answer, seconds) {
      const name = nameOf(request);
      const sealed = Buffer.from(secrets.encrypt(JSON.stringify(answer), name));
      redis.set(name, sealed, "EX", Math.max(1, Math.round(seconds))).catch(() => {});
    },
  };
}

function inProcess(
  nameOf: (request: string) => string,
  { capacity = CAPACITY, now = clock }: AnswerCacheOptions,
): AnswerCache {
  /** Least recently used first. */
  const cached = new Map<string, { answer: RememberedAnswer; until: number }>();
  let size = 0;

  function drop(name: string): void {
    size -= cached.get(name)?.answer.text.length ?? 0;
    cached.delete(name);
  }

  return {
    async find(request) {
      const name = nameOf(request);
      const found = cached.get(name);
      if (found === undefined) return undefined;
      if (found.until <= now()) {
        drop(name);
        return undefined;
      }
      cached.delete(name);
      cached.set(name, found);
      return found.answer;
    },
    keep(request, answer, seconds) {
      const name = nameOf(request);
      drop(name);
      cached.set(name, { answer, until: now() + seconds * 1_000 });
      size += answer.text.length;
      for (const oldest of cached.keys()) {
        if (size <= capacity) return;
        drop(oldest);
      }
    },
  };
}
