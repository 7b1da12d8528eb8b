import { checkRelease } from "#domain/releases/release-check.ts";
import type { Job } from "./job.ts";

/** Looks for a new version of the gateway once a day, if the operator enables it. */
export const checkReleases: Job = {
  name: "check-releases",
  every: "41 5 * * *",
  async run({ db, probe }) {
    const settings = probe.settings.current();
    if (settings.ReleaseCheckEnabled) await checkRelease(db, settings);
  },
};
