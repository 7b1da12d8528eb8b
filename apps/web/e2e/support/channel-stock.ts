/** Channels that a browser test starts with, and locators of the list. */
import type { Locator, Page } from "@playwright/test";
import type { Site } from "./test.ts";

export interface Stored {
  id: number;
  name: string;
}

const demo = { type: 900, name: "Demo", models: ["demo-chat", "demo-think"], groups: ["default"] };

/**
 * Creates a channel.
 * @param values fields that differ from a channel of the demo provider
 */
export function addChannel(site: Site, values: object): Promise<Stored> {
  return site.api<Stored>("POST", "/channel", { ...demo, ...values });
}

export async function removeChannels(site: Site): Promise<void> {
  const { data } = await site.api<{ data: Stored[] }>("GET", "/channel?size=100");
  const ids = data.map((row) => row.id);
  if (ids.length > 0) await site.api("DELETE", "/channel/batch", { ids });
}

export function rowOf(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
}
