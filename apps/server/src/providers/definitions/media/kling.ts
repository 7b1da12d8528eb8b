import { CredentialError, type Provider, type Refusals } from "#providers/provider.ts";
import { signHs256 } from "#providers/signing/jws.ts";

const LIFETIME_S = 1_800;
/** Clock difference to the provider, in seconds, that a token tolerates. */
const LEEWAY_S = 5;

/** Kling returns 429 for an empty account as well as for a rate limit. */
export const klingRefusals: Refusals = {
  kinds: {
    1000: "auth",
    1001: "auth",
    1002: "auth",
    1003: "auth",
    1004: "auth",
    1100: "auth",
    1101: "quota",
    1102: "quota",
    1103: "not-found",
    1200: "bad-request",
    1201: "bad-request",
    1202: "bad-request",
    1203: "not-found",
    1300: "bad-request",
    1301: "bad-request",
    1302: "rate-limited",
    1303: "rate-limited",
    1304: "auth",
    5001: "overloaded",
    5002: "timeout",
  },
};

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo, read 2026-11-21. */
export const kling: Provider = {
  type: 53,
  id: "kling",
  label: "Kling",
  group: "media",
  help: "provider-media",
  baseUrl: "https://api-singapore.klingai.com",
  dialects: ["openai-chat"],
  endpoints: ["kling"],
  refusals: klingRefusals,
  keyHint: "AccessKey|SecretKey",
  models: ["v1", "v1-5", "v1-6"].flatMap((version) =>
    ["std", "pro"].flatMap((mode) =>
      ["5", "10"].map((seconds) => `kling-video_${version}_${mode}_${seconds}`),
    ),
  ),
  testModel: "",
  website: "https://app.klingai.com/global/dev",
  headers: () => ({}),
  /** Adds a token signed with the secret, valid for half an hour. */
  async sign(request, key, io) {
    const [accessKey = "", secretKey = ""] = key.split("|");
    if (accessKey === "" || secretKey === "")
      throw new CredentialError("The key of Kling has the form AccessKey|SecretKey.");
    const now = Math.floor(io.now() / 1_000);
    const header = JSON.stringify({ alg: "HS256", typ: "JWT" });
    const claims = JSON.stringify({ iss: accessKey, exp: now + LIFETIME_S, nbf: now - LEEWAY_S });
    const token = signHs256(header, claims, secretKey);
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  },
  listing: "none",
};
