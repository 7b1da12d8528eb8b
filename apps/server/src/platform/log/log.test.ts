import { expect, test } from "vitest";
import { createLogRing, openLog } from "./log.ts";

test("log ring: keeps the latest 500 lines in order", () => {
  const ring = createLogRing();
  const log = openLog({ NODE_ENV: "test", LOG_LEVEL: "info" }, ring);
  for (let line = 0; line < 620; line += 1) ring.keep(`{"time":${line},"level":30,"msg":"line ${line}"}`);
  expect(ring.last(10_000)).toHaveLength(500);
  expect(ring.last(2).map(({ message }) => message)).toEqual(["line 618", "line 619"]);
  log.error({ err: new Error("no disk") }, "upload failed");
  expect(ring.last(1)).toMatchObject([{ level: "error", message: "upload failed: no disk" }]);
});
