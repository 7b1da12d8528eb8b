import { describe, expect, it } from "vitest";
import { fillPlaces, joinUrl } from "./outgoing.ts";
import { CredentialError } from "./provider.ts";

describe("joining a base URL and a path", () => {
  it.each([
    ["https://api.openai.com", "/v1/models", "https://api.openai.com/v1/models"],
    ["https://api.openai.com/v1/", "/v1/models", "https://api.openai.com/v1/models"],
    [
      "https://open.bigmodel.cn/api/paas/v4",
      "/api/paas/v4/models",
      "https://open.bigmodel.cn/api/paas/v4/models",
    ],
    ["https://open.bigmodel.cn/api", "/api/paas/v4/models", "https://open.bigmodel.cn/api/paas/v4/models"],
    [
      "https://x.openai.azure.com/openai",
      "/openai/v1/responses?a=b",
      "https://x.openai.azure.com/openai/v1/responses?a=b",
    ],
    ["https://ark.example/api/v3", "/v1/chat/completions", "https://ark.example/api/v3/chat/completions"],
    [
      "https://g.example/v1",
      "/v1beta/models/m:generateContent",
      "https://g.example/v1/models/m:generateContent",
    ],
    ["https://g.example/v1beta/openai", "/v1/models", "https://g.example/v1beta/openai/v1/models"],
    ["http://127.0.0.1:8000/sub", "/v1/models", "http://127.0.0.1:8000/sub/v1/models"],
    [
      "https://x.example",
      "https://bedrock.example/foundation-models",
      "https://bedrock.example/foundation-models",
    ],
    [
      "https://gateway.ai.cloudflare.com/v1/account/gate/openai",
      "/v1/chat/completions",
      "https://gateway.ai.cloudflare.com/v1/account/gate/openai/chat/completions",
    ],
  ])("%s and %s give %s", (base, path, url) => {
    expect(joinUrl(base, path)).toBe(url);
  });
});

describe("places in a URL", () => {
  it("are filled with the channel's values, as one segment", () => {
    expect(fillPlaces("https://{region}.example/{a}", { region: "eu", a: "x/y" })).toBe(
      "https://eu.example/x%2Fy",
    );
  });

  it("throw a credential error when a value is missing", () => {
    expect(() => fillPlaces("https://{region}.example", {})).toThrow(CredentialError);
  });
});
