import { describe, expect, it } from "vitest";
import { kling } from "#providers/definitions/media/kling.ts";
import { CredentialError, type Io, type Outgoing } from "#providers/provider.ts";
import { signHs256 } from "#providers/signing/jws.ts";
import { createTokenCache } from "#providers/token-cache.ts";

const now = Date.UTC(2026, 10, 21);
const io: Io = {
  fetch: () => Promise.reject(new Error("Nobody is asked.")),
  now: () => now,
  tokens: createTokenCache(() => now),
};
const request: Outgoing = { method: "POST", url: "https://api.example/v1", headers: {}, body: "{}" };

describe("the token of Kling", () => {
  it("contains the documented claims, signed with the secret key", async () => {
    // https://app.klingai.com/global/dev/document-api/apiReference/commonInfo, read 2026-11-21: expires in
    // half an hour, valid from five seconds ago.
    const claims = { iss: "access", exp: now / 1_000 + 1_800, nbf: now / 1_000 - 5 };
    const token = signHs256('{"alg":"HS256","typ":"JWT"}', JSON.stringify(claims), "secret");
    const signed = await kling.sign?.(request, "access|secret", io);
    expect(signed?.headers).toEqual({ authorization: `Bearer ${token}` });
  });

  it.each(["access", "access|", "|secret"])("is not created from %s", async (key) => {
    await expect(kling.sign?.(request, key, io)).rejects.toThrow(CredentialError);
  });
});
