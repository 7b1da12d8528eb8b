/** Words for checks, their states and their groups, and the screens where their findings are corrected. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { DiagnosisFinding } from "@gateway/shared/site/diagnosis";
import { diagnosisTemplates } from "@gateway/shared/site/diagnosis-texts";
import type { TFunction } from "i18next";
import { codeText, withSeparators } from "#lib/errors/error-text.ts";
import { phrasesIn } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("diagnostics");

export const groupLabels: Record<DiagnosisFinding["group"], string> = {
  server: phrase("Server"),
  database: phrase("Database"),
  network: phrase("Network"),
  providers: phrase("Providers"),
  mail: phrase("Outgoing email"),
};

export const states: Record<DiagnosisFinding["state"], { label: string; tone: Tone }> = {
  ok: { label: phrase("OK"), tone: "good" },
  warning: { label: phrase("Warning"), tone: "warn" },
  problem: { label: phrase("Problem"), tone: "bad" },
};

const setting = (key: string) => `/panel/setting?q=${key}`;

/** A link for findings of these codes. */
const links = lookupTable<string>({
  time_zone: setting("TimeZone"),
  disk_low: setting("LogRetentionDays"),
  address_unset: setting("ServerAddress"),
  host_unknown: setting("ServerAddress"),
  address_elsewhere: setting("ServerAddress"),
  address_not_encrypted: setting("ServerAddress"),
  callback_missing: setting("ServerAddress"),
  payment_address_missing: setting("ServerAddress"),
  payment_address_other: "/panel/payment",
  prices_missing: "/panel/pricing",
  keys_disabled: "/panel/channel",
  keys_unreadable: "/panel/channel",
  channels_disabled: "/panel/channel",
  backups_off: setting("Backup"),
  backup_missing: setting("Backup"),
  backup_old: setting("Backup"),
  backup_failed: setting("Backup"),
  log_export_missing: setting("LogExport"),
  log_export_late: setting("LogExport"),
  log_export_failed: setting("LogExport"),
  mail_unset: setting("SMTP"),
  mail_refused: setting("SMTP"),
});

export function linkOf({ code }: Pick<DiagnosisFinding, "code">): string | undefined {
  return links[code];
}

/** Returns the texts of a finding; those of another server version stay in English. */
export function findingTexts(
  t: TFunction<"diagnostics">,
  finding: DiagnosisFinding,
): { text: string; fix: string } {
  const { code, params, cause } = finding;
  const templates = diagnosisTemplates(code);
  if (templates === undefined) return finding;
  const reason = cause === null ? undefined : codeText(t, cause.code, cause.params);
  const values = { ...withSeparators(params), ...(reason === undefined ? {} : { reason }) };
  return {
    text: t(templates.text, values),
    fix: templates.fix === undefined ? "" : t(templates.fix, values),
  };
}
