import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { environmentKeys } from "../src/env.ts";

/** The rules of the house that a linter cannot know. */
const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = readdirSync(join(root, "apps/server/src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("platform/prisma"))
  .map((file) => ({ file, text: readFileSync(join(root, "apps/server/src", file), "utf8") }));

describe("the house", () => {
  it("lists every process setting in .env.example, and nothing else", () => {
    const listed = readFileSync(join(root, ".env.example"), "utf8")
      .split("\n")
      .flatMap((line) => /^#?\s?([A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(listed.sort()).toEqual([...environmentKeys].sort());
  });

  it("writes balances in the ledger only", () => {
    const writes =
      /UPDATE\s+"?(users|tokens)"?[^;]*\b(quota|reserved|remain_quota)\b\s*=|\b(quota|reserved|remain_quota|used_quota):\s*\{\s*(increment|decrement)|reservation\.(create|delete|update)|ledgerEntry\.(create|update|delete)/i;
    const trespassers = sources
      .filter(({ file }) => !file.endsWith(".test.ts") && !file.endsWith(".fixture.ts"))
      .filter(({ file }) => !/^domain\/billing\/(ledger|leases)/.test(file))
      .filter(({ text }) => writes.test(text))
      .map(({ file }) => file);
    expect(trespassers).toEqual([]);
  });

  it("names vendors in providers/ only", () => {
    const rooms = /^(gateway|console|jobs|relay|domain|platform)\//;
    const vendor = /["'`](?:deepseek|groq|moonshot|mistral|openrouter|siliconflow|xai)["'`]/;
    const found = sources
      .filter(({ file }) => rooms.test(file) && !file.endsWith(".test.ts") && !file.includes("seed"))
      .filter(({ text }) => vendor.test(text))
      .map(({ file }) => file);
    expect(found).toEqual([]);
  });

  it("builds no address from a request's host: links come from the settings", () => {
    const readers = sources
      .filter(({ file }) => !file.endsWith(".test.ts"))
      .filter(({ text }) =>
        /request\.(host|hostname)\b|headers\.host\b|headers\["host"\]|x-forwarded-host/.test(text),
      )
      .map(({ file }) => file);
    // It compares a browser's Origin with the host, and builds nothing.
    expect(readers).toEqual(["console/origin.ts"]);
  });

  it("reads the environment in env.ts only, which main.ts alone imports", () => {
    const importers = sources
      .filter(
        ({ file, text }) => !file.endsWith(".test.ts") && /from "\.\/env\.ts"|from "#env\.ts"/.test(text),
      )
      .map(({ file }) => file);
    expect(importers.filter((file) => !["main.ts", "start.ts", "audit.ts"].includes(file))).toEqual([]);
  });
});
