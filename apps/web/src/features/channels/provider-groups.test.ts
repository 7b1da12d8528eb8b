import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { expect, it } from "vitest";
import { groupProviders } from "./provider-groups.ts";

it("a provider without a group is listed among the others, and empty groups are left out", () => {
  const providers = [{ id: "old" }, { id: "suno", group: "media" }, { id: "openai", group: "most-used" }];
  const listed = groupProviders(providers as unknown as ProviderInfo[]);
  expect(listed.map(([title, members]) => [title, members.map(({ id }) => id)])).toEqual([
    ["Most used", ["openai"]],
    ["More providers", ["old"]],
    ["Images, video and music", ["suno"]],
  ]);
});
