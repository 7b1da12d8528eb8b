import { createPrivateKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CredentialError, type Io, type Outgoing } from "#providers/provider.ts";
import { createTokenCache } from "#providers/token-cache.ts";
import { accessToken, readGoogleCredential } from "./google.ts";
import { signRs256 } from "./jws.ts";

/**
 * https://www.rfc-editor.org/rfc/rfc7515#appendix-A.2, read 2026-11-21: key, input and signature are those of
 * the RFC.
 */
const privateKey = createPrivateKey({
  format: "jwk",
  key: {
    kty: "RSA",
    n: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    e: "AQAB",
    d: "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
    p: "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
    q: "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
    dp: "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
    dq: "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
    qi: "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd_QJQ3ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp_gh6A5603k2-ZQwVK0JKSHuLFkuQ3U",
  },
});

describe("RS256", () => {
  it("matches the vector of RFC 7515", () => {
    const payload = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';
    expect(signRs256('{"alg":"RS256"}', payload, privateKey)).toBe(
      "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
    );
  });
});

const account = readGoogleCredential(
  JSON.stringify({
    type: "service_account",
    project_id: "project",
    private_key_id: "kid-1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "gateway@project.iam.gserviceaccount.com",
  }),
);

function world(answers: { status: number; text: string }[]) {
  const requested: Outgoing[] = [];
  const clock = { now: Date.UTC(2026, 10, 21) };
  const io: Io = {
    fetch(request) {
      requested.push(request);
      return Promise.resolve(answers.shift() ?? { status: 500, text: "" });
    },
    now: () => clock.now,
    tokens: createTokenCache(() => clock.now),
  };
  return { requested, clock, io };
}

const granted = (token: string) => ({
  status: 200,
  text: JSON.stringify({ access_token: token, expires_in: 3599, token_type: "Bearer" }),
});

describe("a service account", () => {
  it("is exchanged for a token once by concurrent calls", async () => {
    const { requested, io } = world([granted("one")]);
    const tokens = await Promise.all([accessToken(account, io), accessToken(account, io)]);
    expect([...tokens, await accessToken(account, io)]).toEqual(["one", "one", "one"]);
    expect(requested).toHaveLength(1);
    const form = new URLSearchParams(String(requested[0]?.body));
    expect(requested[0]?.url).toBe("https://oauth2.googleapis.com/token");
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [header, claims] = (form.get("assertion") ?? "")
      .split(".")
      .slice(0, 2)
      .map((part): unknown => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "RS256", typ: "JWT", kid: "kid-1" });
    expect(claims).toEqual({
      iss: "gateway@project.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: "https://oauth2.googleapis.com/token",
      iat: Date.UTC(2026, 10, 21) / 1_000,
      exp: Date.UTC(2026, 10, 21) / 1_000 + 3_600,
    });
  });

  it("gets a new token before the old one expires", async () => {
    const { clock, io } = world([granted("one"), granted("two")]);
    expect(await accessToken(account, io)).toBe("one");
    clock.now += 3_545_000;
    expect(await accessToken(account, io)).toBe("two");
  });

  it("reports a rejection by Google as a credential error, and tries again next time", async () => {
    const { io } = world([{ status: 400, text: '{"error":"invalid_grant"}' }, granted("later")]);
    await expect(accessToken(account, io)).rejects.toThrow(CredentialError);
    expect(await accessToken(account, io)).toBe("later");
  });

  it("is rejected when it is not the JSON file of Google's console", () => {
    for (const key of ["", "sk-1", "{}", '{"client_email":"a","private_key":"b"}'])
      expect(() => readGoogleCredential(key)).toThrow(CredentialError);
  });
});
