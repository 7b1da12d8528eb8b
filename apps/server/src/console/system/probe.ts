import { setTimeout as sleep } from "node:timers/promises";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { sendEvents } from "#console/event-stream.ts";
import type { Services } from "#console/services.ts";
import { probeEvents, probeSignature } from "#domain/settings/public-probe.ts";

const limited = { access: "anyone", rateLimit: { max: 30, timeWindow: 60_000 } } as const;
const Probe = z.object({
  /** Shows that this installation answered. */
  signature: z.string(),
  /** Whether the request for a WebSocket arrived as one. */
  upgrade: z.boolean(),
});

/** Routes that `gateway doctor` requests through the public address. They reveal nothing and cost next to nothing. */
export function probeRoutes(app: ConsoleApp, { secrets }: Services): void {
  app.get(
    "/probe",
    {
      config: limited,
      schema: {
        summary: "Show how a request arrives, for gateway doctor",
        querystring: z.object({ nonce: z.string().regex(/^[\w-]{16,64}$/) }),
        response: answers(Probe),
      },
    },
    async ({ query, headers }) =>
      ok({
        signature: probeSignature(secrets, query.nonce),
        upgrade: headers.upgrade?.toLowerCase() === "websocket",
      }),
  );

  app.get(
    "/probe/stream",
    {
      config: limited,
      schema: { summary: "Send an event every 300 ms, for gateway doctor", response: answers(Nothing) },
    },
    async (request, reply) => sendEvents(request, reply, timedEvents()),
  );
}

async function* timedEvents(): AsyncGenerator<{ event: number }> {
  for (let event = 1; event <= probeEvents.count; event += 1) {
    if (event > 1) await sleep(probeEvents.everyMs);
    yield { event };
  }
}
