import { spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DerivedKeyRestrictions } from "@gateway/shared/accounts/derived-key";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, mayUseModel, requireUsable } from "#domain/tokens/callers.ts";
import { describeLevels, sharesOf } from "./derived-access.ts";
import {
  authenticateLevels,
  derivationIdOf,
  derivationSecretOf,
  derivedKeyPrefix,
  deriveKey,
  parseDerivedKey,
} from "./derived-key.ts";

const apiKey = `sk-${randomBytes(24).toString("hex")}`;
const secret = derivationSecretOf(apiKey);
const exp = Math.floor(Date.now() / 1_000) + 3_600;

/** Returns the IDs of the levels; undefined for a key that the gateway refuses. */
function check(key: string): string[] | undefined {
  const parsed = parseDerivedKey(key);
  // The gateway finds no other API key by this ID.
  if (parsed?.parentId !== derivationIdOf(apiKey)) return undefined;
  return authenticateLevels(parsed, secret);
}

interface Parts {
  head: Buffer;
  levels: Buffer[];
  mac: Buffer;
}

function open(key: string): Parts {
  const { parentId, levels, mac } = parseDerivedKey(key) ?? expect.unreachable("The key can be read.");
  return { head: Buffer.from(parentId, "hex"), levels: levels.map(({ json }) => json), mac };
}

function close({ head, levels, mac }: Parts): string {
  const framed = levels.map((json) =>
    Buffer.concat([Buffer.from([json.length >> 8, json.length & 255]), json]),
  );
  return derivedKeyPrefix + Buffer.concat([head, ...framed, mac]).toString("base64url");
}

const json = (restrictions: object) => Buffer.from(JSON.stringify(restrictions));

