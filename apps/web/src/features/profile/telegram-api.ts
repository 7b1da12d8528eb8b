/** The user's Telegram account. */
import type { TelegramCode, TelegramLink } from "@gateway/shared/site/telegram";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";

const ownLink = ["own-telegram"] as const;

/** @param waiting whether a code is displayed: the query then polls until the user has sent it */
export const telegramLinkQuery = (waiting: boolean) =>
  queryOptions({
    queryKey: ownLink,
    queryFn: () => http.get("/user/self/telegram", asSent<TelegramLink>()),
    refetchInterval: waiting ? 3_000 : false,
  });

/** Creates a new code on each call, so that the displayed code is valid. */
export const newTelegramCode = (password: string) =>
  http.post("/user/self/telegram", asSent<TelegramCode>(), { password });

export function useUnlinkTelegram() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.del("/user/self/telegram", asSent<null>()),
    onSettled: () => client.invalidateQueries({ queryKey: ownLink }),
  });
}
