import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEnv } from "./env.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-env-"));
  await writeFile(join(folder, "password"), "from the file\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const passwordOf = (source: Record<string, string>) =>
  decodeURIComponent(new URL(readEnv(source).DATABASE_URL ?? "").password);

describe("the password of DATABASE_URL", () => {
  const without = "postgres://gateway@db/gateway";
  const missing = "/no/such/file";

  it("comes from DATABASE_PASSWORD, else from the file", () => {
    const file = join(folder, "password");
    expect(passwordOf({ DATABASE_URL: without, DATABASE_PASSWORD_FILE: file })).toBe("from the file");
    expect(
      passwordOf({ DATABASE_URL: without, DATABASE_PASSWORD_FILE: file, DATABASE_PASSWORD: "p@ss" }),
    ).toBe("p@ss");
  });

  it("needs no file when something else has it, as with an own Postgres in Compose", () => {
    const file = { DATABASE_PASSWORD_FILE: missing };
    expect(passwordOf({ DATABASE_URL: "postgres://gateway:own@db/gateway", ...file })).toBe("own");
    expect(passwordOf({ DATABASE_URL: without, DATABASE_PASSWORD: "own", ...file })).toBe("own");
    expect(passwordOf({ DATABASE_URL: without, DATABASE_PASSWORD_FILE: "/dev/null" })).toBe("");
  });

  it("is missed by name when only a file could have it that cannot be read", () => {
    expect(() => readEnv({ DATABASE_URL: without, DATABASE_PASSWORD_FILE: missing })).toThrow(
      /DATABASE_PASSWORD_FILE names \/no\/such\/file, which cannot be read/,
    );
  });
});

describe.each([
  ["DATABASE_URL", "postgres", "db:5432/gateway"],
  ["REDIS_URL", "redis", "cache:6379"],
  ["REDIS_URL", "rediss", "cache:6379/2"],
] as const)("%s of %s", (name, scheme, host) => {
  it("is named when its password is not percent-encoded, without a part of the password", () => {
    const special = fc.constantFrom("@", "#", "/", "?", "%zz");
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,4}$/), special, fc.stringMatching(/^[a-z]{6,12}$/), (a, b, c) => {
        const read = () => readEnv({ [name]: `${scheme}://gateway:${a}${b}${c}@${host}` });
        expect(read).toThrow(new RegExp(`^${name} cannot be read\\. Percent-encode`));
        expect(read).not.toThrow(new RegExp(c));
      }),
    );
  });

  it("takes any password that is percent-encoded", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme-ascii" }), (password) => {
        const url = new URL(
          readEnv({ [name]: `${scheme}://gateway:${encodeURIComponent(password)}@${host}` })[name] ?? "",
        );
        expect([decodeURIComponent(url.password), url.host]).toEqual([password, host.split("/")[0]]);
      }),
    );
  });
});

describe("a pooler and Sentinel", () => {
  const direct = "postgres://gateway@db/gateway";
  const pooler = "postgres://gateway@pgbouncer:6432/gateway";

  it("the database is that of DATABASE_DIRECT_URL, and the password is for both", () => {
    const env = readEnv({ DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct, DATABASE_PASSWORD: "p@ss" });
    expect(env.DATABASE_URL).toBe("postgres://gateway:p%40ss@db/gateway");
    expect(env.poolerUrl).toBe("postgres://gateway:p%40ss@pgbouncer:6432/gateway");
    expect(readEnv({ DATABASE_URL: direct }).poolerUrl).toBeUndefined();
  });

  it("a replica has the password of the database, and may be 10 seconds behind by default", () => {
    const both = { DATABASE_URL: direct, DATABASE_REPLICA_URL: "postgres://gateway@standby/gateway" };
    expect(readEnv({ ...both, DATABASE_PASSWORD: "p@ss" }).replica).toEqual({
      url: "postgres://gateway:p%40ss@standby/gateway",
      maxLagMs: 10_000,
    });
    expect(readEnv({ ...both, DATABASE_REPLICA_LAG_SECONDS: "30" }).replica?.maxLagMs).toBe(30_000);
    expect(readEnv({ DATABASE_URL: direct }).replica).toBeUndefined();
    expect(() => readEnv({ ...both, DATABASE_REPLICA_URL: "postgres://a:b#c@standby/gateway" })).toThrow(
      "DATABASE_REPLICA_URL cannot be read",
    );
  });

  it("an address that is of no use alone is refused", () => {
    expect(() => readEnv({ DATABASE_REPLICA_URL: direct })).toThrow(
      "DATABASE_URL to the address of the primary",
    );
    expect(() => readEnv({ DATABASE_DIRECT_URL: direct })).toThrow(
      "DATABASE_URL to the address of the pooler",
    );
    expect(() => readEnv({ REDIS_SENTINELS: "one:26379" })).toThrow("Set REDIS_URL to redis://");
    expect(() => readEnv({ REDIS_URL: "redis://limits", REDIS_SENTINELS: "one:26379, two" })).toThrow(
      "REDIS_SENTINELS: must look like host-1:26379,host-2:26379",
    );
  });

  it("Sentinel servers have the usual port by default", () => {
    const { redisSentinels } = readEnv({ REDIS_URL: "redis://limits", REDIS_SENTINELS: "one,two:5000" });
    expect(redisSentinels?.nodes).toEqual([
      { host: "one", port: 26_379 },
      { host: "two", port: 5_000 },
    ]);
  });
});
