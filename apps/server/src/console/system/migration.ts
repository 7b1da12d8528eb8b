import { Nothing } from "@gateway/shared/envelope";
import {
  ImportDetail,
  ImportFileQuery,
  ImportProduct,
  ImportRow,
  ImportRun,
  ImportStart,
} from "@gateway/shared/site/migration";
import { setupTokenHeader } from "@gateway/shared/site/setup-token";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { checkSetupToken } from "#domain/accounts/setup.ts";
import { conflict } from "#errors.ts";
import { requireNetworkAddress, requirePostgres } from "#migration/addresses.ts";
import { products } from "#migration/products/index.ts";
import { endRun, findRun, presentRun } from "#migration/runs.ts";
import { getReport, listReports } from "#migration/stored-reports.ts";
import { piecesInTime, SLOWEST_FORM } from "#platform/body/sender-pace.ts";
import { withoutTimeLimit } from "#platform/body/time-limit.ts";

/** Attempts of one address within ten minutes to connect this server to a database. */
const CONNECT_LIMIT = { max: 60, timeWindow: 600_000 };
/** Bytes of a price file and a config.yaml: New API's list of a thousand models has 400 kB. */
const PRICES_LIMIT = 8 * 1024 * 1024;

/**
 * Routes of the wizard that imports another gateway, and of the reports. The wizard may connect to databases in
 * the operator's network, so it needs the set-up link: it works until the installation has an administrator.
 */
export function migrationRoutes(app: ConsoleApp, { db, secrets, imports }: Services): void {
  const guest = { access: "anyone" } as const;
  const connecting = { ...guest, rateLimit: CONNECT_LIMIT } as const;
  const root = { access: "root" } as const;
  const one = { response: answers(ImportRun) };
  const tokenOf = (request: FastifyRequest) => String(request.headers[setupTokenHeader] ?? "").slice(0, 128);
  const find = async (request: FastifyRequest, id: number) => findRun(db, secrets, id, tokenOf(request));

  app.get(
    "/migration/products",
    {
      config: guest,
      schema: {
        summary: "List the gateways that can be imported",
        response: answers(z.array(ImportProduct)),
      },
    },
    async () =>
      ok(
        products.map(({ id, title, onlyPostgres }) => ({ id, title, only_postgres: onlyPostgres === true })),
      ),
  );

  app.post(
    "/migration/run",
    {
      config: connecting,
      bodyLimit: PRICES_LIMIT,
      schema: { summary: "Start a dry run or an import, with the set-up link", body: ImportStart, ...one },
    },
    async (request) => {
      const token = tokenOf(request);
      await checkSetupToken(db, secrets, token);
      if (request.body.address !== "") requireNetworkAddress(request.body.address);
      if (products.some(({ id, onlyPostgres }) => id === request.body.product && onlyPostgres === true))
        requirePostgres(request.body.address);
      const id = await imports.start(request.body, token);
      return ok(presentRun(await find(request, id)));
    },
  );

  app.get(
    "/migration/run/:id",
    {
      config: guest,
      schema: {
        summary: "Get a dry run or an import that your set-up link started",
        params: IdParams,
        ...one,
      },
    },
    async (request) => ok(presentRun(await find(request, request.params.id))),
  );

  app.post(
    "/migration/run/:id/cancel",
    { config: guest, schema: { summary: "Cancel an import", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await endRun(db, (await find(request, request.params.id)).id, "cancelled");
      return ok(null);
    },
  );

  void app.register(async (scope) => {
    // The file goes to the disk while it arrives.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    (scope as ConsoleApp).put(
      "/migration/run/:id/file",
      {
        config: connecting,
        schema: {
          summary: "Send the SQLite file of an import that waits for it",
          consumes: ["application/octet-stream"],
          params: IdParams,
          querystring: ImportFileQuery,
          ...one,
        },
      },
      async (request) => {
        await checkSetupToken(db, secrets, tokenOf(request));
        const run = await find(request, request.params.id);
        if (run.status !== "waiting") throw conflict({ reason: "import_file_present" });
        // Only the owner of the set-up link sends files.
        const body = withoutTimeLimit(app.server, piecesInTime(request.raw, SLOWEST_FORM));
        await imports.receive({ ...run, prices: run.prices }, request.query.name, body);
        return ok(presentRun(await find(request, run.id)));
      },
    );
  });

  app.get(
    "/migration/report",
    { config: root, schema: { summary: "List imports", response: answers(z.array(ImportRow)) } },
    async () => ok(await listReports(db)),
  );

  app.get(
    "/migration/report/:id",
    {
      config: root,
      schema: { summary: "Get the report of an import", params: IdParams, response: answers(ImportDetail) },
    },
    async (request) => ok(await getReport(db, request.params.id)),
  );
}
