import { GatewayError } from "#errors.ts";

/** Returns undefined for `not_found`, because One Hub treats the deletion of a missing row as a success. */
export async function ignoreNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "not_found") throw error;
    return undefined;
  }
}
