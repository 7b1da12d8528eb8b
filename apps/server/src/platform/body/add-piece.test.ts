import { expect, it } from "vitest";
import { addPiece } from "./add-piece.ts";

it("pieces of a body: single bytes are joined, large pieces are not copied, and none is lost", () => {
  const pieces: Buffer[] = [];
  for (let count = 0; count < 10_000; count += 1) addPiece(pieces, Buffer.from([count % 256]));
  expect(pieces.length).toBeLessThan(300);
  const large = Array.from({ length: 200 }, () => Buffer.alloc(64 * 1024));
  for (const piece of large) addPiece(pieces, piece);
  expect(large.every((piece, index) => index < 64 || pieces.includes(piece))).toBe(true);
  const whole = Buffer.concat(pieces);
  expect(whole.length).toBe(10_000 + 200 * 64 * 1024);
  expect(whole.subarray(0, 10_000).every((byte, index) => byte === index % 256)).toBe(true);
});
