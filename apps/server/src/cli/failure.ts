/** How a command ends: part of its documentation (docs/cli.md). */
export const ExitCode = {
  ok: 0,
  /** A check failed or a defect was found. */
  failed: 1,
  /** Wrong arguments or a wrong environment. */
  usage: 2,
  /** `apply --diff` found changes. It ends with `refused` for a wrong file or environment. */
  differs: 2,
  /** The command refused to begin; nothing was changed. */
  refused: 3,
} as const;

/** What an operator has to correct: the message says what to do next, and is shown without a stack. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = ExitCode.refused, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