describe("a derived key", () => {
  it("contains the ID of its API key but not the key, and has the ID that `deriveKey` returned", () => {
    const { key, id } = deriveKey(apiKey, { usd: "1", exp, label: "worker" });
    expect(parseDerivedKey(key)).toMatchObject({
      parentId: derivationIdOf(apiKey),
      levels: [{ restrictions: { usd: "1", exp, label: "worker" } }],
    });
    expect(check(key)).toEqual([id]);
    expect(Buffer.from(key.slice(derivedKeyPrefix.length), "base64url").toString("latin1")).not.toContain(
      apiKey.slice(3, 12),
    );
    expect(key).toMatch(/^sk-[\w-]+$/);
  });

  it("differs from another one with the same restrictions", () => {
    const restrictions = { usd: "1", exp };
    expect(deriveKey(apiKey, restrictions).id).not.toBe(deriveKey(apiKey, restrictions).id);
  });

  const planner = deriveKey(apiKey, { usd: "1.00", exp, label: "planner" }).key;
  const worker = deriveKey(planner, { usd: "0.10", models: ["demo-*"], label: "worker" }).key;
  const parts = open(worker);
  const [first, second] = [parts.levels[0]!, parts.levels[1]!];

  it.each<[string, string]>([
    ["without its last restriction", close({ ...parts, levels: [first] })],
    ["without its first restriction", close({ ...parts, levels: [second] })],
    ["with its restrictions in another order", close({ ...parts, levels: [second, first] })],
    ["with a restriction twice", close({ ...parts, levels: [first, second, second] })],
    ["with a later expiry", close({ ...parts, levels: [json({ usd: "1.00", exp: exp + 9 }), second] })],
    ["with a higher amount", close({ ...parts, levels: [first, json({ usd: "9" })] })],
    ["with both levels as one", close({ ...parts, levels: [Buffer.concat([first, second])] })],
    ["with the MAC of another key", close({ ...parts, mac: open(planner).mac })],
    [
      "with one bit of the MAC changed",
      close({ ...parts, mac: Buffer.from(parts.mac.map((b, n) => (n ? b : b ^ 1))) }),
    ],
    ["of another API key", close({ ...open(deriveKey(`${apiKey}x`, { exp }).key), head: parts.head })],
    ["without a restriction", close({ ...parts, levels: [] })],
    [
      "with a MAC that was computed from the API key's ID",
      close({
        ...parts,
        levels: [json({ exp })],
        mac: createHmac("sha256", parts.head).update(json({ exp })).digest(),
      }),
    ],
  ])("is refused %s", (_, forged) => {
    expect(check(worker)).toHaveLength(2);
    expect(check(forged)).toBeUndefined();
  });

  it.each<[string, object]>([
    ["an unknown restriction", { exp, admin: true }],
    ["an amount as a number", { exp, usd: 1 }],
    ["a negative amount", { exp, usd: "-1" }],
    ["an amount with seven decimals", { exp, usd: "0.0000001" }],
    ["an expiry as a text", { exp: String(exp) }],
    ["no model in its list", { exp, models: [] }],
    ["seventeen models", { exp, models: Array.from({ length: 17 }, () => "m") }],
    ["a control character in its label", { exp, label: "a\nb" }],
    ["a list instead of restrictions", [exp]],
  ])("is refused with %s, also when its MAC is right", (_, restrictions) => {
    const level = json(restrictions);
    const mac = createHmac("sha256", secret).update(level).digest();
    expect(check(close({ head: parts.head, levels: [level], mac }))).toBeUndefined();
  });

  it("has at most four levels and 512 characters", () => {
    let key = deriveKey(apiKey, { exp }).key;
    for (let depth = 2; depth <= 4; depth += 1) key = deriveKey(key, {}).key;
    expect(check(key)).toHaveLength(4);
    expect(() => deriveKey(key, {})).toThrow(RangeError);
    const long = { exp, models: Array.from({ length: 16 }, (_, n) => `a-model-with-a-long-name-${n}`) };
    expect(() => deriveKey(apiKey, long)).toThrow(RangeError);
    expect(parseDerivedKey(`${derivedKeyPrefix}${"A".repeat(600)}`)).toBeUndefined();
  });

  it("has one text: other encodings of the same bytes are refused", () => {
    expect(check(`${worker}=`)).toBeUndefined();
    expect(check(worker.replace(derivedKeyPrefix, derivedKeyPrefix.toUpperCase()))).toBeUndefined();
    expect(check(`${worker.slice(0, 20)}\n${worker.slice(20)}`)).toBeUndefined();
  });

  it("is never read from random bytes, and reading never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(check(derivedKeyPrefix + Buffer.from(bytes).toString("base64url"))).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.string({ maxLength: 600 }), (text) => void check(derivedKeyPrefix + text)));
  });

  it("is refused after a change of any character", () => {
    fc.assert(
      fc.property(
        fc.nat(worker.length - 1),
        fc.constantFrom("A", "Z", "a", "z", "0", "9", "-", "_"),
        (at, other) => {
          const changed = worker.slice(0, at) + other + worker.slice(at + 1);
          if (changed !== worker) expect(check(changed)).toBeUndefined();
        },
      ),
    );
  });
});

const models = ["demo-chat", "demo-image", "dear", "cheap"];
const addresses = ["10.1.2.3", "10.9.9.9", "192.0.2.1", "2001:db8::1"];
const restrictionsOf = fc.record(
  {
    usd: fc.nat(1_000_000).map((millionths) => (millionths / 1_000_000).toFixed(6)),
    exp: fc.nat(7_200).map((seconds) => exp - 3_600 + seconds),
    models: fc.uniqueArray(fc.constantFrom(...models, "demo-*", "*"), { minLength: 1, maxLength: 3 }),
    ips: fc.uniqueArray(fc.constantFrom(...addresses, "10.0.0.0/8", "2001:db8::/32"), {
      minLength: 1,
      maxLength: 3,
    }),
    label: fc.constantFrom("planner", "研究", "a.b"),
  },
  { requiredKeys: [] },
);

function callerWith(levels: DerivedKeyRestrictions[]): Caller {
  const derived = describeLevels(
    levels.map((restrictions) => ({ restrictions })),
    levels.map((_, index) => String(index)),
  );
  return {
    userEnabled: true,
    tokenEnabled: true,
    expiresAt: derived?.at(-1)?.expiresAt,
    setting: {
      limits: {
        limit_model_setting: { enabled: false, models: [] },
        limits_ip_setting: { enabled: false, whitelist: [] },
      },
    },
    derived,
  } as unknown as Caller;
}

