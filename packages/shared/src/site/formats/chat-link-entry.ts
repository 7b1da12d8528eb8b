import { z } from "zod";
import { because } from "#errors/issue.ts";
import { isOpenable } from "#site/link-scheme.ts";

/** A chat client that opens with an API key. `{key}` and `{server}` in its address are replaced. */
export const ChatLinkEntry = z.object({
  name: z.string().trim().min(1, because("name_required")).max(64),
  url: z
    .string()
    .trim()
    .max(1000)
    // Clients use custom URL schemes. Schemes that run code in the console are rejected.
    .refine(isOpenable, because("link_scheme")),
  show: z.boolean().default(false),
  /** Highest first. */
  sort: z.coerce.number<unknown>().int().min(0).max(100_000).catch(0).default(0),
});
export type ChatLinkEntry = z.infer<typeof ChatLinkEntry>;
