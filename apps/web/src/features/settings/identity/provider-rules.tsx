/** Rules of a sign-in provider: what the members of a group get. */
import type { Budget } from "@gateway/shared/accounts/budget";
import { type AssignmentRule, assignableRoles } from "@gateway/shared/accounts/identity-provider";
import { Role, roleName } from "@gateway/shared/accounts/roles";
import { pointsOf } from "@gateway/shared/billing/money";
import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Switch,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { roleTitles } from "#components/role-badge.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { FormSection } from "#ui/form/form-drawer.tsx";
import type { ProviderForm } from "./provider-form.ts";

const MOST_RULES = 200;

export function ProviderRules({ form }: { form: ProviderForm }) {
  const { t } = useTranslation("settings");
  const { rules = [], groups_claim, may_administer } = form.values;
  return (
    <FormSection
      title={t("Groups")}
      hint={t(
        "Rules apply at each sign-in. For each value, the first matching rule that sets it wins. Whoever no longer matches loses what the rules gave.",
      )}
    >
      <TextInput
        label={t("Groups claim")}
        description={t("The claim with the groups of a person. Empty = groups are not read.")}
        maxLength={100}
        placeholder="groups"
        {...form.getInputProps("groups_claim")}
      />
      <Switch
        label={t("Only members may sign in")}
        description={t("People whom no rule matches are refused.")}
        disabled={rules.length === 0}
        {...form.getInputProps("members_only", { type: "checkbox" })}
      />
      <Switch
        label={t("May manage administrators")}
        description={t(
          "Rules can give and take the administrator role. Root is never changed. When off, administrators keep what they have.",
        )}
        {...form.getInputProps("may_administer", { type: "checkbox" })}
      />
      {rules.map((_rule, place) => (
        // Rules have no id, and their order is their meaning.
        // oxlint-disable-next-line react/no-array-index-key
        <RuleFields key={place} form={form} place={place} mayAdminister={may_administer === true} />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          disabled={rules.length >= MOST_RULES || groups_claim?.trim() === ""}
          onClick={() =>
            form.insertListItem("rules", { external_group: "", group: "", role: null, budget: null })
          }
        >
          {t("Add rule")}
        </Button>
      </Group>
    </FormSection>
  );
}

type RuleFieldsProps = { form: ProviderForm; place: number; mayAdminister: boolean };

function RuleFields({ form, place, mayAdminister }: RuleFieldsProps) {
  const { t } = useTranslation("settings");
  const groups = useQuery({ ...groupSymbolsQuery, meta: { quiet: true } }).data ?? [];
  const rule = form.values.rules?.[place];
  const path = `rules.${place}`;
  const roles = assignableRoles.filter((role) => role < Role.admin || mayAdminister || role === rule?.role);
  return (
    <Paper
      withBorder
      p="sm"
      radius="md"
      role="group"
      aria-label={t("Rule {{number}}", { number: place + 1 })}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap" mb="xs">
        <TextInput
          label={t("Members of")}
          placeholder={t("Name or ID of the group at the provider")}
          maxLength={255}
          style={{ flex: 1, minWidth: 0 }}
          {...form.getInputProps(`${path}.external_group`)}
        />
        {place > 0 ? (
          <IconButton
            label={t("Move up")}
            onClick={() => form.reorderListItem("rules", { from: place, to: place - 1 })}
          >
            <IconArrowUp size={16} />
          </IconButton>
        ) : null}
        <IconButton label={t("Remove rule")} onClick={() => form.removeListItem("rules", place)}>
          <IconTrash size={16} />
        </IconButton>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        <Select
          label={t("User group")}
          placeholder={t("Not set by this rule")}
          clearable
          data={groups}
          {...form.getInputProps(`${path}.group`)}
          value={rule?.group || null}
          onChange={(group) => form.setFieldValue(`${path}.group`, group ?? "")}
        />
        <Select
          label={t("Role")}
          placeholder={t("Not set by this rule")}
          clearable
          data={roles.map((role) => ({ value: String(role), label: t(roleTitles[roleName(role)]) }))}
          {...form.getInputProps(`${path}.role`)}
          value={rule?.role ? String(rule.role) : null}
          onChange={(role) => form.setFieldValue(`${path}.role`, role === null ? null : Number(role))}
        />
        <BudgetField form={form} path={path} rule={rule} field="daily_spend" label={t("Daily limit")} />
        <BudgetField form={form} path={path} rule={rule} field="monthly_spend" label={t("Monthly limit")} />
      </SimpleGrid>
    </Paper>
  );
}

function IconButton({
  label,
  onClick,
  children,
}: {
  label: string;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={36} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

type BudgetFieldProps = {
  form: ProviderForm;
  path: string;
  rule: Partial<AssignmentRule> | { budget?: Partial<Budget> | null } | undefined;
  field: "daily_spend" | "monthly_spend";
  label: string;
};

/** A limit in dollars. A rule without any limit sets no budget. */
function BudgetField({ form, path, rule, field, label }: BudgetFieldProps) {
  const { t } = useTranslation("settings");
  const { pointsPerUsd } = useFormat();
  const budget: Partial<Budget> = rule?.budget ?? {};
  const points = budget[field] ?? 0;
  // While it is typed, "0." must not become an empty field.
  const [typed, setTyped] = useState<number | string | null>(null);
  const change = (usd: number | string) => {
    setTyped(usd);
    const next = { ...budget, [field]: pointsOf(Number(usd), pointsPerUsd) };
    const isEmpty = Object.values(next).every((amount) => amount === 0);
    form.setFieldValue(`${path}.budget`, isEmpty ? null : next);
  };
  return (
    <NumberInput
      label={label}
      placeholder={t("Not set by this rule")}
      leftSection="$"
      min={0}
      max={2_000_000}
      decimalScale={2}
      thousandSeparator=","
      value={typed ?? (points === 0 ? "" : points / pointsPerUsd)}
      onChange={change}
      onBlur={() => setTyped(null)}
      error={form.errors[`${path}.budget.${field}`]}
    />
  );
}
