import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { environmentKeys } from "#env.ts";
import { openProviders } from "#providers/registry.ts";
import { writesBalance } from "#test/balance-writes.ts";

/** Rules of the code base that a linter cannot check. */
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const sources = readdirSync(join(root, "apps/server/src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("platform/prisma"))
  .map((file) => ({ file, text: readFileSync(join(root, "apps/server/src", file), "utf8") }));

/** Provider ids that also have other meanings, and the files in which those are allowed. */
const otherMeanings: Record<string, RegExp> = {
  // dialects
  anthropic: /^(gateway|relay)\//,
  gemini: /^(gateway|relay)\//,
  // this product, and an endpoint
  gateway: /./,
  rerank: /^(gateway|relay)\//,
  // formats of task endpoints that clients use
  suno: /^(gateway\/tasks\/tasks|console\/usage\/tasks)\.ts$/,
  kling: /^(gateway\/tasks\/tasks|console\/usage\/tasks)\.ts$/,
  midjourney: /^(gateway\/tasks\/midjourney|console\/usage\/tasks)\.ts$/,
  // a cloud
  azure: /^platform\/key-sources\/read-key\.ts$/,
  // an identity provider
  github: /^console\/(compat|accounts|site)\/(users|site|profile|sign-in)\.ts$/,
};

describe("the code base", () => {
  it("lists every process setting in .env.example, then those of Docker Compose, and nothing else", () => {
    const parts = readFileSync(join(root, ".env.example"), "utf8").split("# Read by Docker Compose only.\n");
    const [own, ofCompose] = parts.map((part) =>
      part
        .split("\n")
        .flatMap((line) => /^#?\s?([A-Z_]+)=/.exec(line)?.[1] ?? [])
        .sort(),
    );
    expect(own).toEqual([...environmentKeys].sort());
    const compose = readFileSync(join(root, "docker-compose.yml"), "utf8");
    const read = new Set([...compose.matchAll(/(?<!\$)\$\{([A-Z_]+):/g)].map(([, key = ""]) => key));
    const known: readonly string[] = environmentKeys;
    expect(ofCompose).toEqual([...read].filter((key) => !known.includes(key)).sort());
  });

  it("passes every process setting through docker-compose.yml, except what the image fixes", () => {
    const compose = readFileSync(join(root, "docker-compose.yml"), "utf8");
    const block = /^x-server:[\s\S]*?^ {2}environment:\n((?: {4}.*\n)+)/m.exec(compose)?.[1] ?? "";
    const passed = [...block.matchAll(/^ {4}([A-Z_]+): (.*)$/gm)];
    const fixed = new Set(["HOST", "PORT", "DATA_DIR", "NODE_ENV"]);
    // Recreates the container when it changes. The server reads the file instead.
    const composeOnly = new Set(["POSTGRES_PASSWORD"]);
    const keys = passed.flatMap(([, key = ""]) => (composeOnly.has(key) ? [] : [key]));
    expect(keys.sort()).toEqual(environmentKeys.filter((key) => !fixed.has(key)).sort());
    // The names are equal, so that a line copied from .env.example also works here.
    for (const [, key, value] of passed) expect(value).toMatch(new RegExp(`^\\$\\{${key}:-.*\\}$`));
  });

  it("stops within docker-compose.yml's stop_grace_period", () => {
    const compose = readFileSync(join(root, "docker-compose.yml"), "utf8");
    const seconds = (name: string) => Number(new RegExp(`\\$\\{${name}:-(\\d+)s?\\}`).exec(compose)?.[1]);
    // No call for a while, interrupted calls, and the parts of the process.
    const closing = 2 + 5 + 25;
    expect(compose).toMatch(/^ {2}stop_grace_period: \$\{STOP_GRACE_PERIOD:-\d+s\}$/m);
    expect(seconds("STOP_GRACE_PERIOD")).toBeGreaterThan(
      seconds("DRAIN_SECONDS") + seconds("STOP_SECONDS") + closing,
    );
  });

  it("names exact versions of the images, and a Caddy that sends a POST to the next node", () => {
    const compose = readFileSync(join(root, "docker-compose.yml"), "utf8");
    const image = readFileSync(join(root, "Dockerfile"), "utf8");
    const found = compose.matchAll(/^ +image: \$\{[A-Z]+_IMAGE:-([\w.-]+:[\w.-]+)\}$/gm);
    const named = [...new Set([...found].map(([, name]) => name))];
    expect(named).toEqual([
      expect.stringMatching(/^caddy:\d+\.\d+\.\d+$/),
      expect.stringMatching(/^postgres:\d+\.\d+$/),
      expect.stringMatching(/^redis:\d+\.\d+\.\d+$/),
    ]);
    const [major = 0, minor = 0, patch = 0] =
      /^caddy:(.+)$/
        .exec(named[0] ?? "")?.[1]
        ?.split(".")
        .map(Number) ?? [];
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThan(2_011_001);
    const workspace = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
    const node = /^ {2}node: (\d+\.\d+\.\d+)$/m.exec(workspace)?.[1];
    expect(image).toContain(`ARG NODE_IMAGE=node:${node}-slim\n`);
    expect(image.match(/^FROM (?!\$\{NODE_IMAGE\}|manifests AS )/gm)).toBe(null);
  });

  it("checks the health of the image without a Node process", () => {
    const image = readFileSync(join(root, "Dockerfile"), "utf8");
    expect(image).toMatch(/^HEALTHCHECK .*CMD \["gateway-health"\]$/m);
    expect(image).toContain("COPY deploy/health-probe /usr/local/bin/gateway-health\n");
  });

  it("writes balances in the ledger only", () => {
    const trespassers = sources
      .filter(({ file }) => !/\.(test|fixture)\.ts$/.test(file))
      .filter(({ file }) => !file.startsWith("domain/ledger/"))
      .filter(({ text }) => writesBalance(text))
      .map(({ file }) => file);
    expect(trespassers).toEqual([]);
  });

  it("detects a write of a balance in any spelling", () => {
    const writes = [
      "UPDATE users SET quota = 5",
      'update "users" u set display_name = $1, "quota" = 0 where id = 1',
      'UPDATE ONLY public."tokens" SET reserved=0',
      "UPDATE users\n  SET (display_name, quota) = ($1, $2)",
      "INSERT INTO users (username, quota) VALUES ($1, 5)",
      "INSERT INTO users AS u (id) VALUES (1) ON CONFLICT (id) DO NOTHING; UPDATE users SET used_quota = 1",
      "MERGE INTO users USING x ON true WHEN MATCHED THEN UPDATE SET quota = 1",
      "DELETE FROM reservations",
      "insert into ledger_entries (user_id) values (1)",
      "tx.user.update({ where: { id }, data: { quota: 5n } })",
      "tx.user.updateMany({ data: { quota } })",
      "db.user.upsert({ where, create: { username }, update: { reserved: { increment: 1n } } })",
      "db.token.update({ where, data: { user: { update: { quota: 1n } } } })",
      "const data = { username, quota: 5n };\ndb.user.create({ data })",
      "const row = { used_quota: 0n };\ndb.token.update({ where, data: row })",
      "data.quota = 5n; db.user.update({ where, data })",
      "db.user.create({ data: { username: 'x', 'quota': 1n } })",
      "tx.ledgerEntry.createMany({})",
    ];
    expect(writes.filter((text) => !writesBalance(text))).toEqual([]);
    const reads = [
      "SELECT quota FROM users WHERE quota = 5",
      "UPDATE users SET display_name = $1 WHERE quota = 0",
      "UPDATE channels SET used_quota = 1",
      "db.user.findMany({ select: { quota: true } })",
      "db.user.update({ where: { id }, data: { status }, select: { quota: true } })",
      "db.token.update({ where: { id }, data: { remain_quota: 5n } })",
    ];
    expect(reads.filter((text) => writesBalance(text))).toEqual([]);
  });

  it("sends to providers, classifies their failures and settles calls in relay/core only", () => {
    const others = sources.filter(({ file }) => !/^relay\/core\/|^platform\/|\.test\.ts$/.test(file));
    const users = (pattern: RegExp) =>
      others.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
    const sends = /\bupstream\.send\(|import \{[^}]*\bsend\b[^}]*\} from "#relay\/core\/upstream\/send\.ts"/;
    expect(users(sends)).toEqual([]);
    expect(users(/\bhealth\??\.(?:failed|succeeded|servedElsewhere|enter)\(/)).toEqual([]);
    // A session has a call per response, and any node can close a background bill.
    const later = ["relay/background/background.ts", "relay/realtime/realtime-bill.ts"];
    expect(users(/\bnew CallBill\(/).sort()).toEqual(later);
  });

  it("names providers in providers/ only", () => {
    const modules = /^(gateway|console|jobs|relay|domain|platform)\//;
    const ids = [...openProviders().values()].map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(50);
    const quoted = new RegExp(`["'\`](${ids.join("|")})["'\`]`, "g");
    const found = sources
      .filter(({ file }) => modules.test(file) && !file.endsWith(".test.ts") && !file.includes("seed"))
      .flatMap(({ file, text }) => [...text.matchAll(quoted)].map(([, id = ""]) => ({ file, id })))
      .filter(({ file, id }) => otherMeanings[id]?.test(file) !== true)
      .map(({ file, id }) => `${file}: ${id}`);
    expect([...new Set(found)]).toEqual([]);
  });

  it("builds no address from a request's host: links come from the settings", () => {
    const readers = sources
      .filter(({ file }) => !file.endsWith(".test.ts"))
      .filter(({ text }) =>
        /request\.(host|hostname)\b|headers\.host\b|headers\["host"\]|x-forwarded-host/.test(text),
      )
      .map(({ file }) => file);
    // It compares a browser's Origin with the host, but builds no address.
    // The installer's script and the address of device sign-in go to the sender of the request alone, are not
    // cached, and have the host only while no address is configured.
    expect(readers).toEqual(["console/origin.ts", "console/site/own-address.ts"]);
  });

  it("takes the time from platform/clock.ts, so that a change of the clock affects no duration or expiry", () => {
    const modules = /^(gateway|console|jobs|relay|domain|start)\//;
    const readers = sources
      .filter(({ file }) => modules.test(file) && !/\.(test|fixture)\.ts$/.test(file))
      .filter(({ text }) => /\bDate\.now\b|\bnew Date\(\)|\bnew Date;/.test(text))
      .map(({ file }) => file);
    expect(readers).toEqual([]);
  });

  it("listens for errors of each Postgres connection: one that breaks between statements ends the process", () => {
    const silent = sources
      .filter(
        ({ file, text }) => !file.endsWith(".test.ts") && /\bnew pg\.Client\(|extends Base\b/.test(text),
      )
      .filter(({ text }) => !/\.on\("error",/.test(text))
      .map(({ file }) => file);
    expect(silent).toEqual([]);
  });

  it("appends lists of a request item by item: a spread has a limited number of arguments", () => {
    const modules = /^(dialects|providers|relay|gateway)\//;
    const spreading = sources
      .filter(({ file }) => modules.test(file) && !/\.(test|fixture)\.ts$/.test(file))
      .filter(({ text }) => /\.(?:push|unshift)\(\s*\.\.\./.test(text))
      .map(({ file }) => file);
    expect(spreading).toEqual([]);
  });

  it("reads the environment in env.ts only, and only the start, the tool and its checks import env.ts", () => {
    const importers = sources
      .filter(
        ({ file, text }) => !file.endsWith(".test.ts") && /from "\.\/env\.ts"|from "#env\.ts"/.test(text),
      )
      .map(({ file }) => file);
    expect(importers.filter((file) => !/^(main|cli\/.+|start\/.+|diagnostics\/.+)\.ts$/.test(file))).toEqual(
      [],
    );
  });
});
