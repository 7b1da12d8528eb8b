import { readEnv } from "#env.ts";
import { keepHeapSmall } from "#platform/memory/start-memory.ts";
import { escapeControls } from "./escape-controls.ts";
import { runProgram } from "./program.ts";

keepHeapSmall();

/** `gateway …`: the environment and the terminal come in here and nowhere else. */
await runProgram(
  {
    env: () => readEnv(process.env),
    variables: process.env,
    input: process.stdin,
    out: (text) => console.log(escapeControls(text)),
    err: (text) => console.error(escapeControls(text)),
    redraw: (text) => process.stderr.write(`\r\u001B[2K${text}`),
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    setExitCode(code) {
      process.exitCode = code;
    },
  },
  process.argv,
);
