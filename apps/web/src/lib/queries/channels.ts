import type { ChannelPage, ChannelRow } from "@gateway/shared/channels/channel";
import { asPage, asSent, http } from "#lib/http.ts";

/** Key prefix of every query about channels. Mutations invalidate it. */
export const allChannels = ["channels"] as const;

/** The first channels that match. The oldest come first, as their numbers are known best. */
export async function findChannels(keyword: string): Promise<{ id: number; name: string }[]> {
  const { data } = await http.get("/channel", asPage<ChannelPage>(), { keyword, size: 20, order: "id" });
  return data.map(({ id, name }) => ({ id, name: `${id} · ${name}` }));
}

export async function nameOfChannel(id: number): Promise<string> {
  const { name } = await http.get(`/channel/${id}`, asSent<ChannelRow>());
  return `${id} · ${name}`;
}
