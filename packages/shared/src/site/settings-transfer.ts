import { z } from "zod";
import { because } from "#errors/issue.ts";

const Value = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Response of GET /api/option/export and body of POST /api/option/import: settings that differ from the
 * defaults, without secrets.
 */
export const SettingsFile = z.object({
  version: z.string().max(50).default(""),
  exported_at: z.string().max(50).default(""),
  values: z
    .record(z.string().min(1).max(64), Value)
    .refine((values) => Object.keys(values).length <= 500, because("settings_file_count")),
});
export type SettingsFile = z.infer<typeof SettingsFile>;

/** POST /api/option/import/preview. */
export const SettingsPreview = z.object({
  changes: z.array(z.object({ key: z.string(), before: Value, after: Value })),
  /** Entries that this version does not import, and why. */
  skipped: z.array(z.object({ key: z.string(), reason: z.enum(["unknown", "secret", "invalid"]) })),
  /** Number of settings that already have the value in the file. */
  same: z.int(),
});
export type SettingsPreview = z.infer<typeof SettingsPreview>;
