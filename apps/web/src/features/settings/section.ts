/** What a section of the settings screen is made of. */
import type { NoticeChannelId } from "@gateway/shared/site/notice";
import type { SettingKey } from "@gateway/shared/site/settings";
import type { Unit } from "./units.ts";

export type FieldKind =
  | "text"
  | "address"
  | "secret"
  | "switch"
  | "number"
  /** A number with a fraction. */
  | "decimal"
  /** Stored in milliseconds, shown in seconds. */
  | "milliseconds"
  | "points"
  | "language"
  /** One of `choices`. */
  | "choice"
  | "logo"
  /** Which notices go this way. */
  | "events"
  | "content"
  /** One per line. */
  | "phrases"
  /** JSON as it is written. */
  | "json"
  | "chat-links";

export type Field = {
  key: SettingKey;
  kind: FieldKind;
  /** English; translated where it is shown. */
  label: string;
  hint?: string;
  /** Behind the number. */
  unit?: Unit;
  choices?: { value: string; label: string }[];
};

export type TestAction = { kind: "mail" } | { kind: "notice"; channel: NoticeChannelId };

export type SettingSection = {
  id: string;
  title: string;
  hint?: string;
  /** Where the other side sends people back to, under the server's address. */
  callback?: string;
  /** While this switch is off, the rest stays out of the way. */
  foldedBy?: SettingKey;
  /** Tries out what is saved. */
  test?: TestAction;
  fields: Field[];
};
export type SettingGroup = {
  id: "operation" | "system" | "notices" | "other";
  title: string;
  sections: SettingSection[];
};
