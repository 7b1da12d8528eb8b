/** The fields of a place for files: where, and the bucket. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingFieldRecord } from "./section.ts";

const phrase = phrasesIn("settings");

/**
 * @param owner begin of the names of the settings
 * @param prefixHint what else is in the folder
 */
export function s3Fields(owner: "Backup" | "LogExport", prefixHint: string): SettingFieldRecord[] {
  const fields: SettingFieldRecord[] = [
    {
      key: `${owner}S3Endpoint`,
      kind: "address",
      label: phrase("S3 endpoint"),
      hint: phrase("Leave it empty for AWS."),
    },
    { key: `${owner}S3Region`, kind: "text", label: phrase("S3 region") },
    { key: `${owner}S3Bucket`, kind: "text", label: phrase("S3 bucket") },
    { key: `${owner}S3Prefix`, kind: "text", label: phrase("Folder in the bucket"), hint: prefixHint },
    { key: `${owner}S3AccessKey`, kind: "text", label: phrase("S3 access key ID") },
    { key: `${owner}S3SecretKey`, kind: "secret", label: phrase("S3 secret access key") },
  ];
  return fields.map((field) => ({ ...field, shownFor: { key: `${owner}Place`, value: "s3" } }));
}
