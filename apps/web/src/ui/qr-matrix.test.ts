import { describe, expect, it } from "vitest";
import { checkBytes, qrMatrix } from "./qr-matrix.ts";

describe("a QR code", () => {
  it("computes check bytes as the standard's example does", () => {
    // ISO/IEC 18004, annex I: version 1-M of "01234567".
    const data = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17];
    expect(checkBytes(data, 10)).toEqual([165, 36, 212, 193, 237, 54, 199, 135, 44, 85]);
  });

  it.each([
    [1, 21],
    [17, 21],
    [18, 25],
    [106, 37],
    [107, 41],
    [520, 77],
  ])("of %i bytes has %i modules to a side", (bytes, side) => {
    const matrix = qrMatrix("x".repeat(bytes));
    expect(matrix).toHaveLength(side);
    expect(matrix?.every((row) => row.length === side)).toBe(true);
  });

  it("has finders in three corners, and gives up on what is too long", () => {
    const corner = qrMatrix("hello")!.map((row) => row.slice(0, 7).map(Number).join(""));
    const finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"];
    expect(corner.slice(0, 7)).toEqual(finder);
    expect(corner.slice(-7)).toEqual(finder);
    expect(qrMatrix("x".repeat(521))).toBeUndefined();
  });
});
