import type { FastifyReply, FastifyRequest } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import type { Access } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { TaskRequest, TaskWire } from "#providers/wires/task.ts";
import { relayTask, TASK_USAGE } from "#relay/tasks/tasks.ts";

/** Submits asynchronous tasks, for the endpoints of all task wires. */
export interface Submission extends Access {
  endpoint: string;
  wire: TaskWire;
  requested: TaskRequest;
}

export async function submitTask(
  services: GatewayServices,
  reply: FastifyReply,
  { endpoint, wire, requested, ...access }: Submission,
): Promise<Wire> {
  const { headers, call } = await admit(services, {
    ...access,
    endpoint,
    needs: wire.platform,
    model: requested.model,
    stream: false,
    tools: false,
    estimate: TASK_USAGE,
    calls: 1,
    wire,
    requested,
  });
  const taken = await relayTask(services.relay, services.db, call);
  void reply.headers({ ...headers, ...taken.headers });
  return taken.accepted.reply;
}

/** Returns the access, pinned to the target of the earlier task if a task continues one. */
export function pinnedTo(
  access: Access,
  origin: { channel_id: number; key_id: number | null } | undefined,
): Access {
  if (origin === undefined) return access;
  const home = { channel: origin.channel_id, key: origin.key_id ?? undefined };
  return { ...access, pin: { ...access.pin, home } };
}

/** Returns the JSON body of a task. It must be storable, because our own row contains it too. */
export function storableBody(request: FastifyRequest): Wire {
  const { body } = jsonBody(request);
  requireStorable(body, "");
  return body;
}
