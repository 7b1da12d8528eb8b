/** Words for checks, their states and their groups, and the screens where their findings are corrected. */
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
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

type FindingLink = { to: string; label: string };

const settingsOf = (search: string): FindingLink => ({
  to: `/panel/setting?${search}`,
  label: phrase("Open settings"),
});
const serverAddress = settingsOf("q=ServerAddress");
const channels: FindingLink = { to: "/panel/channel", label: phrase("Open channels") };
const disabledChannels: FindingLink = {
  ...channels,
  to: `/panel/channel?status=${ChannelStatus.autoDisabled}`,
};
const backups = settingsOf("section=backups");
const logExport = settingsOf("section=log-export");
const mail = settingsOf("section=mail");

/** A link for findings of these codes. */
const links = lookupTable<FindingLink>({
  time_zone: settingsOf("q=TimeZone"),
  disk_low: settingsOf("q=LogRetentionDays"),
  address_unset: serverAddress,
  host_unknown: serverAddress,
  address_elsewhere: serverAddress,
  address_not_encrypted: serverAddress,
  callback_missing: serverAddress,
  payment_address_missing: serverAddress,
  payment_address_other: { to: "/panel/payment?tab=gateways", label: phrase("Open payment gateways") },
  prices_missing: { to: "/panel/pricing", label: phrase("Open prices") },
  keys_disabled: channels,
  keys_unreadable: channels,
  channels_disabled: disabledChannels,
  backups_off: backups,
  backup_missing: backups,
  backup_old: backups,
  backup_failed: backups,
  log_export_missing: logExport,
  log_export_late: logExport,
  log_export_failed: logExport,
  mail_unset: mail,
  mail_refused: mail,
});

export function linkOf({ code }: Pick<DiagnosisFinding, "code">): FindingLink | undefined {
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
