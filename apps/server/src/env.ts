/**
 * The process settings. Only this module reads the environment. An invalid value prevents the start with a
 * clear message.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { z } from "zod";
import { type RedisSentinels, redisUrl, sentinelsOf } from "#platform/connection-url.ts";
import { databaseUrl } from "#platform/database/database-address.ts";
import {
  keySourceSettings,
  type KeySourceSettings,
  keySourceVariables,
} from "#platform/key-sources/key-settings.ts";
import {
  telemetrySettings,
  type TelemetrySettings,
  telemetryVariables,
} from "#platform/telemetry/telemetry-settings.ts";

const flag = z
  .enum(["0", "1", "true", "false"])
  .transform((text) => text === "1" || text === "true")
  .optional();

const Environment = z.object({
  NODE_ENV: z.enum(["development", "production", "test"]).default("development"),
  HOST: z.string().default("0.0.0.0"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .optional(),
  DATABASE_DIRECT_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .optional(),
  DATABASE_REPLICA_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .optional(),
  DATABASE_REPLICA_LAG_SECONDS: z.coerce.number().min(1).max(3_600).default(10),
  DATABASE_PASSWORD: z.string().optional(),
  DATABASE_PASSWORD_FILE: z.string().optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, "must begin with redis:// or rediss://")
    .optional(),
  REDIS_SENTINELS: z
    .string()
    .regex(/^[^\s,:/]+(:\d+)?(,[^\s,:/]+(:\d+)?)*$/, "must look like host-1:26379,host-2:26379")
    .optional(),
  REDIS_SENTINEL_PASSWORD: z.string().optional(),
  DATA_DIR: z.string().min(1).default("./data"),
  SECRET_KEY: z.string().min(32, "must be at least 32 characters").optional(),
  BASE_PATH: z
    .string()
    .regex(/^\/([\w.-]+(\/[\w.-]+)*)?\/?$/, "must look like / or /gateway")
    .default("/"),
  TRUST_PROXY: z.string().default(""),
  ROOT_USERNAME: z.string().min(3).max(64).optional(),
  ROOT_PASSWORD: z.string().min(8).max(200).optional(),
  ROOT_ACCESS_TOKEN: z.string().min(32).max(128).optional(),
  DEMO_UPSTREAM: flag,
  WORKERS: z
    .union(
      [z.literal("auto"), z.coerce.number().int().min(1).max(256)],
      'must be "auto" or a number from 1 to 256',
    )
    .default(1),
  API_RATE_LIMIT: z.coerce.number().int().min(10).max(10_000_000).default(300),
  MEMORY_BUDGET_MB: z.coerce.number().int().min(64).max(1_048_576).optional(),
  DRAIN_SECONDS: z.coerce.number().min(0).max(300).optional(),
  STOP_SECONDS: z.coerce.number().min(1).max(7_200).default(600),
  ACCESS_LOG: flag,
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  ...telemetryVariables,
  ...keySourceVariables,
});

type Variables = z.infer<typeof Environment>;

export interface Env extends Omit<
  Variables,
  | keyof typeof telemetryVariables
  | keyof typeof keySourceVariables
  | "ACCESS_LOG"
  | "BASE_PATH"
  | "DATABASE_DIRECT_URL"
  | "DATABASE_REPLICA_URL"
  | "DATABASE_REPLICA_LAG_SECONDS"
  | "DEMO_UPSTREAM"
  | "DATABASE_PASSWORD"
  | "DATABASE_PASSWORD_FILE"
  | "DRAIN_SECONDS"
  | "REDIS_SENTINELS"
  | "REDIS_SENTINEL_PASSWORD"
  | "WORKERS"
> {
  /** The connection pooler in front of the database of DATABASE_URL; undefined = none. */
  poolerUrl: string | undefined;
  /** A standby of the database that screens read, and how far behind it may be; undefined = none. */
  replica: { url: string; maxLagMs: number } | undefined;
  /** Finds the Redis of REDIS_URL through Sentinel; undefined = its address is that of REDIS_URL. */
  redisSentinels: RedisSentinels | undefined;
  /** Number of processes behind the port. */
  workers: number;
  /** What is sent to an OpenTelemetry collector; undefined = nothing. */
  telemetry: TelemetrySettings | undefined;
  /** Where keys of channels may be read from. */
  keySources: KeySourceSettings;
  /** Whether each call gets a log line. */
  accessLog: boolean;
  /** Without leading and trailing slashes: "" or "gateway". */
  basePath: string;
  /** The simulated provider: always on, always off, or on once an administrator has enabled it. */
  demoUpstream: "on" | "off" | "optional";
  /** Seconds that a stopping node reports not ready while it still serves. */
  drainSeconds: number;
}

