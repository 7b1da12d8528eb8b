import { loadScreenMessages } from "#lib/screen-messages.ts";

/** Loads a drawer or dialog of the channel screens together with the texts of all of them, which the screens do not have. */
export async function withTexts<T>(part: Promise<T>): Promise<T> {
  const [module] = await Promise.all([part, loadScreenMessages("channel-parts")]);
  return module;
}
