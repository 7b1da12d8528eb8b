import { describe, expect, it } from "vitest";
import { invalidRequest } from "#errors.ts";
import { ImportRefusal } from "./refusal.ts";
import { failureOf } from "./run-failure.ts";

describe("the failure of an import in the console", () => {
  const file = "/srv/gateway/data/imports/7.db";
  const messageOf = (error: unknown) => JSON.stringify(failureOf(error, () => {}));

  it.each([
    [
      "a refusal",
      new ImportRefusal(`${file} does not exist.`, {
        facts: { reason: "source_unreadable", origin: file, detail: "x" },
      }),
    ],
    [
      "an error of the file system",
      Object.assign(new Error(`ENOENT: no such file or directory, open '${file}'`), { code: "ENOENT" }),
    ],
    ["an error of the database", new Error(`could not open file "${file}": Permission denied`)],
    ["an error of the gateway", invalidRequest({ reason: "model_list_unreadable" })],
  ])("contains no folder of this server: %s", (_, error) => {
    expect(messageOf(error)).not.toMatch(/srv|imports/);
  });

  it("keeps the name of the file, and addresses", () => {
    expect(messageOf(new Error(`cannot open ${file}`))).toContain("cannot open 7.db");
    const address = "postgres://admin@db.example:5432/old/one";
    expect(messageOf(new Error(`cannot reach ${address}`))).toContain(address);
  });
});
