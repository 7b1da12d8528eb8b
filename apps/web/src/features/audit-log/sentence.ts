/** An entry of the audit log as one sentence: who did what to which object. An unknown action keeps the server's name. */
import { lookupTable } from "@gateway/shared/lookup-table";
import type { AuditRow } from "@gateway/shared/usage/audit";
import type { TFunction } from "i18next";
import { joinList } from "#lib/format/join-list.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { changesOf, type ValueChange } from "./diff.ts";
import {
  fieldLabel,
  fieldName,
  fieldValue,
  type SettingNames,
  targetName,
  type ValueFormat,
} from "./field-labels.ts";
import { actorText, targetText } from "./labels.ts";

const phrase = phrasesIn("audit-log");

/** Actions whose target is not an object with a name. */
const wholeSentences = lookupTable<string>({
  "backup.run": phrase("{{who}} started a backup"),
  "call.share": phrase("{{who}} created a link to a call"),
  "call.revoke_share": phrase("{{who}} revoked a link to a call"),
  "export.secrets": phrase("{{who}} exported the data with secrets"),
  "import.run": phrase("{{who}} imported the data of {{id}}"),
  "log.clear": phrase("{{who}} deleted the log before {{id}}"),
  "log.export": phrase("{{who}} exported the log"),
  "model.import": phrase("{{who}} imported descriptions of models"),
  "price.group": phrase("{{who}} changed the prices of several models"),
  "price.sync": phrase("{{who}} updated the price list"),
});

/** Exports of all objects have no id. */
const sentencesOfAll = lookupTable<string>({
  "channel.export": phrase("{{who}} exported the channels"),
  "channel.export_keys": phrase("{{who}} exported the channels with API keys"),
});

/** By the part of the action after the point. */
const sentences = lookupTable<string>({
  create: phrase("{{who}} created {{target}}"),
  change: phrase("{{who}} changed {{target}}"),
  delete: phrase("{{who}} deleted {{target}}"),
  switch: phrase("{{who}} enabled or disabled {{target}}"),
  pay: phrase("{{who}} credited {{target}}"),
  close: phrase("{{who}} closed {{target}}"),
  refund: phrase("{{who}} refunded {{target}}"),
  promote: phrase("{{who}} promoted {{target}}"),
  demote: phrase("{{who}} demoted {{target}}"),
  quota: phrase("{{who}} changed the balance of {{target}}"),
  password: phrase("{{who}} changed the password of {{target}}"),
  register: phrase("{{who}} signed up as {{target}}"),
  setup: phrase("{{who}} set up {{target}}"),
  make: phrase("{{who}} created {{target}}"),
  make_again: phrase("{{who}} regenerated {{target}}"),
  sessions_end: phrase("{{who}} ended the sessions of {{target}}"),
  access_token: phrase("{{who}} created an access token for {{target}}"),
  access_token_revoke: phrase("{{who}} revoked the access token of {{target}}"),
  totp_enable: phrase("{{who}} enabled the second factor of {{target}}"),
  totp_disable: phrase("{{who}} disabled the second factor of {{target}}"),
  totp_recovery: phrase("{{who}} created recovery codes for {{target}}"),
  reset_totp: phrase("{{who}} removed the second factor of {{target}}"),
  enable: phrase("{{who}} enabled {{target}}"),
  disable: phrase("{{who}} disabled {{target}}"),
  "key-enabled": phrase("{{who}} enabled a key of {{target}}"),
  "key-disabled": phrase("{{who}} disabled a key of {{target}}"),
  "key-changed": phrase("{{who}} changed a key of {{target}}"),
  "key-removed": phrase("{{who}} removed a key of {{target}}"),
  export: phrase("{{who}} exported {{target}}"),
  export_keys: phrase("{{who}} exported {{target}} with API keys"),
  bind: phrase("{{who}} linked a sign-in method to {{target}}"),
  unbind: phrase("{{who}} unlinked a sign-in method from {{target}}"),
  budget: phrase("{{who}} changed the budget of {{target}}"),
  own_budget: phrase("{{who}} changed the personal budget of {{target}}"),
  "revoke-derived": phrase("{{who}} revoked a derived key of {{target}}"),
  email: phrase("{{who}} changed the email address of {{target}}"),
  passkey_add: phrase("{{who}} added a passkey to {{target}}"),
  passkey_remove: phrase("{{who}} removed a passkey from {{target}}"),
  password_reset: phrase("{{who}} reset the password of {{target}}"),
  transfer: phrase("{{who}} transferred {{target}}"),
  approve: phrase("{{who}} approved {{target}}"),
  assign: phrase("A group rule changed {{target}}"),
  user_create: phrase("{{who}} created {{target}} through SCIM"),
  user_change: phrase("{{who}} changed {{target}} through SCIM"),
  user_delete: phrase("{{who}} deleted {{target}} through SCIM"),
  group_create: phrase("{{who}} created {{target}} through SCIM"),
  group_change: phrase("{{who}} changed {{target}} through SCIM"),
  group_delete: phrase("{{who}} deleted {{target}} through SCIM"),
  token_create: phrase("{{who}} created a SCIM token for {{target}}"),
  token_revoke: phrase("{{who}} revoked the SCIM token of {{target}}"),
  deny: phrase("{{who}} denied {{target}}"),
});

