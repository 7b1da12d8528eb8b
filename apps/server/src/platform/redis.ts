import { Redis, type RedisOptions } from "ioredis";
import type { RedisSentinels } from "./connection-url.ts";
import type { Secrets } from "./secrets.ts";

interface ConnectRedisOptions {
  url: string;
  sentinels?: RedisSentinels | undefined;
  /**
   * Secrets of the installation. Its nodes share keys; other installations on the same Redis have their own
   * keys.
   */
  secrets: Pick<Secrets, "hash">;
  /** Called with each failed attempt to connect, and when the connection is lost. */
  onError(error: Error): void;
  /** Called with each new connection. */
  onReady?(): void;
}

/**
 * Opens a client. With Sentinel, the host of `url` is the name of the master, whose address the Sentinel servers
 * return.
 */
export function openRedis(url: string, sentinels: RedisSentinels | undefined, options: RedisOptions): Redis {
  if (sentinels === undefined) return new Redis(url, options);
  const { protocol, hostname, username, password, pathname } = new URL(url);
  const isEncrypted = protocol === "rediss:";
  return new Redis({
    ...options,
    sentinels: sentinels.nodes.map((node) => ({ ...node })),
    name: hostname,
    db: Number(pathname.slice(1)) || 0,
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
    ...(sentinels.password !== undefined && { sentinelPassword: sentinels.password }),
    ...(isEncrypted && { tls: {}, enableTLSForSentinelMode: true }),
    // A master that was replaced still accepts connections, but no writes.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  });
}

/**
 * Connects to Redis, which is optional: limits fall back to the process when it is unreachable, and nothing
 * else depends on it. Commands fail at once while the connection is down instead of queueing.
 */
export function connectRedis({ url, sentinels, secrets, onError, onReady }: ConnectRedisOptions): Redis {
  const redis = openRedis(url, sentinels, {
    keyPrefix: `gateway:${installationOf(secrets)}:`,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 1_000,
    // Drops a connection that goes silent without being closed. The next commands then fail at once, and a
    // new connection is made.
    socketTimeout: 1_500,
    retryStrategy: (attempt) => Math.min(attempt * 200, 5_000),
  });
  redis.on("error", onError);
  if (onReady !== undefined) redis.on("ready", onReady);
  return redis;
}

/**
 * Returns nine bytes of a keyed hash, in base64url. They identify the installation and reveal nothing about
 * its secret.
 */
function installationOf(secrets: Pick<Secrets, "hash">): string {
  return Buffer.from(secrets.hash("redis keys")).toString("base64url").slice(0, 12);
}