/** Variables that `.env.example` must contain. */
export const environmentKeys = Object.keys(Environment.shape);

/** Throws an Error that names every invalid variable. Empty variables count as missing. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${conditionOf(issue)}`);
    throw new Error(`The environment has values that cannot be used:\n${lines.join("\n")}`);
  }
  const {
    ACCESS_LOG,
    BASE_PATH,
    DATABASE_DIRECT_URL: direct,
    DATABASE_REPLICA_URL: replica,
    DATABASE_REPLICA_LAG_SECONDS: lagSeconds,
    DEMO_UPSTREAM,
    DATABASE_PASSWORD: _password,
    DATABASE_PASSWORD_FILE: _file,
    DRAIN_SECONDS,
    REDIS_SENTINELS,
    REDIS_SENTINEL_PASSWORD,
    WORKERS,
    ...rest
  } = parsed.data;
  if (direct !== undefined && rest.DATABASE_URL === undefined)
    throw new Error(
      "DATABASE_DIRECT_URL is set without DATABASE_URL. Set DATABASE_URL to the address of the pooler.",
    );
  if (replica !== undefined && rest.DATABASE_URL === undefined)
    throw new Error(
      "DATABASE_REPLICA_URL is set without DATABASE_URL. Set DATABASE_URL to the address of the primary.",
    );
  if (REDIS_SENTINELS !== undefined && rest.REDIS_URL === undefined)
    throw new Error("REDIS_SENTINELS is set without REDIS_URL. Set REDIS_URL to redis://name-of-the-master.");
  const address = rest.DATABASE_URL === undefined ? undefined : withPassword(rest.DATABASE_URL, parsed.data);
  return {
    ...rest,
    telemetry: telemetrySettings(parsed.data),
    keySources: keySourceSettings(parsed.data, given),
    accessLog: ACCESS_LOG ?? rest.NODE_ENV === "production",
    workers: WORKERS === "auto" ? availableParallelism() : WORKERS,
    DATABASE_URL: direct === undefined ? address : withPassword(direct, parsed.data, "DATABASE_DIRECT_URL"),
    poolerUrl: direct === undefined ? undefined : address,
    replica:
      replica === undefined
        ? undefined
        : { url: withPassword(replica, parsed.data, "DATABASE_REPLICA_URL"), maxLagMs: lagSeconds * 1_000 },
    redisSentinels:
      REDIS_SENTINELS === undefined
        ? undefined
        : { nodes: sentinelsOf(REDIS_SENTINELS), password: REDIS_SENTINEL_PASSWORD },
    REDIS_URL: rest.REDIS_URL === undefined ? undefined : redisUrl(rest.REDIS_URL),
    basePath: BASE_PATH.replace(/^\/|\/$/g, ""),
    demoUpstream: demoMode(DEMO_UPSTREAM, rest.NODE_ENV),
    drainSeconds: DRAIN_SECONDS ?? (rest.NODE_ENV === "production" ? 5 : 0),
  };
}

/** Returns what a value must be. The schema has a message where its condition is not a type, a limit or a list. */
function conditionOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "must be a whole number" : `must be a ${issue.expected}`;
    case "too_small":
      return issue.message.startsWith("must")
        ? issue.message
        : `must be at least ${issue.minimum}${unitOf(issue)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue)}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    default:
      return issue.message;
  }
}

function unitOf({ origin }: { origin: string }): string {
  return origin === "string" ? " characters" : "";
}

function demoMode(wanted: boolean | undefined, mode: Variables["NODE_ENV"]): Env["demoUpstream"] {
  if (wanted !== undefined) return wanted ? "on" : "off";
  return mode === "production" ? "optional" : "on";
}

/** The file is read only if nothing else has the password: Compose names one that only its own Postgres writes. */
function withPassword(
  url: string,
  {
    DATABASE_PASSWORD: given,
    DATABASE_PASSWORD_FILE: file,
  }: Pick<Variables, "DATABASE_PASSWORD" | "DATABASE_PASSWORD_FILE">,
  variable?: string,
): string {
  const complete = databaseUrl(url, given, variable);
  return new URL(complete).password === "" ? databaseUrl(url, passwordIn(file), variable) : complete;
}

/** Reads a secret from a mounted file, without the newline at its end. */
function passwordIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (cause) {
    throw new Error(
      `DATABASE_PASSWORD_FILE names ${path}, which cannot be read. Set DATABASE_PASSWORD, or put the password into ` +
        "DATABASE_URL. For a database without a password, set DATABASE_PASSWORD_FILE=/dev/null.",
      { cause },
    );
  }
}
