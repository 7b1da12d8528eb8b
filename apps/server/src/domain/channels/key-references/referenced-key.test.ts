import { beforeEach, describe, expect, it } from "vitest";
import { KeyUnavailableError, type KeyValue } from "#platform/key-sources/key-value.ts";
import { bedrock } from "#providers/definitions/cloud/bedrock.ts";
import { openai } from "#providers/definitions/openai.ts";
import { createKeyReferences } from "./key-references.ts";
import { ReferencedKey } from "./referenced-key.ts";

const minute = 60_000;
let at: number;
let answer: () => Promise<KeyValue>;
let reads: number;
let changes: (string | undefined)[];

const options = {
  reader: {
    read() {
      reads += 1;
      return answer();
    },
  },
  now: () => at,
  onChange: ({ fault }: ReferencedKey) => void changes.push(fault),
};

beforeEach(() => {
  at = 1_000_000;
  reads = 0;
  changes = [];
  answer = async () => ({ text: "sk-1" });
});

const create = () => new ReferencedKey("file:a", { source: "file", path: "a" }, "", options);
const fails = () => Promise.reject(new KeyUnavailableError("it is gone"));

describe("a referenced key", () => {
  it("is read once by concurrent calls, and not again while it is fresh", async () => {
    const key = create();
    expect(await Promise.all([key.read(), key.read(), key.read()])).toEqual(["sk-1", "sk-1", "sk-1"]);
    at += minute - 1;
    await key.read();
    expect(reads).toBe(1);
  });

  it("is read again after its time without a wait of the call", async () => {
    const key = create();
    await key.read();
    at += minute;
    const next = Promise.withResolvers<KeyValue>();
    answer = () => next.promise;
    expect(await key.read()).toBe("sk-1");
    next.resolve({ text: "sk-2" });
    await expect.poll(() => key.read()).toBe("sk-2");
    expect(key.knownTexts()).toEqual(["sk-2", "sk-1"]);
  });

  it("keeps its last value for an hour while it cannot be read, then fails, then recovers", async () => {
    const key = create();
    await key.read();
    answer = fails;
    for (at += minute; at < 1_000_000 + 60 * minute; at += minute) expect(await key.read()).toBe("sk-1");
    await expect.poll(() => key.fault).toBe("it is gone");
    await expect(key.read()).rejects.toThrow("The key file:a cannot be read: it is gone.");
    const before = reads;
    await expect(key.read()).rejects.toThrow(KeyUnavailableError);
    // Within five seconds, calls fail without another attempt.
    expect(reads).toBe(before);
    at += 5_000;
    answer = async () => ({ text: "sk-3" });
    expect(await key.read()).toBe("sk-3");
    expect(changes).toEqual(["it is gone", undefined]);
  });

  it("with an end is read again five minutes before it, and never used after it", async () => {
    const key = create();
    answer = async () => ({ text: "token-1", expiresAt: 1_000_000 + 60 * minute });
    await key.read();
    at += 55 * minute - 1;
    await key.read();
    expect(reads).toBe(1);
    at += 1;
    answer = fails;
    expect(await key.read()).toBe("token-1");
    expect(reads).toBe(2);
    at += 5 * minute;
    await expect(key.read()).rejects.toThrow(KeyUnavailableError);
  });

  it("that a provider refused is read again before the next call", async () => {
    const key = create();
    await key.read();
    at += 10_000;
    answer = async () => ({ text: "sk-2" });
    key.refused();
    expect(await key.read()).toBe("sk-2");
    answer = async () => ({ text: "sk-3" });
    for (let refusal = 0; refusal < 5; refusal += 1) key.refused();
    expect(await key.read()).toBe("sk-2");
    expect(reads).toBe(2);
    at += 5_000;
    expect(await key.read()).toBe("sk-3");
  });
});

describe("references of channels", () => {
  it("share one value, and identities are accepted by their provider only", () => {
    const references = createKeyReferences(options);
    const key = references.find("file:a", openai);
    expect(references.find("file:a", bedrock)).toBe(key);
    expect(reads).toBe(1);
    expect(references.find("aws:us-east-1", bedrock)).toBeDefined();
    for (const text of ["aws:us-east-1", "sk-1", "env:DATABASE_URL"])
      expect(references.find(text, openai)).toBeUndefined();
    references.close();
  });
});
