import { describe, expect, it } from "vitest";
import { ReferencedKey } from "#domain/channels/key-references/referenced-key.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { forClients, withoutCredentials } from "./scrub.ts";

const key = "sk-live-4f9a8b7c6d5e4f3a2b1c";
const account = JSON.stringify({
  client_email: "svc-4711@corp.example",
  private_key: "-----BEGIN\nMIIEvQIBADANBg",
});
const origin = {
  channel: channel({
    id: 1,
    baseUrl: "https://llm-7.backend.example.com/v1",
    proxy: "http://proxy-user:proxy-pass-99@egress.example.com:3128",
    headers: { "X-Tenant-Token": "tenant-token-value", "anthropic-version": "2023-06-01" },
    parameters: { extra: { api_key: "parameter-secret-1" } },
    keys: [
      { id: 1, key, weight: 1 },
      { id: 2, key: "app-4711-id|secret-part-9988", weight: 1 },
      { id: 3, key: account, weight: 1 },
    ],
  }),
  key: undefined,
};

it("a key that is stored elsewhere is removed from messages, also after it was replaced", async () => {
  const values = ["sk-first-value-of-the-key", "sk-second-value-of-the-key"];
  const time = { now: 0 };
  const referenced = new ReferencedKey("env:CHANNEL_KEY_A", { source: "env", name: "CHANNEL_KEY_A" }, "", {
    reader: { read: async () => ({ text: values[time.now === 0 ? 0 : 1] ?? "" }) },
    now: () => time.now,
    onChange: () => undefined,
  });
  await referenced.read();
  time.now = 4_000_000;
  await referenced.read();
  const keys = [{ id: 1, key: referenced.text, weight: 1, referenced }];
  const clean = withoutCredentials(`Wrong: ${values.join(", ")}`, {
    channel: channel({ id: 1, keys }),
    key: keys[0],
  });
  expect(clean).toBe("Wrong: [removed], [removed]");
});

describe("provider messages for clients", () => {
  it.each([
    ["the key", `Key ${key} may not use it.`, key],
    ["a shortened key", "Incorrect API key: sk-live***********2b1c.", "sk-live*"],
    ["a key in capitals", `key ${key.toUpperCase()}`, "4F9A8B7C"],
    ["an encoded key", `?key=${encodeURIComponent("app-4711-id|secret-part-9988")}`, "secret-part"],
    ["one part of a key", "unknown app app-4711-id", "app-4711-id"],
    ["a part of a credential document", "account svc-4711@corp.example is disabled", "svc-4711"],
    ["a hidden header", "bad tenant-token-value", "tenant-token-value"],
    ["a hidden parameter", "bad parameter-secret-1", "parameter-secret-1"],
    ["the proxy's password", "proxy-pass-99 refused", "proxy-pass-99"],
    ["another bearer token", "sent Authorization: Bearer abcdefghij.klmnop", "abcdefghij"],
    ["an OpenAI-like key that is not ours", "sk-proj-AAAABBBBCCCC", "AAAABBBB"],
    [
      "the channel's address",
      "POST https://llm-7.backend.example.com/v1/chat/completions failed",
      "backend.example",
    ],
    ["the channel's host", "upstream LLM-7.backend.example.com:443 refused", "LLM-7"],
    ["the proxy's host", "via egress.example.com:3128", "egress"],
    ["an internal address", "dial tcp 10.12.0.7:8000: connection refused", "10.12.0.7"],
    ["an internal address with a scheme", "see http://10.0.0.1/x?y=z", "10.0.0.1"],
    ["an IPv6 address", "dial tcp [fd00:1::7]:8000", "fd00:1"],
    ["a bare IPv6 address", "dial fd00:1:2:3::7 failed", "fd00:1"],
    ["an internal name", "no route to vllm-3.prod.svc.cluster.local", "vllm-3"],
    ["an internal name with a port", "worker-12:8080 timed out", "worker-12"],
    ["this machine", "localhost:11434 is away", "localhost"],
    ["an organization", "Rate limit in organization org-AbCdEf123456 on tokens", "AbCdEf123456"],
    ["a project", "Project `proj_9zYxW8vUt7` does not have access", "proj_9zYxW8vUt7"],
    ["a numbered account", "account 123456789012 is closed", "123456789012"],
    ["an AWS name", "User: arn:aws:iam::123456789012:user/bob is not authorized", "bob"],
    [
      "a Google project",
      "Permission denied on projects/my-secret-project/locations/global",
      "my-secret-project",
    ],
    ["a tenant", "tenant id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0"],
  ])("removes %s", (_what, text, secret) => {
    expect(forClients(text, origin)).not.toContain(secret);
  });

  it.each([
    "The maximum context length is 8192 tokens, but you requested 9000 (8000 in the messages, 1000 in the completion).",
    "Invalid value for 'messages[2].role': expected one of 'user', 'assistant'. See https://platform.openai.com/docs/guides.",
    "max_tokens: 5000 > 4096, which is the maximum for claude-3-5-sonnet-20241022",
    "temperature: must be between 0 and 2 at 12:30:45 (request id 3f2504e0-4f89-11d3-9a0c-0305e82c3301)",
    "Unsupported version 1.2.3 of the schema; use gpt-4o-2024-08-06.",
  ])("keeps text about the request: %s", (text) => {
    expect(forClients(text, origin)).toBe(text);
  });

  it("takes bounded time for any text", () => {
    const begun = performance.now();
    for (const part of ["a-", "a.", "1.", "f:", "sk-", "http://", "[::", "user ", "projects/", "localhost."])
      forClients(part.repeat(100_000), origin);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe("provider messages for administrators", () => {
  it("keeps addresses and removes credentials", () => {
    const text = `dial tcp 10.12.0.7:8000 with ${key}`;
    expect(withoutCredentials(text, origin)).toBe("dial tcp 10.12.0.7:8000 with [removed]");
  });
});
