import { describe, expect, it } from "vitest";
import { maskSecrets } from "./audit.ts";

describe("the audit log", () => {
  it("masks secrets by field name at any depth", () => {
    const shown = maskSecrets({
      key: "sk-secret",
      key_hash: new Uint8Array([1]),
      password: "secret",
      nested: [{ GitHubClientSecret: "secret", Authorization: "Bearer secret", "x-api-key": "secret" }],
    });
    expect(JSON.stringify(shown)).not.toContain('secret"');
    expect(shown).toMatchObject({ key: "***", nested: [{ Authorization: "***" }] });
  });

  it("masks the password in a URL and keeps the rest readable", () => {
    expect(
      maskSecrets({ proxy: "socks5://user:pa55@127.0.0.1:1080", base_url: "https://a.example:8443/v1" }),
    ).toEqual({ proxy: "socks5://user:***@127.0.0.1:1080", base_url: "https://a.example:8443/v1" });
  });

  it("keeps hints, empty values and numbers, and converts dates and big integers to JSON", () => {
    const at = new Date("2026-01-02T03:04:05Z");
    expect(maskSecrets({ key_hint: "sk-a…z", key: "", quota: 5n, at, none: undefined })).toEqual({
      key_hint: "sk-a…z",
      key: "",
      quota: 5,
      at: "2026-01-02T03:04:05.000Z",
      none: null,
    });
  });
});
