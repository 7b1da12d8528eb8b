import { describe, expect, it } from "vitest";
import { signHs256 } from "./jws.ts";

describe("HS256", () => {
  it("matches the example of https://jwt.io, read 2026-11-21", () => {
    const payload = '{"sub":"1234567890","name":"John Doe","iat":1516239022}';
    expect(signHs256('{"alg":"HS256","typ":"JWT"}', payload, "your-256-bit-secret")).toBe(
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    );
  });
});
