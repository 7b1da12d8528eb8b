import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKey, sealKey } from "#domain/tokens/keys.ts";
import { readEnv } from "#env.ts";
import { connect } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { requireSameSecret } from "#start/database/same-secret.ts";
import { installedDatabase } from "#test/database.ts";
import { bundledMain, gatewayFlags } from "#test/gateway-process.ts";
import { testSecretKey } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** Every way in which a start can fail: it ends with one message that says what is wrong and what to do. */
let place: Awaited<ReturnType<typeof installedDatabase>>;
/** A database that was used with `testSecretKey`. */
let used: Awaited<ReturnType<typeof installedDatabase>>;
/** A database with an API key, which no start has compared with its key yet. */
let earlier: Awaited<ReturnType<typeof installedDatabase>>;
let other: Server;
let folder: string;

beforeAll(async () => {
  place = await installedDatabase();
  used = await installedDatabase();
  const { db, close } = connect(used.url, { max: 1 });
  await requireSameSecret(db, openSecrets(testSecretKey));
  await close();
  earlier = await installedDatabase();
  const stored = connect(earlier.url, { max: 1 });
  const owner = await stored.db.user.create({ data: { username: "owner", aff_code: "owner" } });
  await stored.db.token.create({
    data: { user_id: owner.id, name: "key", ...sealKey(openSecrets(testSecretKey), newKey()) },
  });
  await stored.close();
  folder = await mkdtemp(join(tmpdir(), "gateway-failed-"));
  await writeFile(join(folder, "file"), "");
  other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
}, 60_000);
afterAll(async () => {
  other.close();
  await place.drop();
  await used.drop();
  await earlier.drop();
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string>): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(process.execPath, [...gatewayFlags, bundledMain], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: folder,
      NODE_ENV: "test",
      ...env,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  // One that starts nevertheless would never end.
  const late = setTimeout(() => child.kill("SIGKILL"), 100_000);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(late);
  return { code, lines: output.trim().split("\n") };
}

const unreachableDatabase = "postgres://someone:secret@127.0.0.1:1/gateway";
const portOf = (server: Server) => String((server.address() as { port: number }).port);

type Start = [name: string, env: () => Record<string, string>, message: RegExp];

/** Refused before anything starts. */
const wrongValues: Start[] = [
  ["a PORT that is no number", () => ({ PORT: "abc" }), /PORT: must be a number/],
  [
    "two wrong values",
    () => ({ PORT: "-1", LOG_LEVEL: "loud" }),
    /PORT: must be at least 0[^]*LOG_LEVEL: must be one of fatal, /,
  ],
  ["a DATABASE_URL of another product", () => ({ DATABASE_URL: "mysql://h/d" }), /must begin with postgres/],
  [
    "a DATABASE_URL that cannot be parsed",
    () => ({ DATABASE_URL: "postgres://u:p#w@h:x/d" }),
    /DATABASE_URL/,
  ],
  ["a REDIS_URL of another product", () => ({ REDIS_URL: "http://h" }), /REDIS_URL: must begin with redis/],
  ["a REDIS_URL that cannot be parsed", () => ({ REDIS_URL: "redis://:p#w@h:x" }), /REDIS_URL/],
  ["a short SECRET_KEY", () => ({ SECRET_KEY: "short" }), /SECRET_KEY: must be at least 32/],
  [
    "a password file that does not exist",
    () => ({ DATABASE_URL: "postgres://u@h/d", DATABASE_PASSWORD_FILE: "/nowhere" }),
    /DATABASE_PASSWORD_FILE names \/nowhere/,
  ],
];

const starts: Start[] = [
  ["a database that does not answer", () => ({ DATABASE_URL: unreachableDatabase }), /database/i],
  [
    "a host that does not exist",
    () => ({ DATABASE_URL: "postgres://u:p@no-such-host.invalid/d" }),
    /no-such-host\.invalid/,
  ],
  [
    "a database that does not exist",
    () => ({ DATABASE_URL: place.url.replace(/\/[^/?]+(?=\?|$)/, "/absent") }),
    /database "absent".*does not exist/,
  ],
  [
    "a port in use",
    () => ({ DATABASE_URL: place.url, SECRET_KEY: testSecretKey, PORT: portOf(other) }),
    /Port \d+ is used by another program/,
  ],
  [
    "an address that this machine does not have",
    () => ({ DATABASE_URL: place.url, SECRET_KEY: testSecretKey, HOST: "192.0.2.1" }),
    /HOST/,
  ],
  [
    "a HOST that cannot be resolved",
    () => ({ DATABASE_URL: place.url, SECRET_KEY: testSecretKey, HOST: "no-such-host.invalid" }),
    /HOST/,
  ],
  [
    "another SECRET_KEY than that of the database",
    () => ({ DATABASE_URL: used.url, SECRET_KEY: `another ${testSecretKey}` }),
    /SECRET_KEY.*differs from the one.*Start with the earlier key/,
  ],
  [
    "another SECRET_KEY, on a database of an earlier version",
    () => ({ DATABASE_URL: earlier.url, SECRET_KEY: `another ${testSecretKey}` }),
    /SECRET_KEY.*differs from the one.*Start with the earlier key/,
  ],
  ["an embedded database below a file", () => ({ DATA_DIR: join(folder, "file", "data") }), /DATA_DIR/],
  [
    "a secret that cannot be stored",
    () => ({ DATABASE_URL: place.url, DATA_DIR: "/sys/gateway" }),
    /secret key cannot be stored in \/sys\/gateway.*set SECRET_KEY/,
  ],
];

/** The gateway waits a minute for its database, or starts completely before it fails, as with a port in use. */
const slow = new Set([
  "a database that does not answer",
  "a host that does not exist",
  "an address that this machine does not have",
  "a HOST that cannot be resolved",
]);

describe("an environment", () => {
  it.each(wrongValues)("with %s is refused with a message that names it", (_name, env, message) => {
    expect(() => readEnv(env())).toThrow(message);
  });
});

/** One process shows how wrong values are printed. */
const isNightly = (name: string) =>
  slow.has(name) || (name !== "two wrong values" && wrongValues.some(([other]) => other === name));

describe("a start that fails", () => {
  for (const [name, env, message] of [...wrongValues, ...starts])
    it.concurrent(
      `because of ${name} ends with one message that states what to do`,
      { timeout: 120_000, ...nightly(isNightly(name)) },
      async ({ expect }) => {
        const { code, lines } = await start(env());
        const text = lines.join("\n");
        expect(code, text).toBe(1);
        expect(text).toMatch(message);
        expect(text).not.toMatch(/^\s+at |node:internal|Error:|secret@/m);
      },
    );
});
