/** A streamed response on its way to the client: text is handed over as it arrives, without a promise for each piece. */
export interface TextStream {
  /**
   * Hands over what has arrived and everything that follows. Whoever has a stream must call `start`, or `leave`
   * when no one will read it: both close the bill.
   */
  start(client: TextReader): void;
  /** The client accepts more, after its `write` returned false. */
  resume(): void;
  /** The client reads no further. Resolves when the bill is closed. Without effect once the stream has ended. */
  leave(): Promise<void>;
}

/** The client of a stream. `end` is called last, unless the stream was left. */
export interface TextReader {
  /** Returns false when nothing more is accepted before `resume`. */
  write(text: string): boolean;
  /** @param error a defect of ours, because of which the response is not complete */
  end(error?: unknown): void;
}

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
