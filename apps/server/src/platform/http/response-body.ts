/**
 * A response body that is handed to a reader as it arrives: one function call for each read of the socket, and no
 * promise. For bodies that pass event by event. `chunks()` of a response is the form for everything else.
 */
import { tooLarge } from "./transport-error.ts";

/** Receives a body. `data` may throw; `fail` is then called with the error. Either `end` or `fail` is called last. */
export interface BodyReader {
  data(chunk: Buffer): void;
  end(): void;
  fail(error: unknown): void;
}

/** With it, the reader of a body decides when it receives more. A pause also delays `end` and `fail`. */
export interface BodyFlow {
  pause(): void;
  resume(): void;
}

/** The three ways to read a body. Use one of them, once. */
export interface Body {
  /** Reads at most `maxBytes`. A longer body fails with TransportError. */
  text(maxBytes: number): Promise<string>;
  /** The body as it arrives. Leaving the loop early cancels the call. */
  chunks(): AsyncGenerator<Buffer, void, undefined>;
  /** Hands the body to the reader as it arrives. It is not called before this function has returned. */
  read(reader: BodyReader): BodyFlow;
}

/** Reads a whole body. Throws TransportError when it is longer than `maxBytes`. */
async function textOf(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(chunk);
  }
  return textIn(parts);
}

/** Decodes the parts of a body together: a character may be split over two of them. */
export function textIn(parts: readonly Buffer[]): string {
  return parts.length === 1 ? (parts[0]?.toString("utf8") ?? "") : Buffer.concat(parts).toString("utf8");
}

/** Returns the body that a generator yields. */
export function bodyOf(chunks: () => AsyncGenerator<Buffer, void, undefined>): Body {
  return {
    chunks,
    text: (maxBytes) => textOf(chunks(), maxBytes),
    read: (reader) => readChunks(chunks(), reader),
  };
}

function readChunks(chunks: AsyncGenerator<Buffer, void, undefined>, reader: BodyReader): BodyFlow {
  let pause: PromiseWithResolvers<void> | undefined;
  async function untilResumed(): Promise<void> {
    if (pause === undefined) return;
    await pause.promise;
    // It may have been paused again meanwhile.
    await untilResumed();
  }
  async function run(): Promise<void> {
    try {
      for await (const chunk of chunks) {
        await untilResumed();
        reader.data(chunk);
        await untilResumed();
      }
    } catch (error) {
      return reader.fail(error);
    }
    reader.end();
  }
  void run();
  return {
    pause() {
      pause ??= Promise.withResolvers();
    },
    resume() {
      pause?.resolve();
      pause = undefined;
    },
  };
}

/**
 * Returns the body with each chunk replaced by what `map` returns for it. Empty results are left out.
 * @param map may throw; the body then fails with that error
 */
export function mapBody(body: Body, map: (chunk: Buffer) => Buffer): Body {
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of body.chunks()) {
      const mapped = map(chunk);
      if (mapped.length > 0) yield mapped;
    }
  }
  return {
    ...bodyOf(chunks),
    read: (reader) =>
      body.read({
        data(chunk) {
          const mapped = map(chunk);
          if (mapped.length > 0) reader.data(mapped);
        },
        end: () => reader.end(),
        fail: (error) => reader.fail(error),
      }),
  };
}
