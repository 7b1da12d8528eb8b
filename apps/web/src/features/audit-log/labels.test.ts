import type { TFunction } from "i18next";
import { expect, it } from "vitest";
import { actorText } from "./labels.ts";

const t = ((text: string) => `[${text}]`) as TFunction;

it("translates the gateway's own name, but not the name of a person who is called the same", () => {
  expect(actorText(t, { user_id: null, username: "system" })).toBe("[system]");
  expect(actorText(t, { user_id: null, username: "" })).toBe("[system]");
  expect(actorText(t, { user_id: 7, username: "system" })).toBe("system");
  expect(actorText(t, { user_id: null, username: "departed" })).toBe("departed");
});
