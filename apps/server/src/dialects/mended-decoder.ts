import type { AnswerMender, StreamDecoder } from "./dialect.ts";

/** Decodes the frames of a stream after its provider's deviations were repaired. */
export function mendedDecoder(decoder: StreamDecoder, mender: AnswerMender | undefined): StreamDecoder {
  if (mender === undefined) return decoder;
  return {
    frame(frame) {
      const mended = mender.frame(frame.data);
      if (mended === undefined) return decoder.frame(frame);
      return mended.flatMap((data) => decoder.frame({ event: frame.event, data }));
    },
    end: () => [
      ...mender.end().flatMap((data) => decoder.frame({ event: undefined, data })),
      ...decoder.end(),
    ],
  };
}
