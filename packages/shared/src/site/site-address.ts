import { z } from "zod";
import { because } from "#errors/issue.ts";

/**
 * "", or the address of a site: scheme, host, port and path. No sign-in data, query or fragment, and no character that
 * separates the fields of a form, because payment gateways sign addresses without encoding them.
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
