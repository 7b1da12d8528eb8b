import { levels, pino, type Logger } from "pino";
import pretty from "pino-pretty";

/** A log line, as administrators read it in the console. */
export interface LogLine {
  /** YYYY-MM-DD HH:mm:ss, UTC. */
  time: string;
  level: string;
  message: string;
}

/** The latest log lines of this process. */
export interface LogRing {
  /** Keeps a line and returns it unchanged. */
  keep(line: string): string;
  /** Returns the last lines, oldest first. */
  last(count: number): LogLine[];
  /** Passes further lines to the listener. */
  follow(listener: (line: string) => void): void;
}

const RING_LINES = 500;

export function createLogRing(): LogRing {
  const lines: string[] = [];
  let next = 0;
  let listener: ((line: string) => void) | undefined;
  return {
    follow(wanted) {
      listener = wanted;
    },
    keep(line) {
      listener?.(line);
      lines[next] = line;
      next = (next + 1) % RING_LINES;
      return line;
    },
    last(count) {
      const inOrder = [...lines.slice(next), ...lines.slice(0, next)];
      return inOrder.slice(-Math.min(count, RING_LINES)).map(readable);
    },
  };
}

function readable(line: string): LogLine {
  const { time, level, msg, err } = JSON.parse(line) as {
    time: number;
    level: number;
    msg?: string;
    err?: { message?: string };
  };
  return {
    time: new Date(time).toISOString().slice(0, 19).replace("T", " "),
    level: levels.labels[level] ?? String(level),
    message: [msg, err?.message].filter((part) => part !== undefined && part !== "").join(": "),
  };
}

/**
 * Returns the line for an error that ends the process, also before the log is open: JSON in production, as every
 * other line; else only the message. @param detail adds the stack
 */
export function lastLine(error: unknown, isProduction: boolean, detail: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  const stack = detail && error instanceof Error ? error.stack : undefined;
  if (!isProduction) return stack ?? message;
  return JSON.stringify({
    level: levels.values["fatal"],
    time: Date.now(),
    msg: message,
    ...(stack && { stack }),
  });
}

/**
 * Opens the log with one line per event: JSON in production, for machines; short sentences elsewhere, for the
 * person who has just started it. Credentials that a library attaches to an error are removed.
 */
export function openLog(env: { NODE_ENV: string; LOG_LEVEL: string }, ring: LogRing): Logger {
  const options = {
    level: env.LOG_LEVEL,
    hooks: { streamWrite: (line: string) => ring.keep(line) },
    redact: ["req.headers.authorization", "req.headers.cookie", "err.config", "err.headers", "err.command"],
  };
  return env.NODE_ENV === "production" ? pino(options) : pino(options, sentences());
}

function sentences() {
  return pretty({
    colorize: process.stdout.isTTY,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
    sync: true,
  });
}

/** Lines that wait for a slow reader of the output, in bytes. Further ones are dropped. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Lines are written together when they have so many bytes, or after so long. A write takes longer than a line. */
const WRITE_BYTES = 8 * 1024;
const WRITE_MS = 250;

/**
 * Opens the log of calls on the same output. Its lines are many, so they are written together, without waiting for the
 * output, and administrators do not read them in the console.
 */
export function openAccessLog(env: { NODE_ENV: string; LOG_LEVEL: string }): {
  log: Logger;
  /** Writes what waits. */
  close(): void;
} {
  const options = { level: env.LOG_LEVEL };
  if (env.NODE_ENV !== "production") return { log: pino(options, sentences()), close: () => undefined };
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
  });
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    output.flush();
  };
  const write = (line: string) => {
    output.write(line);
    timer ??= setTimeout(flush, WRITE_MS);
  };
  return {
    log: pino(options, { write }),
    close() {
      clearTimeout(timer);
      output.flushSync();
    },
  };
}
