import type { Redis } from "ioredis";
import { z } from "zod";
import type { Usage } from "#dialects/ir.ts";
import { now as clock } from "#platform/clock.ts";
import type { Secrets } from "#platform/secrets.ts";

/**
 * Answers that may be given again, each under the request it belongs to. They live in Redis, encrypted, where there is
 * one, so that all nodes share them and a restart loses none; else in the memory of this process, which forgets the
 * one that was not wanted for the longest. It must not know who may ask, nor what an answer costs.
 */
export interface AnswerCache {
  /** Throws nothing: an answer that cannot be read is none. */
  find(request: string): Promise<RememberedAnswer | undefined>;
  /** Never holds anyone up. */
  keep(request: string, answer: RememberedAnswer, seconds: number): void;
}

export interface RememberedAnswer {
  kind: "body" | "stream";
  headers: Record<string, string>;
  /** As the client read it. */
  text: string;
  usage: Usage;
  group: string;
  billedModel: string;
  upstreamModel: string;
  /** Milliseconds since 1970. */
  madeAt: number;
}

/** What Redis holds was written by us; this only tells it from what another version wrote. */
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
  /** Characters that the process holds at most. */
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
        // Redis is away, or another secret sealed it: the provider is asked instead.
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
  /** In the order in which they were last wanted. */
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
