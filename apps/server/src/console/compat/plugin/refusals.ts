import { GatewayError } from "#errors.ts";

/** Ignores `not_found`, because One Hub treats the deletion of a missing row as a success. */
export async function ignoreNotFound(work: Promise<unknown>, onGone = () => {}): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
    onGone();
  }
}
