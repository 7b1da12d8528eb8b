import { pino, type Logger } from "pino";
import pretty from "pino-pretty";

/**
 * One line per event: JSON in production, for machines; short sentences elsewhere, for the person who has just
 * started it. Credentials that a library might hang on an error never get out.
 */
export function openLog(env: { NODE_ENV: string; LOG_LEVEL: string }): Logger {
  const options = {
    level: env.LOG_LEVEL,
    redact: ["req.headers.authorization", "req.headers.cookie", "err.config", "err.headers"],
  };
  if (env.NODE_ENV === "production") return pino(options);
  return pino(
    options,
    pretty({
      colorize: process.stdout.isTTY,
      translateTime: "SYS:HH:MM:ss",
      ignore: "pid,hostname",
      sync: true,
    }),
  );
}
