import { expect, it } from "vitest";
import { createAffinity } from "./affinity.ts";

it("keeps the target of a session and forgets all sessions when affinity is off", () => {
  let minutes = 1;
  const affinity = createAffinity({ redis: undefined, minutes: () => minutes });
  affinity.keep("a", { channel: 1, key: 2 });
  expect(affinity.find("a")).toMatchObject({ channel: 1, key: 2 });
  expect(affinity.find("b")).toBeUndefined();
  affinity.keep("a", { channel: 3, key: undefined });
  expect(affinity.find("a")).toMatchObject({ channel: 3, key: undefined });
  minutes = 0;
  expect(affinity.find("a")).toBeUndefined();
});

it("keeps only the newest 50,000 sessions", () => {
  const affinity = createAffinity({ redis: undefined, minutes: () => 60 });
  for (let session = 0; session < 50_010; session += 1) affinity.keep(`s${session}`, { channel: 1, key: 1 });
  expect(affinity.find("s5")).toBeUndefined();
  expect(affinity.find("s10")).toBeDefined();
});
