import {
  McpBundleChange,
  McpBundleInput,
  McpBundleRow,
  McpServerChange,
  McpServerInput,
  McpServerRow,
  UsableMcpBundle,
  UsableMcpBundleQuery,
} from "@gateway/shared/channels/mcp";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import { requireMayRead } from "#domain/accounts/authority.ts";
import { usableGroups } from "#domain/accounts/groups/groups.ts";
import { getUser } from "#domain/accounts/users.ts";
import {
  changeBundle,
  createBundle,
  deleteBundle,
  listBundles,
  listUsableBundles,
} from "#domain/mcp/bundles.ts";
import { changeServer, createServer, deleteServer, listServers } from "#domain/mcp/servers.ts";

const config = { access: "admin", permission: "channels" } as const;

/** Routes with which administrators edit MCP servers and bundles. A stored credential is never sent. */
export function mcpAdministrationRoutes(app: ConsoleApp, { db, secrets }: Services): void {
  const server = answers(McpServerRow);
  const bundle = answers(McpBundleRow);

  app.get(
    "/mcp_server",
    { config, schema: { summary: "List MCP servers", response: answers(z.array(McpServerRow)) } },
    async () => ok((await listServers(db)).map(present)),
  );

  app.post(
    "/mcp_server",
    { config, schema: { summary: "Add an MCP server", body: McpServerInput, response: server } },
    async (request) => ok(present(await createServer(db, secrets, viewerOf(request), request.body))),
  );

  app.put(
    "/mcp_server",
    { config, schema: { summary: "Change an MCP server", body: McpServerChange, response: server } },
    async (request) => ok(present(await changeServer(db, secrets, viewerOf(request), request.body))),
  );

  app.delete(
    "/mcp_server/:id",
    { config, schema: { summary: "Delete an MCP server", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteServer(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  app.get(
    "/mcp_bundle",
    { config, schema: { summary: "List MCP bundles", response: answers(z.array(McpBundleRow)) } },
    async () => ok((await listBundles(db)).map(present)),
  );

  app.post(
    "/mcp_bundle",
    { config, schema: { summary: "Add an MCP bundle", body: McpBundleInput, response: bundle } },
    async (request) => ok(present(await createBundle(db, viewerOf(request), request.body))),
  );

  app.put(
    "/mcp_bundle",
    { config, schema: { summary: "Change an MCP bundle", body: McpBundleChange, response: bundle } },
    async (request) => ok(present(await changeBundle(db, viewerOf(request), request.body))),
  );

  app.delete(
    "/mcp_bundle/:id",
    { config, schema: { summary: "Delete an MCP bundle", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteBundle(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}

/** The bundles that the keys of a user may use. Their addresses and credentials are not part of it. */
export function usableBundleRoutes(app: ConsoleApp, { db }: Services): void {
  const response = answers(z.array(UsableMcpBundle));

  async function bundlesOf({ group }: { group: string }): Promise<UsableMcpBundle[]> {
    const groups = await usableGroups(db, group);
    return listUsableBundles(
      db,
      groups.map(({ symbol }) => symbol),
    );
  }

  app.get(
    "/user/mcp_bundle",
    {
      config: { access: "user" },
      schema: { summary: "List the MCP bundles that your tokens may use", response },
    },
    async (request) => ok(await bundlesOf(viewerOf(request))),
  );

  app.get(
    "/token/admin/mcp_bundle",
    {
      config: { access: "admin", permission: "tokens" },
      schema: {
        summary: "List the MCP bundles that the tokens of a user may use",
        querystring: UsableMcpBundleQuery,
        response,
      },
    },
    async (request) => {
      const owner = await getUser(db, request.query.user_id);
      requireMayRead(viewerOf(request), owner);
      return ok(await bundlesOf(owner));
    },
  );
}
