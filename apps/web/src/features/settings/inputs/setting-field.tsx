/** A setting: label, input and reset to the default. */
import { trimEndOf } from "@gateway/shared/trim-end";
import {
  ActionIcon,
  Autocomplete,
  Button,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  Textarea,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import type { KeyboardEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { defaultOf, type DraftValue, type SettingValue } from "#features/settings/drafts.ts";
import { SearchText } from "#features/settings/search-text.tsx";
import type { SettingFieldRecord } from "#features/settings/sections/section.ts";
import { units } from "#features/settings/sections/units.ts";
import { useFormat } from "#lib/format/quota.ts";
import { languages } from "#lib/i18n.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { ColorField } from "./color-field.tsx";
import { JsonSetting } from "./json-setting.tsx";
import classes from "#features/settings/settings.module.css";

// Each is in one or two sections only.
const ChatLinksField = lazyPart(async () => (await import("./chat-links-field.tsx")).ChatLinksField);
const DiscountsField = lazyPart(async () => (await import("./discounts-field.tsx")).DiscountsField);
const HomeBlocksField = lazyPart(async () => (await import("./home-blocks-field.tsx")).HomeBlocksField);
const ContentField = lazyPart(async () => (await import("./content-field.tsx")).ContentField);
const LogoField = lazyPart(async () => (await import("./logo-field.tsx")).LogoField);
const EventsField = lazyPart(async () => (await import("./events-field.tsx")).EventsField);

type SettingFieldProps = {
  field: SettingFieldRecord;
  value: SettingValue;
  dirty: boolean;
  secretSet: boolean;
  error: string | undefined;
  onChange: (value: DraftValue) => void;
};

export function SettingField(props: SettingFieldProps) {
  const { field, value, dirty, secretSet, onChange } = props;
  const { t } = useTranslation("settings");
  const initial = defaultOf(field.key);
  const wide = [
    "switch",
    "content",
    "json",
    "discounts",
    "phrases",
    "chat-links",
    "logo",
    "events",
    "home-blocks",
  ].includes(field.kind);
  const changed = field.kind === "secret" ? secretSet || dirty : value !== initial;
  const back: { label: string; to: DraftValue } =
    field.kind !== "secret"
      ? { label: t("Reset to default: {{value}}", { value: textOfValue(initial, field, t) }), to: initial }
      : dirty
        ? { label: t("Discard"), to: "" }
        : { label: t("Remove"), to: null };
  return (
    <div
      className={classes.field}
      data-kind={field.kind}
      data-setting={field.key}
      data-wide={wide || undefined}
      data-dirty={dirty || undefined}
    >
      {changed ? (
        <Tooltip label={back.label} multiline maw={320}>
          <ActionIcon
            className={classes.back ?? ""}
            size={22}
            aria-label={`${t(field.label)}: ${back.label}`}
            onClick={() => onChange(back.to)}
          >
            <IconArrowBackUp size={14} />
          </ActionIcon>
        </Tooltip>
      ) : null}
      <Input {...props} />
    </div>
  );
}

function textOfValue(value: SettingValue, field: SettingFieldRecord, t: (key: string) => string): string {
  if (value === "") return t("empty");
  if (typeof value === "boolean") return value ? t("on") : t("off");
  if (field.kind === "events" || field.kind === "home-blocks") return t("all");
  if (field.kind === "phrases") return String(value).split("\n").join(" · ");
  if (field.kind === "milliseconds") return String(Number(value) / 1000);
  if (field.kind === "language") return languages.find((one) => one.id === value)?.name ?? String(value);
  if (field.kind === "choice") {
    const choice = field.choices?.find((one) => one.value === value);
    return choice ? t(choice.label) : String(value);
  }
  return String(value);
}

type InputProps = SettingFieldProps & {
  common: { label: ReactNode; description: ReactNode; error: string | undefined };
  text: string;
};

function Input(props: SettingFieldProps) {
  const { field, value, error, onChange } = props;
  const { t } = useTranslation("settings");
  const label = t(field.label);
  const text = String(value);
  const plain = { label, description: field.hint ? t(field.hint) : undefined, error };
  const common = {
    label: <SearchText>{label}</SearchText>,
    description: plain.description ? <SearchText>{plain.description}</SearchText> : undefined,
    error,
  };
  const inner = { ...props, common, text };
  switch (field.kind) {
    case "switch":
      return (
        <Switch
          {...common}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "number":
    case "decimal":
    case "milliseconds":
    case "points":
      return <NumberSetting {...inner} />;
    case "secret":
      return <SecretSetting {...inner} />;
    case "language":
      return (
        <ChoiceSetting {...inner} data={languages.map(({ id, name }) => ({ value: id, label: name }))} />
      );
    case "choice":
      return (
        <ChoiceSetting
          {...inner}
          data={(field.choices ?? []).map((choice) => ({ value: choice.value, label: t(choice.label) }))}
        />
      );
    case "logo":
      return <LogoField {...plain} value={text} onChange={onChange} />;
    case "color":
      return <ColorField {...plain} value={text} onChange={onChange} />;
    case "json":
      return <JsonSetting common={common} text={text} onChange={onChange} />;
    case "phrases":
      return <LongSetting {...inner} minRows={3} />;
    case "content":
      return <ContentField label={label} value={text} error={error} onChange={onChange} />;
    case "suggested":
      return <SuggestedSetting {...inner} />;
    case "discounts":
      return <DiscountsField label={label} value={text} error={error} onChange={onChange} />;
    case "chat-links":
      return <ChatLinksField label={label} value={text} error={error} onChange={onChange} />;
    case "events":
      return <EventsField label={label} value={text} error={error} onChange={onChange} />;
    case "home-blocks":
      return <HomeBlocksField {...plain} value={text} onChange={onChange} />;
    case "address":
    case "text":
      return <TextSetting {...inner} />;
  }
}

function NumberSetting({ field, value, onChange, common }: InputProps) {
  const { t } = useTranslation("settings");
  const format = useFormat();
  const isPoints = field.kind === "points";
  const scale = field.kind === "milliseconds" ? 1000 : 1;
  const unit = field.kind === "milliseconds" ? units.seconds : field.unit;
  if (field.kind === "decimal")
    return (
      <NumberInput
        {...common}
        value={typeof value === "number" ? value : ""}
        onChange={(next) => onChange(typeof next === "number" ? next : Number.NaN)}
        min={0}
        decimalScale={6}
      />
    );
  return (
    <NumberInput
      {...common}
      {...(isPoints ? { description: typeof value === "number" ? `= ${format.usd(value)}` : undefined } : {})}
      value={typeof value === "number" ? value / scale : ""}
      onChange={(next) => onChange(typeof next === "number" ? Math.round(next * scale) : Number.NaN)}
      min={0}
      thousandSeparator=","
      decimalScale={scale === 1 ? 0 : 1}
      suffix={unit && !isPoints ? unitSuffix(unit(t, Number(value) / scale)) : undefined}
    />
  );
}

function SecretSetting({ secretSet, dirty, onChange, common, text }: InputProps) {
  const { t } = useTranslation("settings");
  const stored = dirty ? t("Will be removed when you save") : t("Stored. Type to replace it.");
  return (
    <PasswordInput
      {...common}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
      placeholder={secretSet ? stored : undefined}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type ChoiceSettingProps = InputProps & { data: { value: string; label: string }[] };

function ChoiceSetting({ onChange, common, text, data }: ChoiceSettingProps) {
  return (
    <Select
      {...common}
      data={data}
      value={text}
      onChange={(next) => next && onChange(next)}
      allowDeselect={false}
    />
  );
}

type LongSettingProps = InputProps & { minRows: number };

function LongSetting({ onChange, common, text, minRows }: LongSettingProps) {
  return (
    <Textarea
      {...common}
      autosize
      minRows={minRows}
      maxRows={14}
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function SuggestedSetting({ field, onChange, common, text }: InputProps) {
  const { completions } = field;
  if (completions === undefined)
    return (
      <Autocomplete {...common} data={Object.keys(field.known ?? {})} value={text} onChange={onChange} />
    );
  /** Enter takes the first completion, also before the list of them is loaded. */
  const complete = (event: KeyboardEvent<HTMLInputElement>) => {
    const [first] = completions(text);
    const isSelected = event.currentTarget.hasAttribute("aria-activedescendant");
    if (event.key !== "Enter" || event.nativeEvent.isComposing || isSelected || first === undefined) return;
    event.preventDefault();
    onChange(first);
  };
  return (
    <Autocomplete
      {...common}
      data={completions(text)}
      // They already fit what was typed.
      filter={({ options }) => options}
      selectFirstOptionOnChange
      onKeyDown={complete}
      value={text}
      onChange={onChange}
    />
  );
}

function TextSetting({ field, onChange, common, text }: InputProps) {
  const { t } = useTranslation("settings");
  const isAddress = field.kind === "address";
  return (
    <TextInput
      {...common}
      type={isAddress ? "url" : "text"}
      placeholder={isAddress ? "https://" : undefined}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSectionWidth="auto"
      rightSection={
        field.key === "ServerAddress" && text === "" ? (
          <Button
            size="compact-xs"
            variant="subtle"
            mr={6}
            onClick={() => onChange(trimEndOf(document.baseURI, "/"))}
          >
            {t("Use current address")}
          </Button>
        ) : null
      }
    />
  );
}

/** A unit follows a number after a space; the percent sign follows directly. */
function unitSuffix(unit: string): string {
  return unit.startsWith("%") ? unit : ` ${unit}`;
}
