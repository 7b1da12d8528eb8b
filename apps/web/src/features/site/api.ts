import type { UserGroupMap } from "@gateway/shared/channels/group";
import type { ModelsHealth } from "@gateway/shared/models/model-health";
import { queryOptions } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { phrase } from "#lib/i18n.ts";

export const homeContentQuery = queryOptions({
  queryKey: ["home-content"],
  queryFn: () => http.get("/home_page_content", asSent<string>()),
  staleTime: 5 * 60_000,
  meta: { failed: phrase("Failed to load home content") },
});

export const aboutQuery = queryOptions({
  queryKey: ["about"],
  queryFn: () => http.get("/about", asSent<string>()),
  staleTime: 5 * 60_000,
  meta: { failed: phrase("Failed to load about content") },
});

/** The groups that the visitor can use, by symbol. */
export const groupMapQuery = queryOptions({
  queryKey: ["group", "map"],
  queryFn: () => http.get("/user_group_map", asSent<UserGroupMap>()),
  staleTime: 60_000,
});

/** Health of the models that the visitor can use. The server computes it every few seconds. */
export const modelsHealthQuery = queryOptions({
  queryKey: ["model-health"],
  queryFn: () => http.get("/model_health", asSent<ModelsHealth>()),
  staleTime: 30_000,
  meta: { quiet: true },
});
