import type { TokenRow } from "@gateway/shared/accounts/token";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { during } from "#test/overlap.ts";

let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

it("a request that loses its connection to the database is answered with 503, and its cause is reported", async () => {
  const reported: unknown[] = [];
  site.services.onError = (error) => reported.push(error);
  const user = await site.as(await site.makeUser());
  const { id } = (await user.send<TokenRow>("POST", "/api/token", { name: "t" })).body.data;
  const answer = await during(
    site.database,
    ["SELECT FROM tokens WHERE id = $1 FOR UPDATE", id],
    (client) =>
      client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      ),
    () => user.send("DELETE", `/api/token/${id}`),
  );
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({ code: "unavailable", message: expect.stringContaining("database") });
  expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining("terminating") })]);
});
