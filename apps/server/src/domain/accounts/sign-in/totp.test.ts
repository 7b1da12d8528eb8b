import { describe, expect, it } from "vitest";
import { base32, stepOf, totpUri } from "./totp.ts";

/** RFC 6238, appendix B, the SHA-1 column; apps show the last six of its eight digits. */
const vectors: [number, string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];
const secret = Buffer.from("12345678901234567890");

describe("stepOf", () => {
  it.each(vectors)("accepts the code of the standard at second %i", (second, digits) => {
    const code = digits.slice(2);
    expect(stepOf(secret, code, second * 1000)).toBe(Math.floor(second / 30));
    const wrong = `${code.slice(0, 5)}${(Number(code[5]) + 1) % 10}`;
    expect(stepOf(secret, wrong, second * 1000)).toBeUndefined();
  });

  it("accepts a code half a minute early or late, and no further off", () => {
    const now = 1_234_567_890_000;
    const code = "005924";
    for (const off of [-30_000, 0, 30_000]) expect(stepOf(secret, code, now + off)).toBe(now / 30_000);
    for (const off of [-60_000, 60_000]) expect(stepOf(secret, code, now + off)).toBeUndefined();
  });

  it.each(["", "12345", "1234567", "abcdef", "００５９２４"])("rejects %j", (code) => {
    expect(stepOf(secret, code, 1_234_567_890_000)).toBeUndefined();
  });
});

describe("totpUri", () => {
  it("contains the site and the account, whatever characters they have", () => {
    const uri = new URL(totpUri("My & Hub", "小明", secret));
    expect(decodeURIComponent(uri.pathname)).toMatch(/My & Hub:小明$/);
    expect(uri.searchParams.get("issuer")).toBe("My & Hub");
    expect(uri.searchParams.get("secret")).toBe(base32(secret));
    expect(base32(secret)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  });
});
