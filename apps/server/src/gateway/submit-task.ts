import type { FastifyReply, FastifyRequest } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import { invalidRequest } from "#errors.ts";
import type { AskedTask, TaskWire } from "#providers/task-wire.ts";
import { submitTask, TASK_USAGE } from "#relay/tasks.ts";
import { admit } from "./admit.ts";
import type { Authenticated } from "./authenticate.ts";
import { leavingSignal } from "./disconnect.ts";
import { isJsonBody } from "./json-body.ts";
import type { GatewayServices } from "./services.ts";

/** Takes on work that is done later, for the doors of all its wires. */
export interface Submission extends Authenticated {
  startedAt: number;
  endpoint: string;
  wire: TaskWire;
  asked: AskedTask;
}

export async function takeOn(
  services: GatewayServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { endpoint, wire, asked, ...known }: Submission,
): Promise<Wire> {
  const { headers, call } = await admit(services, {
    ...known,
    requestId: request.id,
    ip: request.ip,
    endpoint,
    needs: wire.platform,
    model: asked.model,
    stream: false,
    tools: false,
    estimate: TASK_USAGE,
    calls: 1,
    signal: leavingSignal(reply),
    wire,
    asked,
  });
  const taken = await submitTask(services.relay, services.db, call);
  void reply.headers({ ...headers, ...taken.headers });
  return taken.accepted.reply;
}

/** A task that goes on from another can be made only where that one was. */
export function pinnedTo(
  known: Authenticated,
  origin: { channel_id: number; key_id: number | null } | undefined,
): Authenticated {
  if (origin === undefined) return known;
  const home = { channel: origin.channel_id, key: origin.key_id ?? undefined };
  return { ...known, pin: { ...known.pin, home } };
}

export function jsonIn(request: FastifyRequest): Wire {
  if (isJsonBody(request.body)) return request.body.body;
  throw invalidRequest("The body must be a JSON object sent as application/json.");
}
