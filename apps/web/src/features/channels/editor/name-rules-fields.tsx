import { Checkbox, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Fold } from "#ui/fold.tsx";
import type { NameRules } from "./name-rules.ts";
import classes from "#features/channels/runs/runs.module.css";

type NameRulesFieldsProps = {
  rules: NameRules;
  mapping: Record<string, string>;
  onChange: (rules: NameRules) => void;
};

const mostShown = 6;

/** Rules that simplify the names of the selected models, with the resulting mapping. */
export function NameRulesFields({ rules, mapping, onChange }: NameRulesFieldsProps) {
  const { t } = useTranslation("channels");
  const pairs = Object.entries(mapping);
  const check = (
    name: "dropOwner" | "lowerCase" | "dropDate" | "billRequested" | "keepOriginal",
    label: string,
  ) => (
    <Checkbox
      size="sm"
      label={label}
      checked={rules[name]}
      onChange={(event) => onChange({ ...rules, [name]: event.currentTarget.checked })}
    />
  );
  return (
    <Fold label={t("Aliases")}>
      <Stack gap={10}>
        <Group gap="md">
          {check("dropOwner", t("Remove the part before /"))}
          {check("dropDate", t("Remove the date"))}
          {check("lowerCase", t("Convert to lowercase"))}
        </Group>
        <Group gap="xs" grow>
          <TextInput
            size="xs"
            label={t("Remove this prefix")}
            value={rules.prefix}
            onChange={(event) => onChange({ ...rules, prefix: event.currentTarget.value })}
          />
          <TextInput
            size="xs"
            label={t("Remove this suffix")}
            value={rules.suffix}
            onChange={(event) => onChange({ ...rules, suffix: event.currentTarget.value })}
          />
        </Group>
        <Group gap="md">
          {check("billRequested", t("Bill at the alias's price (+)"))}
          {check("keepOriginal", t("Keep the provider's name as well"))}
        </Group>
        {pairs.length === 0 ? null : (
          <Text fz="xs" c="dimmed" component="div" className={classes.wrap}>
            {pairs.slice(0, mostShown).map(([name, target]) => (
              <div key={name}>
                <Code fz="xs">{name}</Code> → <Code fz="xs">{target}</Code>
              </div>
            ))}
            {pairs.length > mostShown ? t("and {{count}} more", { count: pairs.length - mostShown }) : null}
          </Text>
        )}
      </Stack>
    </Fold>
  );
}
