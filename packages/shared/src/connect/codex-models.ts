const own = /^(?:gpt-5(?![.\d]*-chat)|gpt-[6-9](?!\d)|codex-)/;

/** Whether Codex has its own entry for a model, with matching instructions and tools. */
export function codexKnows(model: string): boolean {
  return own.test(model);
}
