import { Diagnosis } from "@gateway/shared/site/diagnosis";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";

/** Runs of a session within a minute. Each one signs in to the mail server and calls the public address. */
const RUN_LIMIT = { max: 20, timeWindow: 60_000 };

export function diagnosticRoutes(app: ConsoleApp, { diagnostics }: Services): void {
  app.post(
    "/diagnostics",
    {
      config: { access: "root", rateLimit: RUN_LIMIT },
      schema: {
        summary: "Check the server, database, network, providers and mail, as gateway doctor does",
        response: answers(Diagnosis),
      },
    },
    async () => ok(await diagnostics.run()),
  );
}
