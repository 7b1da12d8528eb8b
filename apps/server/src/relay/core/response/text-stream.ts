import type { TextStream } from "#relay/core/call.ts";

/** What happens to a stream on its way. */
export interface TextTap {
  /** Returns the text to send instead. */
  piece(text: string): string;
  /** Called when the client was sent everything. */
  whole?(): void;
  /** Called once when no further piece follows, for any reason. */
  ended?(): void;
}

/** Returns the stream with every piece passed through `tap`. An error of `piece` ends the stream. */
export function tapText(stream: TextStream, tap: TextTap): TextStream {
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    tap.ended?.();
  };
  const leave = async (): Promise<void> => {
    try {
      await stream.leave();
    } finally {
      over();
    }
  };
  return {
    start(client) {
      stream.start({
        write(text) {
          if (isOver) return true;
          let piece: string;
          try {
            piece = tap.piece(text);
          } catch (error) {
            void leave().finally(() => client.end(error));
            return true;
          }
          return piece === "" ? true : client.write(piece);
        },
        end(error) {
          if (isOver) return;
          if (error === undefined) tap.whole?.();
          over();
          client.end(error);
        },
      });
    },
    resume: () => stream.resume(),
    leave,
  };
}

/** Returns a stream of one text that is complete. */
export function streamText(text: string): TextStream {
  return {
    start(client) {
      client.write(text);
      client.end();
    },
    resume() {},
    async leave() {},
  };
}

/** Returns the pieces of a stream for a reader that takes one after the other. Leaving the loop leaves the stream. */
export async function* piecesOf(stream: TextStream): AsyncGenerator<string, void, undefined> {
  const pieces: string[] = [];
  let wake = (): void => {};
  let ended: { error?: unknown } | undefined;
  stream.start({
    write(text) {
      pieces.push(text);
      wake();
      return false;
    },
    end(error) {
      ended = { error };
      wake();
    },
  });
  try {
    while (true) {
      const piece = pieces.shift();
      if (piece !== undefined) {
        yield piece;
        if (pieces.length === 0) stream.resume();
      } else if (ended === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      else if (ended.error === undefined) return;
      else throw ended.error;
    }
  } finally {
    if (ended === undefined) await stream.leave();
  }
}
