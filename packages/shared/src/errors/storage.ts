/** Errors of folders and buckets that backups and exports are written to. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with a message per reason. */
export const storageReasons = {
  conflict: {
    object_storage_full: phrase(
      "{{place}} has no free space. Delete what is not needed, or use another place.",
    ),
    object_storage_denied: phrase("{{place}} refuses access ({{detail}}). Check the rights and the keys."),
    object_storage_failed: phrase("{{place}} cannot be used: {{detail}}"),
    object_too_large: phrase("The file is larger than {{gigabytes}} GB, the most that {{place}} can store."),
    log_export_running: phrase("The log is already being exported. Wait until the export has ended."),
    log_export_off: phrase("The log export is off. Enable it in the settings."),
  },
  not_found: {
    object_missing: phrase("There is no file {{file}} in {{place}}."),
  },
};
