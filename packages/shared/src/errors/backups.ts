/** Errors of backups and restores. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with a message per reason. */
export const backupReasons = {
  conflict: {
    backup_running: phrase("A backup is already running. Wait until it has ended."),
    backup_interrupted: phrase(
      "The backup was ended, because a new version is being started and must change the database. The next backup starts at its usual time.",
    ),
    backup_not_ours: phrase("{{file}} is not a backup of this gateway, or its first bytes are damaged."),
    backup_cut: phrase("{{file}} is incomplete or damaged ({{detail}}). Use another backup."),
    backup_changed: phrase(
      "{{file}} is damaged: the content of {{table}} differs from its checksum. Use another backup.",
    ),
    backup_passphrase_needed: phrase(
      "{{file}} is encrypted. Enter its passphrase: BACKUP_PASSPHRASE, or --passphrase-file.",
    ),
    backup_passphrase_wrong: phrase("The passphrase does not open {{file}}."),
    backup_newer: phrase(
      "The backup was made by version {{version}} and has the migration {{migration}}, which this version does not have. Restore it with version {{version}} or a newer one.",
    ),
    backup_nodes_running: phrase(
      "{{nodes}} gateways use the database. Stop all of them, wait 30 seconds, and start again.",
    ),
    backup_database_used: phrase(
      "The database is not empty: it has {{found}}. Restore into an empty database, or confirm with --replace that everything in it is deleted.",
    ),
    backup_locks: phrase(
      "The backup has {{partitions}} days of the log, which need {{needed}} locks at once. Set max_locks_per_transaction of Postgres to at least {{setting}}, restart it, and restore again.",
    ),
    backup_row_refused: phrase(
      "The database rejects the content of {{table}}: {{detail}}. Nothing was changed.",
    ),
    backup_drift: phrase(
      "The restored balances differ from their books by {{drift}} points. Nothing was changed. Use another backup, or restore this one with --accept-drift and correct the balances.",
    ),
    backup_other_secret: phrase(
      "The backup was made with another secret key. Set SECRET_KEY, or the file DATA_DIR/secret-key, to the key of that installation. Nothing was changed.",
    ),
  },
};
