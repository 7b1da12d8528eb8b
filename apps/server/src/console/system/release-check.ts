import { ReleaseCheckStatus } from "@gateway/shared/site/release-check";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { checkRelease, describeReleaseCheck } from "#domain/releases/release-check.ts";

/** Runs of a session within a minute. Each one sends a request to the address of the releases. */
const RUN_LIMIT = { max: 5, timeWindow: 60_000 };

/** Routes for the check for new versions of the gateway. */
export function releaseCheckRoutes(app: ConsoleApp, { db, settings, version }: Services): void {
  app.get(
    "/option/release-check",
    {
      config: { access: "root" },
      schema: {
        summary: "The version of the gateway, and the latest release that a check has found",
        response: answers(ReleaseCheckStatus),
      },
    },
    async () => ok(await describeReleaseCheck(db, version)),
  );

  app.post(
    "/option/release-check/run",
    {
      config: { access: "root", rateLimit: RUN_LIMIT },
      schema: { summary: "Look for a new version now", response: answers(ReleaseCheckStatus) },
    },
    async () => {
      await checkRelease(db, settings.current());
      return ok(await describeReleaseCheck(db, version));
    },
  );
}
