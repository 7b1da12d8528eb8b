/** The own Telegram account. */
import { TelegramCode, TelegramLink } from "@gateway/shared/site/telegram";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";

const ownLink = ["own-telegram"] as const;

/** @param waiting the code is out: whether it was sent is only known by asking */
export const telegramLinkQuery = (waiting: boolean) =>
  queryOptions({
    queryKey: ownLink,
    queryFn: () => http.get("/user/self/telegram", TelegramLink),
    refetchInterval: waiting ? 3_000 : false,
  });

/** Each time there is a new one, so that what is shown works. */
export const newTelegramCode = (password: string) =>
  http.post("/user/self/telegram", TelegramCode, { password });

export function useUnlinkTelegram() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.del("/user/self/telegram", z.null()),
    onSettled: () => client.invalidateQueries({ queryKey: ownLink }),
  });
}
