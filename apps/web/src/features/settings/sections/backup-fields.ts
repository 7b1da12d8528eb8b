/** Settings of scheduled backups. Only root can change them. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";
import { s3Fields } from "./storage-fields.ts";
import { units } from "./units.ts";

const phrase = phrasesIn("settings");

export const backupSection: SettingSection = {
  id: "backups",
  title: phrase("Backups"),
  help: "settings#backups",
  hint: phrase(
    "Each backup is read back and checked. A failed one is reported to administrators. Keep the secret key yourself: backups do not contain it.",
  ),
  foldedBy: "BackupEnabled",
  status: "backups",
  fields: [
    { key: "BackupEnabled", kind: "switch", label: phrase("Back up the database") },
    {
      key: "BackupHours",
      kind: "number",
      unit: units.hours,
      label: phrase("Back up every"),
      hint: phrase("Default: 24."),
    },
    {
      key: "BackupPassphrase",
      kind: "secret",
      label: phrase("Passphrase"),
      hint: phrase("Encrypts the backups. Without it, a backup cannot be restored. Empty = not encrypted."),
    },
    {
      key: "BackupKeepLast",
      kind: "number",
      label: phrase("Backups to keep"),
      hint: phrase("The newest ones are kept. Default: 7."),
    },
    {
      key: "BackupKeepDays",
      kind: "number",
      unit: units.days,
      label: phrase("Also keep backups of the last"),
      hint: phrase("Younger backups are not deleted. Default: 0 = off."),
    },
    {
      key: "BackupPlace",
      kind: "choice",
      label: phrase("Where backups are stored"),
      choices: [
        { value: "folder", label: phrase("The folder backups in DATA_DIR") },
        { value: "s3", label: phrase("S3-compatible storage") },
      ],
    },
    ...s3Fields("Backup", phrase("Use one folder per installation: old backups in it are deleted.")),
  ],
};
