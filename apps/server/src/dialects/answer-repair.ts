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

/** Applies both repairs, in this order. */
export function combineRepairs(first: AnswerRepair | undefined, second: AnswerRepair): AnswerRepair {
  if (first === undefined) return second;
  return {
    whole: (body) => second.whole(first.whole(body)),
    frame(data) {
      const frames = first.frame(data);
      if (frames === undefined) return second.frame(data);
      return frames.flatMap((each) => second.frame(each) ?? [each]);
    },
    end: () => [...first.end().flatMap((each) => second.frame(each) ?? [each]), ...second.end()],
    usage: () => first.usage() ?? second.usage(),
  };
}
