/** Checks a priority or weight that was typed into a list. Loads the schemas then: the list itself does without. */
import type { ChannelPatch } from "@gateway/shared/channels/channel";
import type { TFunction } from "i18next";

export async function rankProblem(t: TFunction<"channels">, rank: ChannelPatch): Promise<string | null> {
  const [{ problemIn }, schemas] = await Promise.all([
    import("#ui/form/problem.ts"),
    import("@gateway/shared/channels/channel"),
  ]);
  return problemIn(t, schemas.ChannelPatch, rank) ?? null;
}
