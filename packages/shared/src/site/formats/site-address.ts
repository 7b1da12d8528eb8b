import { z } from "zod";
import { because } from "#errors/issue.ts";

/**
 * "", or the address of a site: scheme, host, port and path. Credentials, query, fragment and form separators
 * are rejected, because payment gateways sign addresses without encoding them.
 */
export const SiteAddress = z
  .string()
  .trim()
  .max(300)
  .regex(
    /^(https?:\/\/([\p{L}\p{N}._-]+|\[[\da-f:.]+\])(:\d{1,5})?(\/[\w.~/-]*)?)?$/iu,
    because("site_address"),
  )
  .refine((text) => text === "" || z.url().safeParse(text).success, because("http_address"));
