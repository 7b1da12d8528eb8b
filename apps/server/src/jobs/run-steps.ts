/** Runs the steps one after the other. One that fails stops no other; its error is thrown after the last one. */
export async function runSteps(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: Error[] = [];
  for (const step of steps) await step().catch((error: Error) => failures.push(error));
  const [first] = failures;
  if (first !== undefined) throw first;
}