const unknownAction = phrase("{{who}} made the change {{action}} to {{target}}");

export type SentenceInput = ValueFormat & { settings: SettingNames };

/** Returns "root changed the priority of channel “OpenAI main” from 0 to 10". */
export function entrySentence({ settings, ...values }: SentenceInput, row: AuditRow): string {
  const { t } = values;
  const who = actorText(t, row);
  const target = targetPhrase(t, row, settings);
  const verb = verbOf(row);
  const changes = changesOf(row.before, row.after).filter((change) => !change.same);
  if (verb === "change" && changes.length > 0 && row.before !== null && row.after !== null)
    return changeSentence(t, { who, target, row, changes, show: shownValue(values, row) });
  const ofAll = ["", "0"].includes(row.target_id) ? sentencesOfAll[row.action] : undefined;
  const sentence = wholeSentences[row.action] ?? ofAll ?? sentences[verb];
  return t(sentence ?? unknownAction, { who, target, id: row.target_id, action: row.action });
}

/** Returns whether the action has a sentence of its own. */
export function hasSentence(action: string): boolean {
  return (wholeSentences[action] ?? sentences[action.slice(action.indexOf(".") + 1)]) !== undefined;
}

/** Returns the verb of the action. A switch is named by its result. */
function verbOf({ action, after }: AuditRow): string {
  const verb = action.slice(action.indexOf(".") + 1);
  if (verb !== "switch" || after === null || typeof after !== "object") return verb;
  const { status, enable } = after as { status?: unknown; enable?: unknown };
  if (status === 1 || enable === true) return "enable";
  return typeof status === "number" || enable === false ? "disable" : verb;
}

/** Returns "channel “OpenAI main”", or the type alone without a name and an id. */
function targetPhrase(t: TFunction<"audit-log">, row: AuditRow, settings: SettingNames): string {
  const type = targetText(t, row.target_type);
  const name = targetName(t, row, settings) || row.target_id;
  return name === "" ? t("{{type, inside}}", { type }) : t("{{type, inside}} “{{name}}”", { type, name });
}

type ChangeInput = {
  who: string;
  target: string;
  row: AuditRow;
  changes: ValueChange[];
  show: (path: string, value: unknown) => string;
};

/** Fields that a sentence names before "and 2 more". */
const mostFields = 3;

function changeSentence(t: TFunction<"audit-log">, { who, target, row, changes, show }: ChangeInput): string {
  const fields = [...new Set(changes.map(({ path }) => fieldName(t, row.target_type, path)))];
  const [only] = changes;
  if (only && changes.length === 1) {
    const values = { before: show(only.path, only.before), after: show(only.path, only.after) };
    if (row.target_type === "setting")
      return t("{{who}} changed {{target}} from {{before}} to {{after}}", { who, target, ...values });
    const field = fieldLabel(t, row.target_type, only.path);
    if (typeof only.after === "boolean")
      return only.after
        ? t("{{who}} turned on “{{field}}” for {{target}}", { who, target, field })
        : t("{{who}} turned off “{{field}}” for {{target}}", { who, target, field });
    if (only.path.includes(".") && only.before === undefined)
      return t("{{who}} added {{after}} to the {{field, inside}} of {{target}}", {
        who,
        target,
        field: fields[0],
        ...values,
      });
    if (only.path.includes(".") && only.after === undefined)
      return t("{{who}} removed {{before}} from the {{field, inside}} of {{target}}", {
        who,
        target,
        field: fields[0],
        ...values,
      });
    return t("{{who}} changed the {{field, inside}} of {{target}} from {{before}} to {{after}}", {
      who,
      target,
      field,
      ...values,
    });
  }
  if (row.target_type === "setting") return t("{{who}} changed {{target}}", { who, target });
  const more = fields.length - mostFields;
  const listed = joinList(fields.slice(0, mostFields));
  return more > 0
    ? t("{{who}} changed {{target}}: {{fields}} and {{count}} more", {
        who,
        target,
        fields: listed,
        count: more,
      })
    : t("{{who}} changed {{target}}: {{fields}}", { who, target, fields: listed });
}

const longestValue = 60;

function shownValue(values: ValueFormat, row: AuditRow): (path: string, value: unknown) => string {
  return (path, value) => {
    if (value === undefined || value === null || value === "") return values.t("empty");
    const text = fieldValue(values, row.target_type, path, value);
    return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
  };
}
