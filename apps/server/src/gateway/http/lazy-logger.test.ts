import { pino } from "pino";
import { expect, it } from "vitest";
import { LazyLogger } from "./lazy-logger.ts";

it("creates its child with the first line, which has the request's fields", () => {
  const lines: Record<string, unknown>[] = [];
  let children = 0;
  const options = { level: "debug", onChild: () => (children += 1) };
  const parent = pino(options, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const log = new LazyLogger(parent, { reqId: "r1" }, {});
  expect([log.level, children]).toEqual(["debug", 0]);
  log.error({ code: "internal" }, "call failed");
  log.trace("below the level");
  log.child({ part: "reply" }).info("an answer");
  expect(lines).toMatchObject([
    { level: 50, reqId: "r1", code: "internal", msg: "call failed" },
    { level: 30, reqId: "r1", part: "reply", msg: "an answer" },
  ]);
});
