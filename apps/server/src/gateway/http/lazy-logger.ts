import type { FastifyBaseLogger } from "fastify";

type Child = Parameters<FastifyBaseLogger["child"]>;
type Log = FastifyBaseLogger["info"];

/** A child logger that is created with its first line: most requests log nothing. */
export class LazyLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #given: Child;
  #child: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, ...given: Child) {
    this.#parent = parent;
    this.#given = given;
  }

  get #log(): FastifyBaseLogger {
    return (this.#child ??= this.#parent.child(...this.#given));
  }

  get level(): string {
    return (this.#child ?? this.#parent).level;
  }

  set level(level: string) {
    this.#log.level = level;
  }

  fatal(...line: Parameters<Log>): void {
    this.#log.fatal(...line);
  }

  error(...line: Parameters<Log>): void {
    this.#log.error(...line);
  }

  warn(...line: Parameters<Log>): void {
    this.#log.warn(...line);
  }

  info(...line: Parameters<Log>): void {
    this.#log.info(...line);
  }

  debug(...line: Parameters<Log>): void {
    this.#log.debug(...line);
  }

  trace(...line: Parameters<Log>): void {
    this.#log.trace(...line);
  }

  silent(...line: Parameters<Log>): void {
    this.#log.silent(...line);
  }

  child(...given: Child): FastifyBaseLogger {
    return this.#log.child(...given);
  }
}
