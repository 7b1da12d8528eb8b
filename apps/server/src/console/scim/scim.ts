/**
 * SCIM 2.0 under `<base path>/scim/v2` (RFC 7644): the directory of a sign-in provider creates, changes and removes
 * accounts. Its routes accept only the token of the provider, which root creates.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { readJsonBodies } from "#console/request-body.ts";
import type { Services } from "#console/services.ts";
import { parseFilter } from "#domain/scim/filter.ts";
import { changeGroup, createGroup, deleteGroup, getGroup, listGroups } from "#domain/scim/groups.ts";
import { parsePatch, patchResource } from "#domain/scim/patch.ts";
import {
  changePerson,
  createPerson,
  deletePerson,
  getPerson,
  listPeople,
  type ScimClient,
} from "#domain/scim/people.ts";
import { parseGroup, parsePerson } from "#domain/scim/resource.ts";
import { findByScimToken } from "#domain/scim/tokens.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { GatewayError } from "#errors.ts";
import { networkOf } from "#platform/http/network-of.ts";
import { resourceTypes, schemas, serviceProviderConfig } from "./description.ts";
import { answerScimFailure, answerUnknownAddress, SCIM_TYPE } from "./failures.ts";
import { presentGroup, presentList, presentPerson } from "./present.ts";

/** Requests of one address per minute. A first import of Entra ID sends about 25 per second. */
const REQUESTS = { max: 3_000, windowMs: 60_000 };

/** Answers to changes that can never be applied as they are. */
const invalidStatus = new Set(["400", "413"]);

/** Most resources of one page. */
const MOST_PER_PAGE = 200;

const Id = z.object({ id: z.string().max(300) });
const ListQuery = z.object({
  // A repeated filter is refused like any other that is not supported.
  filter: z.string().optional().catch("repeated"),
  startIndex: z.coerce.number().int().min(1).max(1_000_000_000).catch(1),
  count: z.coerce.number().int().min(0).max(MOST_PER_PAGE).catch(MOST_PER_PAGE),
  excludedAttributes: z.string().max(500).catch(""),
});

