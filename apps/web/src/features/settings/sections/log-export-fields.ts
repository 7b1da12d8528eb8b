/** Settings of the export of the request log. Only root can change them. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { s3Fields } from "./storage-fields.ts";

const phrase = phrasesIn("settings");

export const logExportSection: SettingSection = {
  id: "log-export",
  title: phrase("Log export"),
  help: "settings#log-export",
  hint: phrase(
    "Each hour of the request log is written as Parquet files, an hour after it has ended. They contain no requests and responses.",
  ),
  foldedBy: "LogExportEnabled",
  status: "log-export",
  fields: [
    { key: "LogExportEnabled", kind: "switch", label: phrase("Export the request log") },
    {
      key: "LogExportPlace",
      kind: "choice",
      label: phrase("Where the log is exported to"),
      choices: [
        { value: "folder", label: phrase("The folder log-export in DATA_DIR") },
        { value: "s3", label: phrase("S3-compatible storage") },
      ],
    },
    ...s3Fields("LogExport", phrase("The files are in its folder logs.")),
  ],
};
