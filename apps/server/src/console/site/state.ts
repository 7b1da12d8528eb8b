import type { FastifyInstance } from "fastify";
import { answerFailure } from "#console/failures.ts";
import type { Readiness } from "#platform/readiness.ts";

/** Answers that the process runs. */
export const health = async () => ({ status: "ok" as const });

/**
 * Answers whether the node can serve calls. `stale` has the topics whose last change it could not load yet,
 * `problems` what does not work although calls are served.
 */
export async function ready(
  readiness: Pick<Readiness, "check">,
): Promise<{ status: "ok"; stale?: string[]; problems?: string[] }> {
  const { stale, problems } = await readiness.check();
  return {
    status: "ok",
    ...(stale.length > 0 && { stale }),
    ...(problems.length > 0 && { problems }),
  };
}

/** The routes that monitoring requests every few seconds. They work without the rest of the console. */
export function stateRoutes(
  app: FastifyInstance,
  { readiness }: { readiness: Pick<Readiness, "check"> },
): void {
  app.setErrorHandler(answerFailure);
  app.addHook("onRequest", (_request, reply, done) => {
    void reply.headers({ "cache-control": "no-store", vary: "Api-Version" });
    done();
  });
  app.get("/health", health);
  app.get("/ready", () => ready(readiness));
}