/** Everything that a key allows, of a fixed set of questions. */
function allowed(levels: DerivedKeyRestrictions[]): Set<string> {
  const caller = callerWith(levels);
  const answers = new Set<string>(models.filter((model) => mayUseModel(caller, model)));
  for (const ip of addresses)
    for (const at of [exp - 1_800, exp, exp + 1_800])
      try {
        requireUsable(caller, ip, at * 1_000);
        answers.add(`${ip} ${at}`);
      } catch {
        // Not allowed.
      }
  const limits = sharesOf(caller.derived!, 500_000).flatMap(({ limit }) =>
    limit === undefined ? [] : [limit],
  );
  for (const points of [0n, 1_000n, 100_000n, 400_000n])
    if (limits.every((limit) => limit >= points)) answers.add(`${points} points`);
  return answers;
}

describe("deriving again", () => {
  it("never allows more than before", () => {
    fc.assert(
      fc.property(restrictionsOf, fc.array(restrictionsOf, { minLength: 1, maxLength: 3 }), (own, others) => {
        const chain: DerivedKeyRestrictions[] = [{ exp, ...own }];
        let before = allowed(chain);
        for (const next of others) {
          chain.push(next);
          const after = allowed(chain);
          expect([...after].filter((answer) => !before.has(answer))).toEqual([]);
          before = after;
        }
      }),
    );
  });

  it("rounds an amount down to whole points", () => {
    const [share] = sharesOf(describeLevels([{ restrictions: { exp, usd: "0.000003" } }], ["a"])!, 500_000);
    expect(share?.limit).toBe(1n);
  });
});

/** The code of docs/derived-keys.md. */
function documented(language: "js" | "python"): string {
  const page = readFileSync(join(import.meta.dirname, "../../../../../../docs/derived-keys.md"), "utf8");
  const fence = "```";
  const block = page.split(`${fence}${language}\n`)[1]?.split(fence)[0];
  return block ?? expect.unreachable(`The page has code for ${language}.`);
}

describe("the documented code", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gateway-derived-keys-"));
    const read = "import sys, json\nfor line in sys.stdin:\n    print(derive_key(*json.loads(line)))\n";
    writeFileSync(join(folder, "derive.py"), `${documented("python")}\n${read}`);
    const lines = "readFileSync(0, 'utf8').trim().split('\\n')";
    const write = `for (const line of ${lines}) console.log(deriveKey(...JSON.parse(line)));`;
    writeFileSync(
      join(folder, "derive.mjs"),
      `import { readFileSync } from "node:fs";\n${documented("js")}\n${write}\n`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(language: "js" | "python", input: unknown[][]): string[] {
    const [command, file] = language === "js" ? [process.execPath, "derive.mjs"] : ["python3", "derive.py"];
    const { stdout, stderr, status } = spawnSync(command, [join(folder, file)], {
      input: input.map((each) => JSON.stringify(each)).join("\n"),
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    return stdout.trim().split("\n");
  }

  it.each(["js", "python"] as const)(
    "in %s makes keys that the gateway accepts, on every level",
    (language) => {
      const samples = fc.sample(restrictionsOf, { numRuns: 40, seed: 7 }).map((own) => ({ exp, ...own }));
      const keys = run(
        language,
        samples.map((restrictions) => [apiKey, restrictions]),
      );
      // The key without its prefix is the same key.
      const bare = run(language, [[apiKey.slice(3), { exp }]]);
      expect(check(bare[0] ?? "")).toHaveLength(1);
      const again = run(
        language === "js" ? "python" : "js",
        keys.map((key) => [key, { usd: "0.01", label: "研究 🐝" }]),
      );
      for (const [index, key] of keys.entries()) {
        const [outer] = check(key) ?? [];
        expect(outer).toBeDefined();
        const { levels } = parseDerivedKey(key)!;
        expect(levels[0]?.restrictions).toMatchObject(samples[index]!);
        expect(check(again[index] ?? "")).toEqual([outer, expect.any(String)]);
        // And the gateway's own function continues both.
        expect(check(deriveKey(again[index] ?? "", {}).key)).toHaveLength(3);
      }
      expect(new Set(keys).size).toBe(keys.length);
    },
  );
});
