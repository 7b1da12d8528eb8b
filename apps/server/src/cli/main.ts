import { readEnv } from "#env.ts";
import { createProgram } from "./program.ts";

/** `gateway …`: the environment and the terminal come in here and nowhere else. */
const program = createProgram({
  env: () => readEnv(process.env),
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  isInteractive: process.stdin.isTTY && process.stderr.isTTY,
  setExitCode(code) {
    process.exitCode = code;
  },
});
await program.parseAsync(process.argv);