/** @param root the base path: "" or "/gateway" */
export function scimRoutes(app: FastifyInstance, services: Services, root: string): void {
  const { db, secrets, settings, requestCounts, invalidChanges } = services;
  const clients = new WeakMap<FastifyRequest, ScimClient>();
  readJsonBodies(app);
  app.setErrorHandler<FastifyError | GatewayError>(async (error, request, reply) => {
    const failure = await answerScimFailure(error, request, reply);
    const client = clients.get(request);
    if (client !== undefined && request.method !== "GET" && invalidStatus.has(failure.status))
      invalidChanges.note(client.provider, `${request.method} ${request.routeOptions.url}`, failure.detail);
    return failure;
  });
  app.setNotFoundHandler(answerUnknownAddress);

  // Before the body is read.
  app.addHook("onRequest", async (request, reply) => {
    void reply.type(SCIM_TYPE).header("cache-control", "no-store");
    const { current, ttl } = await requestCounts.add(`scim ${networkOf(request.ip)}`, REQUESTS);
    if (current > REQUESTS.max)
      throw new GatewayError(
        "rate_limit_exceeded",
        { reason: "too_many_from_address" },
        { retryAfter: ttl / 1_000 },
      );
    const token = /^Bearer\s+(\S{1,200})$/i.exec(request.headers.authorization ?? "")?.[1];
    const provider = token === undefined ? undefined : await findByScimToken(db, secrets, token);
    if (provider === undefined) throw new GatewayError("unauthenticated");
    clients.set(request, {
      provider,
      actor: { id: null, username: `scim:${provider.slug}`, ip: request.ip },
    });
  });

  // A change takes effect on this node before the response is sent.
  app.addHook("onSend", async (request, reply, payload) => {
    if (request.method !== "GET" && reply.statusCode < 400) await services.caughtUp();
    return payload;
  });

  const clientOf = (request: FastifyRequest): ScimClient => {
    const client = clients.get(request);
    if (client === undefined) throw new GatewayError("unauthenticated");
    return client;
  };
  const base = () => `${publicUrlOf(settings.current(), root) ?? root}/scim/v2`;
  const deps = () => ({ db, secrets, newUserGift: settings.current().QuotaForNewUser });
  const sliceOf = ({ startIndex, count }: z.output<typeof ListQuery>) => ({
    skip: startIndex - 1,
    take: count,
  });

  descriptionRoutes(app, base);

  app.get("/Users", async (request) => {
    const query = ListQuery.parse(request.query);
    const search = { filter: parseFilter(query.filter), ...sliceOf(query) };
    const { rows, total } = await listPeople(db, clientOf(request), search);
    return presentList(
      rows.map((row) => presentPerson(row, base())),
      { total, startIndex: query.startIndex },
    );
  });
  app.get("/Users/:id", async (request) =>
    presentPerson(await getPerson(db, clientOf(request), Id.parse(request.params).id), base()),
  );
  app.post("/Users", async (request, reply) => {
    const person = await createPerson(deps(), clientOf(request), parsePerson(request.body));
    return replyCreated(reply, presentPerson(person, base()));
  });
  app.put("/Users/:id", async (request) => {
    const input = request.body;
    const { id } = Id.parse(request.params);
    return presentPerson(await changePerson(deps(), clientOf(request), id, () => input), base());
  });
  app.patch("/Users/:id", async (request) => {
    const operations = parsePatch(request.body);
    const { id } = Id.parse(request.params);
    const next = (current: Record<string, unknown>) => patchResource(current, operations);
    return presentPerson(await changePerson(deps(), clientOf(request), id, next), base());
  });
  app.delete("/Users/:id", async (request, reply) => {
    await deletePerson(deps(), clientOf(request), Id.parse(request.params).id);
    return reply.code(204).send();
  });

  app.get("/Groups", async (request) => {
    const query = ListQuery.parse(request.query);
    const withMembers = showsMembers(query);
    const search = { filter: parseFilter(query.filter), ...sliceOf(query), withMembers };
    const { rows, total } = await listGroups(db, clientOf(request), search);
    const resources = rows.map((row) => presentGroup(row, base(), withMembers));
    return presentList(resources, { total, startIndex: query.startIndex });
  });
  app.get("/Groups/:id", async (request) => {
    const group = await getGroup(db, clientOf(request), Id.parse(request.params).id);
    return presentGroup(group, base(), showsMembers(ListQuery.parse(request.query)));
  });
  app.post("/Groups", async (request, reply) => {
    const group = await createGroup(db, clientOf(request), parseGroup(request.body));
    return replyCreated(reply, presentGroup(group, base()));
  });
  app.put("/Groups/:id", async (request) => {
    const input = request.body;
    const { id } = Id.parse(request.params);
    return presentGroup(await changeGroup(db, clientOf(request), id, () => input), base());
  });
  app.patch("/Groups/:id", async (request) => {
    const operations = parsePatch(request.body);
    const { id } = Id.parse(request.params);
    const next = (current: Record<string, unknown>) => patchResource(current, operations);
    return presentGroup(await changeGroup(db, clientOf(request), id, next), base());
  });
  app.delete("/Groups/:id", async (request, reply) => {
    await deleteGroup(db, clientOf(request), Id.parse(request.params).id);
    return reply.code(204).send();
  });
}

function showsMembers({ excludedAttributes }: z.output<typeof ListQuery>): boolean {
  return !excludedAttributes.split(",").some((name) => name.trim().toLowerCase() === "members");
}

/** What the service can do (RFC 7644, section 4). */
function descriptionRoutes(app: FastifyInstance, base: () => string): void {
  app.get("/ServiceProviderConfig", async () => serviceProviderConfig(base()));
  listRoutes(app, "/ResourceTypes", () => resourceTypes(base()));
  listRoutes(app, "/Schemas", () => schemas(base()));
}

function listRoutes(app: FastifyInstance, path: string, all: () => { id: string }[]): void {
  app.get(path, async () => presentList(all(), { total: all().length, startIndex: 1 }));
  app.get(`${path}/:id`, async (request, reply) => {
    const { id } = Id.parse(request.params);
    return all().find((each) => each.id === id) ?? answerUnknownAddress(request, reply);
  });
}

function replyCreated(reply: FastifyReply, resource: { meta: { location: string } }) {
  void reply.code(201).header("location", resource.meta.location);
  return resource;
}
