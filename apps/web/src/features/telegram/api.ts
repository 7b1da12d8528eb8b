/** The Telegram bot's commands and status. */
import type {
  TelegramMenuInput,
  TelegramMenuPage,
  TelegramMenuQuery,
  TelegramMenuRow,
  TelegramStatus,
} from "@gateway/shared/site/telegram";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asPage, asSent, http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const allMenus = ["telegram-menus"] as const;

export const menusQuery = (query: TelegramMenuQuery) =>
  queryOptions({
    queryKey: [...allMenus, query],
    queryFn: () => http.get("/option/telegram", asPage<TelegramMenuPage>(), query),
    placeholderData: keepPreviousData,
  });

/** The server requests the status from Telegram, so it is not refetched on every visit. */
export const botQuery = queryOptions({
  queryKey: ["telegram-bot"],
  queryFn: () => http.get("/option/telegram/status", asSent<TelegramStatus>()),
  staleTime: 30_000,
});

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: allMenus });
}

export function useSaveMenu() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (menu: TelegramMenuInput) => http.post("/option/telegram", asSent<TelegramMenuRow>(), menu),
    meta: inForm,
    onSuccess: refresh,
  });
}

export function useDeleteMenu() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => http.del(`/option/telegram/${id}`, asSent<null>()),
    meta: deletion,
    onSettled: refresh,
  });
}

/** Sends the current commands to Telegram. Returns the bot's status. */
export function useReloadBot() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.put("/option/telegram/reload", asSent<TelegramStatus>()),
    onSuccess: (status) => client.setQueryData(botQuery.queryKey, status),
  });
}

/** Fetches a command that is named in the address but not in the list. */
export const fetchMenu = (id: string) =>
  http.get(`/option/telegram/${encodeURIComponent(id)}`, asSent<TelegramMenuRow>());
