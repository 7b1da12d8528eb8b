import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { runProgram } from "#cli/program.ts";
import { readEnv } from "#env.ts";
import { testSecretKey } from "#test/gateway.ts";

/** What a command sees as the variables of its shell. */
export const shellVariables: Record<string, string> = {};

/** Runs a `gateway …` command and returns its output. */
export async function cli(databaseUrl: string, ...args: string[]) {
  return cliWithInput(databaseUrl, "", ...args);
}

/** Runs a command with this standard input. */
export async function cliWithInput(databaseUrl: string, input: string, ...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  let exitCode = 0;
  const terminal = {
    env: () =>
      readEnv({ NODE_ENV: "test", DATABASE_URL: databaseUrl, SECRET_KEY: testSecretKey, DATA_DIR: tmpdir() }),
    variables: { ...shellVariables },
    input: Readable.from([Buffer.from(input)]),
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    redraw: () => undefined,
    isInteractive: false,
    setExitCode(code: number) {
      exitCode = code;
    },
  };
  await runProgram(terminal, ["node", "gateway", ...args]);
  const text = out.join("\n");
  return { exitCode, out: text, err: err.join("\n"), json: (): unknown => JSON.parse(text) };
}
