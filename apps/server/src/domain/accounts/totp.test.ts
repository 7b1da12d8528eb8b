import { describe, expect, it } from "vitest";
import { base32, codeAt, stepAt, stepOf, totpUri } from "./totp.ts";

/** RFC 6238, appendix B, the SHA-1 column: eight digits. */
const vectors: [number, string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];
const secret = Buffer.from("12345678901234567890");

describe("a time-based code", () => {
  it.each(vectors)("at second %i is the one the standard names", (second, code) => {
    expect(codeAt(secret, stepAt(second * 1000), 8)).toBe(code);
    expect(codeAt(secret, stepAt(second * 1000))).toBe(code.slice(2));
  });

  it("is taken half a minute early or late, and no further off", () => {
    const now = 1_234_567_890_000;
    const code = codeAt(secret, stepAt(now));
    for (const off of [-30_000, 0, 30_000]) expect(stepOf(secret, code, now + off)).toBe(stepAt(now));
    for (const off of [-60_000, 60_000]) expect(stepOf(secret, code, now + off)).toBeUndefined();
  });
});

describe("base32", () => {
  // RFC 4648, section 10, without the padding that apps leave out.
  it.each([
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ])("writes %j as %j", (text, written) => {
    expect(base32(Buffer.from(text))).toBe(written);
  });
});

describe("the address for authenticator apps", () => {
  it("names site and account, whatever characters they have", () => {
    expect(totpUri("My & Hub", "小明", secret)).toBe(
      "otpauth://totp/My%20%26%20Hub:%E5%B0%8F%E6%98%8E?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=My%20%26%20Hub",
    );
  });
});
