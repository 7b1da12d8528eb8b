import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "#test/property-runs.ts";
import { databaseUrl, describeDatabase, waitForDatabase } from "./database-address.ts";

describe("databaseUrl", () => {
  test("databaseUrl: keeps any characters of a password in the connection string", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: anyCharacter }), (password) => {
        const url = new URL(databaseUrl("postgres://gateway@postgres:5432/gateway", password));
        expect([url.host, decodeURIComponent(url.password)]).toEqual(["postgres:5432", password]);
      }),
    );
    const url = databaseUrl("postgres://gateway@postgres:5432/gateway", "p@ss/w:rd#1");
    expect(url).toBe("postgres://gateway:p%40ss%2Fw%3Ard%231@postgres:5432/gateway");
  });

  test("databaseUrl: keeps the password that the URL contains", () => {
    expect(databaseUrl("postgres://a:own@host/db", "other")).toBe("postgres://a:own@host/db");
  });

  test.each([
    "postgres://gateway:p@ss/w:rd#1@postgres:5432/gateway",
    "postgres://gateway:a#b@postgres/gateway",
    "postgres://gateway:a b@:x/gateway",
  ])("databaseUrl: rejects %s and explains how to write it", (url) => {
    expect(() => databaseUrl(url, undefined)).toThrow(/Percent-encode .* DATABASE_PASSWORD/);
  });
});

describe("waitForDatabase", () => {
  const onWait = () => undefined;

  test("waitForDatabase: names host, port and user and never the password", async () => {
    const refused = waitForDatabase("postgres://me:hush%40@127.0.0.1:1/mine", { patienceMs: 0, onWait });
    const { message } = await refused.then(
      () => new Error("connected"),
      (error: Error) => error,
    );
    expect(message).toMatch(/127\.0\.0\.1:1 \(user "me", database "mine"\): nothing listens there\. Check/);
    expect(message).not.toContain("hush");
  });

  test("waitForDatabase: reports an unknown host name", async () => {
    await expect(
      waitForDatabase("postgres://me@no-such-host.invalid/db", { patienceMs: 0, onWait }),
    ).rejects.toThrow(/no-such-host\.invalid:5432 .* host name is unknown/);
  });

  test("describeDatabase: contains no password", () => {
    expect(describeDatabase("postgres://u:secret@h:6543/d")).toBe('h:6543 (user "u", database "d")');
  });
});
