import { Redis } from "ioredis";

/**
 * The way to Redis, which is optional: limits fall back to the process when it is away, and nothing else depends on
 * it. Commands fail at once while the connection is down instead of queueing.
 */
export function connectRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 1_000,
    retryStrategy: (attempt) => Math.min(attempt * 200, 5_000),
  });
  redis.on("error", onError);
  return redis;
}
