/** The structure of a section of the settings screen. */
import type { NoticeChannelId } from "@gateway/shared/site/notice";
import type { SettingKey } from "@gateway/shared/site/settings";
import type { UnitText } from "./units.ts";

export type FieldKind =
  | "text"
  | "address"
  | "secret"
  | "switch"
  | "number"
  /** A number with decimals. */
  | "decimal"
  /** Stored in milliseconds, shown in seconds. */
  | "milliseconds"
  | "points"
  | "language"
  /** Text, with `known` values as suggestions. */
  | "suggested"
  /** One of `choices`. */
  | "choice"
  | "logo"
  | "color"
  /** The events of a notice channel. */
  | "events"
  /** The parts of the home page. */
  | "home-blocks"
  | "content"
  /** One per line. */
  | "phrases"
  /** JSON as typed. */
  | "json"
  | "discounts"
  | "chat-links";

export type SettingFieldRecord = {
  key: SettingKey;
  kind: FieldKind;
  /** English; translated when displayed. */
  label: string;
  hint?: string;
  /** Shown after the number. */
  unit?: UnitText;
  choices?: { value: string; label: string }[];
  /** It is shown only while the other setting has this value. */
  shownFor?: { key: SettingKey; value: string };
  /** Values to choose from besides typing, each with the values that it sets in other fields. */
  known?: Record<string, FieldValues>;
  /** What a begun value may become. The first one is taken with Enter. */
  completions?: (typed: string) => string[];
  /** Values of other fields that follow from this one. They are filled in unless someone has set them. */
  fills?: (value: string) => FieldValues | undefined;
};

export type FieldValues = Partial<Record<SettingKey, string | number | boolean>>;

/** `needs`: without this setting there is nothing to test. */
export type TestAction = { needs: SettingKey } & (
  | { kind: "mail" }
  | { kind: "search" }
  | { kind: "notice"; channel: NoticeChannelId }
);

export type SettingSection = {
  id: string;
  title: string;
  /** The page of Help about it. */
  help: string;
  hint?: string;
  /** Path that the provider redirects back to, below the server's address. */
  callback?: string;
  /** While this switch is off, the other fields are collapsed. */
  foldedBy?: SettingKey;
  /** Tests the saved values. */
  test?: TestAction;
  /** Shows what the server does with the saved values, while `foldedBy` is on. */
  status?: "backups" | "log-export" | "releases";
  /** Shows the unsaved values as they will look. */
  preview?: "brand";
  fields: SettingFieldRecord[];
};
export type SettingGroup = {
  id: "operation" | "system" | "notices" | "other";
  title: string;
  sections: SettingSection[];
};
