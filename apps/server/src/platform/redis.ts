import { Redis } from "ioredis";
import type { Secrets } from "./secrets.ts";

interface RedisOptions {
  url: string;
  /** Those of the installation: its nodes share keys, other installations on the same Redis have their own. */
  secrets: Pick<Secrets, "hash">;
  onError(error: Error): void;
}

/**
 * The way to Redis, which is optional: limits fall back to the process when it is away, and nothing else depends on
 * it. Commands fail at once while the connection is down instead of queueing.
 */
export function connectRedis({ url, secrets, onError }: RedisOptions): Redis {
  const redis = new Redis(url, {
    keyPrefix: `gateway:${installationOf(secrets)}:`,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 1_000,
    // A connection that goes silent without being closed is dropped, so that the next commands fail at once and a new one is made.
    socketTimeout: 1_500,
    retryStrategy: (attempt) => Math.min(attempt * 200, 5_000),
  });
  redis.on("error", onError);
  return redis;
}

/** Nine bytes of a keyed hash: they name the installation and say nothing about its secret. */
function installationOf(secrets: Pick<Secrets, "hash">): string {
  return Buffer.from(secrets.hash("redis keys")).toString("base64url").slice(0, 12);
}
