import { GatewayError } from "#errors.ts";

/** One Hub takes the deletion of what is not there for a success: the wanted state is reached. */
export async function unlessGone(work: Promise<unknown>, onGone = () => {}): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
    onGone();
  }
}
