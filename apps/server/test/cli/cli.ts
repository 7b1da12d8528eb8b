import { tmpdir } from "node:os";
import { createProgram } from "#cli/program.ts";
import { readEnv } from "#env.ts";
import { testSecretKey } from "#test/gateway.ts";

/** Runs a command as `gateway …` does, and catches what it prints. */
export async function cli(databaseUrl: string, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  let exitCode = 0;
  const program = createProgram({
    env: () =>
      readEnv({ NODE_ENV: "test", DATABASE_URL: databaseUrl, SECRET_KEY: testSecretKey, DATA_DIR: tmpdir() }),
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    isInteractive: false,
    setExitCode(code) {
      exitCode = code;
    },
  });
  await program.parseAsync(["node", "gateway", ...args]).catch(() => undefined);
  const text = out.join("\n");
  return { exitCode, out: text, err: err.join("\n"), json: (): unknown => JSON.parse(text) };
}
