import { describe, expect, it } from "vitest";
import { isProviderKey, isSearchable, readCurl, requestIdIn } from "./pasted-text.ts";

const keys = [
  "sk-ant-api03-Zk3Jx9Qp2Lm8Vt5Rw1Yb6Nc4",
  "sk-proj-abc123DEF456ghi789JKL012",
  "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
  "gsk_1a2b3c4d5e6f7g8h9i0jklmnop",
  "AKIAIOSFODNN7EXAMPLE|wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
  '{"type": "service_account", "private_key": "-----BEGIN"}',
];
const others = [
  "claude-sonnet-4-20250514",
  "gpt-4o-mini-2024-07-18",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
  "req_011CSHoEeqs5C35K2UUqR7Fy",
  "a longer sentence with 12345678901234567890abc",
  "internationalization",
];

describe("a pasted provider key", () => {
  it("is recognised by its form, and is no request id", () => {
    for (const key of keys)
      expect([key, isProviderKey(key), requestIdIn(key)]).toEqual([key, "yes", undefined]);
  });

  it("is neither a model, nor a request id, nor a sentence", () => {
    for (const text of others) expect([text, isProviderKey(text)]).toEqual([text, "no"]);
  });

  it("is not searched for, nor is text that contains one", () => {
    for (const key of keys) {
      expect([key, isSearchable(key)]).toEqual([key, false]);
      expect([key, isSearchable(`Incorrect API key provided: ${key}.`)]).toEqual([key, key.startsWith("{")]);
    }
    for (const text of others.slice(0, 4)) expect([text, isSearchable(text)]).toEqual([text, true]);
    expect(isSearchable("curl http://localhost -H 'x-api-key: secret'")).toBe(false);
  });

  it("may be a random word without a known beginning, which can also be a request id", () => {
    const word = "9f86d081884c7d659a2feaa0c55ad015";
    expect([isProviderKey(word), requestIdIn(word)]).toEqual(["perhaps", word]);
  });
});

describe("a pasted request id", () => {
  it("is found within an error message", () => {
    const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    expect(requestIdIn(`API Error: 503 no channel (request id: ${id})`)).toBe(id);
    expect(requestIdIn("no id in here")).toBeUndefined();
  });
});

describe("a pasted curl command", () => {
  it("has an address and a body, with every way of quoting", () => {
    const url = "http://localhost/v1/chat/completions";
    const expected = { url, body: `{"model":"it's"}` };
    for (const command of [
      `curl ${url} \\\n  -H "Authorization: Bearer sk-secret" \\\n  -d '{"model":"it'\\''s"}'`,
      `curl --request POST "${url}" --data-raw "{\\"model\\":\\"it's\\"}"`,
      `curl '${url}' -X POST --compressed --data-binary $'{"model":"it\\'s"}'`,
      // A field of one line drops the line breaks.
      `curl ${url} \\  -H 'x-api-key: sk-secret' \\  --json '{"model":"it'\\''s"}'`,
    ])
      expect(readCurl(command)).toEqual(expected);
  });

  it("is not any other text", () => {
    for (const text of ["curling", "wget http://localhost", "curl", "curl -v"])
      expect(readCurl(text)).toBeUndefined();
  });
});
