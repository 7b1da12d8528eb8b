/**
 * Routes for songs and videos, which are ready some time after the request. Their status comes from our own
 * rows.
 */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { listOf } from "#dialects/list-of.ts";
import { parseAt } from "#dialects/wire.ts";
import { findTasks, getTask } from "#domain/tasks/tasks.ts";
import { invalidRequest } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { klingWire, readKling } from "#providers/wires/kling.ts";
import { readSuno, sunoOrigin, sunoWire } from "#providers/wires/suno.ts";
import { pinnedTo, storableBody, submitTask } from "./submit-task.ts";

export function taskRoutes(app: FastifyInstance, services: GatewayServices): void {
  sunoRoutes(app, services);
  klingRoutes(app, services);
}

const Fetch = z.object({ ids: listOf(z.union([z.string(), z.number()]).transform(String), { most: 100 }) });

function sunoRoutes(app: FastifyInstance, services: GatewayServices): void {
  const { db } = services;
  app.post("/suno/submit/:action", async (request, reply) => {
    const access = accessOf(request);
    const body = storableBody(request);
    const { action } = request.params as { action: string };
    const requested = readSuno(action, body);
    const origin = requested.action === "MUSIC" ? sunoOrigin(body) : undefined;
    const earlier =
      origin === undefined ? undefined : await getTask(db, "suno", origin, access.caller.userId);
    const submission = {
      ...pinnedTo(access, earlier),
      endpoint: requested.path,
      wire: sunoWire,
      requested,
    };
    return submitTask(services, reply, submission);
  });
  app.post("/suno/fetch", async (request) => {
    const { caller } = accessOf(request);
    const { ids } = parseAt(Fetch, storableBody(request), "");
    const tasks = await findTasks(db, "suno", ids, caller.userId);
    return { code: "success", message: "", data: tasks.map(sunoWire.show) };
  });
  app.get("/suno/fetch/:id", async (request) => {
    const { caller } = accessOf(request);
    const { id } = request.params as { id: string };
    return {
      code: "success",
      message: "",
      data: sunoWire.show(await getTask(db, "suno", id, caller.userId)),
    };
  });
}

function klingRoutes(app: FastifyInstance, services: GatewayServices): void {
  const { db } = services;
  app.post("/kling/v1/:class/:action", async (request, reply) => {
    const access = accessOf(request);
    const { class: kind, action } = request.params as { class: string; action: string };
    if (kind !== "videos") throw invalidRequest({ reason: "videos_only" });
    const requested = readKling(action, storableBody(request));
    const endpoint = `/kling${requested.path}`;
    return submitTask(services, reply, { ...access, endpoint, wire: klingWire, requested });
  });
  for (const action of ["text2video", "image2video"]) {
    app.get(`/kling/v1/videos/${action}/:id`, async (request) => {
      const { caller } = accessOf(request);
      const { id } = request.params as { id: string };
      return klingWire.show(await getTask(db, "kling", id, caller.userId));
    });
  }
}
