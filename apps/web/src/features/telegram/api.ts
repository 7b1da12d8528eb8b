/** The Telegram bot's commands and how it is doing. */
import {
  type TelegramMenuInput,
  TelegramMenuPage,
  type TelegramMenuQuery,
  TelegramMenuRow,
  TelegramStatus,
} from "@gateway/shared/site/telegram";
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { http } from "#lib/http.ts";
import { deletion, inForm } from "#lib/query-client.ts";

const allMenus = ["telegram-menus"] as const;

export const menusQuery = (query: TelegramMenuQuery) =>
  queryOptions({
    queryKey: [...allMenus, query],
    queryFn: () => http.get("/option/telegram", TelegramMenuPage, query),
    placeholderData: keepPreviousData,
  });

/** Telegram itself is asked, so it is not asked at every turn. */
export const botQuery = queryOptions({
  queryKey: ["telegram-bot"],
  queryFn: () => http.get("/option/telegram/status", TelegramStatus),
  staleTime: 30_000,
});

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: allMenus });
}

export function useSaveMenu() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (menu: TelegramMenuInput) => http.post("/option/telegram", TelegramMenuRow, menu),
    meta: inForm,
    onSuccess: refresh,
  });
}

export function useDeleteMenu() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => http.del(`/option/telegram/${id}`, z.null()),
    meta: deletion,
    onSettled: refresh,
  });
}

/** Tells Telegram the commands as they are now; answers how the bot is doing then. */
export function useReloadBot() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => http.put("/option/telegram/reload", TelegramStatus),
    onSuccess: (status) => client.setQueryData(botQuery.queryKey, status),
  });
}

/** For an address that names a command which the list does not show. */
export const fetchMenu = (id: string) =>
  http.get(`/option/telegram/${encodeURIComponent(id)}`, TelegramMenuRow);
