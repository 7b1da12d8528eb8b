import { completeDerivationHashes } from "#domain/tokens/derived-keys/derivation-hashes.ts";
import type { Job } from "./job.ts";

/** Makes tokens of earlier versions known to derived keys. */
export const completeDerivations: Job = {
  name: "complete-derivations",
  every: "53 * * * *",
  atStart: true,
  async run({ db, secrets, stopping }) {
    await completeDerivationHashes(db, secrets, stopping);
  },
};
