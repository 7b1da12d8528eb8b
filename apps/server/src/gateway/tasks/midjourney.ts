/** Images in the wire of midjourney-proxy. The speed is part of the path; `/mj` alone means fast. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { asRecord, parseAt } from "#dialects/wire.ts";
import { findTasks, getTask } from "#domain/tasks/tasks.ts";
import { invalidRequest, notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { isInert } from "#gateway/http/answer-headers.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { Task } from "#platform/prisma/client.ts";
import {
  type MidjourneyMode,
  midjourneyOrigin,
  midjourneySubmits,
  readMidjourney,
  SWAP,
} from "#providers/wires/midjourney-request.ts";
import { midjourneyWire } from "#providers/wires/midjourney.ts";
import { askAboutTask } from "#relay/tasks/tasks.ts";
import { pinnedTo, storableBody, submitTask } from "./submit-task.ts";

const modes = lookupTable<MidjourneyMode>({
  "/mj": "fast",
  "/mj-fast/mj": "fast",
  "/mj-turbo/mj": "turbo",
  "/mj-relax/mj": "relax",
});
export const midjourneyPrefixes = Object.keys(modes);

const Fetch = z.object({ ids: listOf(z.union([z.string(), z.number()]).transform(String), { most: 100 }) });
const MAX_IMAGE_BYTES = 30 * 1024 * 1024;

export function midjourneyRoutes(app: FastifyInstance, services: GatewayServices): void {
  const { db } = services;
  for (const [prefix, mode] of Object.entries(modes)) {
    for (const name of midjourneySubmits)
      app.post(`${prefix}/submit/${name}`, (request, reply) => submit(services, request, reply, name, mode));
    app.post(`${prefix}/${SWAP}`, (request, reply) => submit(services, request, reply, SWAP, mode));
    app.post(`${prefix}/task/list-by-condition`, async (request) => {
      const { caller } = accessOf(request);
      const { ids } = parseAt(Fetch, storableBody(request), "");
      return (await findTasks(db, "midjourney", ids, caller.userId)).map(midjourneyWire.show);
    });
    app.get(`${prefix}/task/:id/fetch`, async (request) =>
      midjourneyWire.show(await ownTask(services, request)),
    );
    app.get(`${prefix}/task/:id/image-seed`, async (request) => {
      const task = await ownTask(services, request);
      const path = `/mj/task/${encodeURIComponent(task.task_id)}/image-seed`;
      return askAboutTask(services.relay, {
        ...accessOf(request),
        endpoint: `${prefix}/task/:id/image-seed`,
        needs: "midjourney",
        model: task.model,
        stream: false,
        tools: false,
        estimate: { input: 0, output: 0 },
        calls: 0,
        task,
        path,
      });
    });
    app.get(`${prefix}/image/:id`, async (request, reply) => {
      const { mediaType, bytes } = await imageOf(services, await ownTask(services, request));
      return reply.type(mediaType).header("x-content-type-options", "nosniff").send(bytes);
    });
  }
}

async function submit(
  services: GatewayServices,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  wanted: MidjourneyMode,
) {
  const access = accessOf(request);
  const body = storableBody(request);
  const origin = midjourneyOrigin(name, body);
  const earlier =
    origin === undefined ? undefined : await getTask(services.db, "midjourney", origin, access.caller.userId);
  // A dialog that waits for input has not succeeded yet.
  if (earlier !== undefined && earlier.status !== "SUCCESS" && name !== "modal")
    throw invalidRequest({ reason: "task_without_picture" }, { param: "taskId" });
  const requested = readMidjourney(name, body, modeOf(earlier) ?? wanted);
  return submitTask(services, reply, {
    ...pinnedTo(access, earlier),
    endpoint: requested.path,
    wire: midjourneyWire,
    requested,
  });
}

function modeOf(task: Task | undefined): MidjourneyMode | undefined {
  const mode = asRecord(task?.properties)?.["mode"];
  return Object.values(modes).find((known) => known === mode);
}

async function ownTask({ db }: GatewayServices, request: FastifyRequest): Promise<Task> {
  const { caller } = accessOf(request);
  const { id } = request.params as { id: string };
  return getTask(db, "midjourney", id, caller.userId);
}

/**
 * Returns the image of a task. A provider's URL is fetched only from public addresses, and must be an image.
 */
async function imageOf(
  { relay }: GatewayServices,
  task: Task,
): Promise<{ mediaType: string; bytes: Buffer }> {
  const address = asRecord(task.data)?.["imageUrl"];
  if (typeof address !== "string" || address === "") throw notFound({ reason: "image_not_found" });
  const inline = /^data:(image\/(?:png|jpeg|webp|gif));base64,(.+)$/.exec(address);
  if (inline !== null) return { mediaType: inline[1] ?? "", bytes: Buffer.from(inline[2] ?? "", "base64") };
  const found = await relay.fetchPublic(address, { maxBytes: MAX_IMAGE_BYTES, timeoutMs: 30_000 });
  if (!/^image\//i.test(found.mediaType) || !isInert(found.mediaType))
    throw notFound({ reason: "image_not_found" });
  return found;
}
