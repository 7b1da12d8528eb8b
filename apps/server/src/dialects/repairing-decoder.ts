import type { AnswerRepair, StreamDecoder } from "./dialect.ts";

/** Decodes the frames of a stream after its provider's deviations were repaired. */
export function createRepairingDecoder(
  decoder: StreamDecoder,
  repair: AnswerRepair | undefined,
): StreamDecoder {
  if (repair === undefined) return decoder;
  return {
    frame(frame) {
      const repaired = repair.frame(frame.data);
      if (repaired === undefined) return decoder.frame(frame);
      return repaired.flatMap((data) => decoder.frame({ event: frame.event, data }));
    },
    end: () => [
      ...repair.end().flatMap((data) => decoder.frame({ event: undefined, data })),
      ...decoder.end(),
    ],
  };
}
