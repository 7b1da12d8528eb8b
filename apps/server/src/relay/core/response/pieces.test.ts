import { describe, expect, it } from "vitest";
import type { Pieces } from "#relay/core/call.ts";
import { startPieces, tapPieces } from "./pieces.ts";

/**
 * Creates a response of `count` pieces that records how often its bill was closed and whether it was read
 * whole.
 */
function answer(count: number, breaksAt = -1) {
  const bill = { closed: 0, whole: false };
  async function* pieces(): Pieces<string> {
    let isLeft = true;
    try {
      yield "";
      for (let index = 0; index < count; index += 1) {
        if (index === breaksAt) throw new Error("the upstream broke");
        yield `piece ${index}`;
      }
      isLeft = false;
    } finally {
      if (isLeft) bill.closed += 1;
    }
    bill.closed += 1;
    bill.whole = true;
    yield "end";
  }
  return { bill, pieces };
}

const COUNT = 4;
const endings = ["return", "throw", "break"] as const;

/** Takes up to `most` pieces, then ends in the given way. */
async function take(
  pieces: Pieces<string>,
  most: number,
  ending: (typeof endings)[number],
): Promise<string[]> {
  const taken: string[] = [];
  if (ending === "break" && most > 0) {
    for await (const piece of pieces) if (taken.push(piece) === most) break;
    return taken;
  }
  while (taken.length < most) {
    const next = await pieces.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  if (ending === "throw") await pieces.throw(new Error("the consumer broke")).catch(() => {});
  else await pieces.return();
  return taken;
}

const wrappings: Record<string, (pieces: Pieces<string>) => Pieces<string>> = {
  bare: (pieces) => pieces,
  "tapped twice": (pieces) =>
    tapPieces(tapPieces(pieces, { piece: (text) => text }), { piece: (text) => text }),
};

describe.each(Object.entries(wrappings))("pieces of an answer, %s", (_name, wrap) => {
  for (const ending of endings)
    for (let most = 0; most <= COUNT + 2; most += 1)
      it(`close the bill once when they are left after ${most} by ${ending}`, async () => {
        const { bill, pieces } = answer(COUNT);
        const taken = await take(wrap(await startPieces(pieces())), most, ending);
        expect(taken).toHaveLength(Math.min(most, COUNT + 1));
        expect(bill).toEqual({ closed: 1, whole: most > COUNT });
      });

  it("close the bill once when the upstream breaks at any piece", async () => {
    for (let at = 0; at < COUNT; at += 1) {
      const { bill, pieces } = answer(COUNT, at);
      const wrapped = wrap(await startPieces(pieces()));
      await expect(take(wrapped, COUNT, "return")).rejects.toThrow("the upstream broke");
      expect(bill).toEqual({ closed: 1, whole: false });
    }
  });
});

it("tapped pieces: an error in the tap closes the bill, and `ended` is called once", async () => {
  const { bill, pieces } = answer(COUNT);
  let ends = 0;
  let wholes = 0;
  const wrapped = tapPieces(await startPieces(pieces()), {
    piece(text) {
      if (text === "piece 2") throw new Error("cannot encode");
      return text;
    },
    whole: () => (wholes += 1),
    ended: () => (ends += 1),
  });
  await expect(take(wrapped, COUNT, "return")).rejects.toThrow("cannot encode");
  await wrapped.return();
  expect(bill).toEqual({ closed: 1, whole: false });
  expect({ ends, wholes }).toEqual({ ends: 1, wholes: 0 });
});
