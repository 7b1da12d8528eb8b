import { ChatLinkEntry } from "@gateway/shared/site/formats/chat-link-entry";
import type { TFunction } from "i18next";
import { problemIn } from "#ui/form/problem.ts";

/** Returns the error of a chat client's field. Loaded with the first row, because of the schema. */
export const chatLinkProblem = (
  t: TFunction<"settings">,
  key: "name" | "url",
  value: string,
): string | undefined => problemIn(t, ChatLinkEntry.shape[key], value);
