import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { cli } from "./cli.ts";

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  folder = await mkdtemp(join(tmpdir(), "export-"));
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

async function everything(path: string): Promise<string> {
  const files = await readdir(path);
  return (await Promise.all(files.map((file) => readFile(join(path, file), "utf8")))).join("\n");
}

it("exports every table without secrets, and with secrets only with an audit log entry", async () => {
  await gateway.addChannel({ type: 1, name: "one", model_headers: { "X-Private": "header-secret" } });
  const { key } = await gateway.addToken({ name: '=cmd("x")' });
  const run = (...args: string[]) => cli(gateway.database.url, "export", ...args);

  const plain = join(folder, "plain");
  expect(await run("--to", plain)).toMatchObject({
    exitCode: 0,
    err: expect.stringMatching(/^users: [1-9]/m),
  });
  const text = await everything(plain);
  expect(text).toContain('"username":"root"');
  for (const secret of [key, "provider-key", "header-secret", "$argon2", "_hash", "_encrypted"])
    expect(text, secret).not.toContain(secret);
  expect(await run("--to", plain)).toMatchObject({ exitCode: 3, err: expect.stringContaining("not empty") });

  const whole = join(folder, "whole");
  expect((await run("--to", whole, "--with-secrets")).exitCode).toBe(2);
  expect((await run("--to", whole, "--with-secrets", "--yes")).exitCode).toBe(0);
  const opened = await everything(whole);
  for (const secret of [key, "provider-key", "header-secret", "$argon2"])
    expect(opened, secret).toContain(secret);
  expect(await gateway.database.db.auditEntry.count({ where: { action: "export.secrets" } })).toBe(1);

  const csv = join(folder, "csv");
  expect((await run("--to", csv, "--format", "csv", "--tables", "tokens,users")).exitCode).toBe(0);
  expect((await readdir(csv)).sort()).toEqual(["tokens.csv", "users.csv"]);
  // A spreadsheet must not evaluate the name of a key as a formula.
  expect(await readFile(join(csv, "tokens.csv"), "utf8")).toContain(`"'=cmd(""x"")"`);
  expect((await run("--to", join(folder, "no"), "--tables", "nothing")).exitCode).toBe(2);
});
