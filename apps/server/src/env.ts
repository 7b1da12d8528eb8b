import { z } from "zod";

/** The process settings: the only file that reads the environment. A bad value stops the start with a sentence. */

const flag = z
  .enum(["0", "1", "true", "false", ""])
  .transform((text) => text === "1" || text === "true")
  .optional();

const Environment = z.object({
  NODE_ENV: z.enum(["development", "production", "test"]).default("development"),
  HOST: z.string().default("0.0.0.0"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
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
  MEMORY_BUDGET_MB: z.coerce.number().int().min(64).max(1_048_576).optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

export interface Env extends Omit<z.infer<typeof Environment>, "BASE_PATH" | "DEMO_UPSTREAM"> {
  /** Begins and ends without a slash: "" or "gateway". */
  basePath: string;
  demoUpstream: boolean;
}

/** Keys as `.env.example` must list them. */
export const environmentKeys = Object.keys(Environment.shape);

/** Throws an Error whose message names every bad variable. Empty variables count as missing. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The environment has values that cannot be used:\n${lines.join("\n")}`);
  }
  const { BASE_PATH, DEMO_UPSTREAM, ...rest } = parsed.data;
  return {
    ...rest,
    basePath: BASE_PATH.replace(/^\/|\/$/g, ""),
    demoUpstream: DEMO_UPSTREAM ?? rest.NODE_ENV !== "production",
  };
}
