import pg from "pg";
import { describe, expect, it } from "vitest";
import { toGatewayError } from "./to-gateway-error.ts";

describe("nameError while the database is unavailable", () => {
  const pool = new pg.Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1_000 });

  it("asks the client to retry, whatever needed the database", async () => {
    const error: unknown = await pool.query("SELECT 1").catch((cause: unknown) => cause);
    expect(toGatewayError(error)).toMatchObject({ code: "unavailable", status: 503, retryAfter: 1 });
  });
});

describe("toGatewayError for a defect of the gateway", () => {
  it("returns an internal error without details", () => {
    const named = toGatewayError(new Error("relation users does not exist"));
    expect(named).toMatchObject({ code: "internal", status: 500 });
    expect(named.message).not.toContain("users");
  });
});
