/** The rights of an administrator, and their editor for root. */
import {
  type AdminArea,
  adminAreas,
  type AdminLevel,
  type AdminRights,
  coversRights,
  Role,
} from "@gateway/shared/accounts/roles";
import type { UserDetail } from "@gateway/shared/accounts/user";
import { Button, Group, Input, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { joinList } from "#lib/format/join-list.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { areaTitles } from "#lib/labels/rights.ts";
import { useSelf } from "#lib/session.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { toast } from "#ui/toast.tsx";
import { useChangeUser } from "./api.ts";
import classes from "./rights.module.css";

const phrase = phrasesIn("users");

type Permissions = AdminRights["permissions"];
type Level = AdminLevel | "none";

/** Areas with only one level besides "none". */
const onlyLevel: Partial<Record<AdminArea, AdminLevel>> = { audit: "view", balances: "edit" };

const everything = (): NonNullable<Permissions> =>
  Object.fromEntries(adminAreas.map((area) => [area, onlyLevel[area] ?? "edit"]));

/** @param part renders the section with its title and the element beside it */
export function Rights({ user, part }: { user: UserDetail; part: (body: Body) => React.ReactNode }) {
  const { t } = useTranslation("users");
  const self = useSelf();
  const [editing, setEditing] = useState(false);
  if (user.role !== Role.admin) return null;
  if (editing)
    return part({ children: <RightsEditor user={user} onDone={() => setEditing(false)} />, aside: null });
  const aside =
    self?.role === Role.root ? (
      <Button variant="subtle" size="compact-sm" onClick={() => setEditing(true)}>
        {t("Change permissions")}
      </Button>
    ) : null;
  return part({ children: <RightsList permissions={user.permissions} />, aside });
}

type Body = { children: React.ReactNode; aside: React.ReactNode };

function RightsList({ permissions }: { permissions: Permissions }) {
  const { t } = useTranslation("users");
  if (permissions === null) return <Text c="dimmed">{t("All permissions of administrators.")}</Text>;
  const names = (level: Level) =>
    joinList(
      adminAreas.filter((area) => (permissions[area] ?? "none") === level).map((area) => t(areaTitles[area])),
    ) || "–";
  return (
    <Facts columns={1}>
      <Fact label={t("Can edit")}>{names("edit")}</Fact>
      <Fact label={t("Can view")}>{names("view")}</Fact>
      <Fact label={t("No access")}>{names("none")}</Fact>
    </Facts>
  );
}

function RightsEditor({ user, onDone }: { user: UserDetail; onDone: () => void }) {
  const { t } = useTranslation("users");
  const change = useChangeUser();
  const [selection, give] = useState<Permissions>(user.permissions);
  const save = () =>
    change.mutate(
      { id: user.id, permissions: selection },
      {
        onSuccess: () => {
          toast.success(t("Permissions saved"));
          onDone();
        },
      },
    );
  return (
    <Stack gap="sm">
      <RightsChoice
        value={selection}
        onChange={give}
        initial={user.permissions}
        disabled={change.isPending}
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone} disabled={change.isPending}>
          {t("Cancel")}
        </Button>
        <Button onClick={save} loading={change.isPending}>
          {t("Save")}
        </Button>
      </Group>
    </Stack>
  );
}

const presets: { label: string; rights: () => NonNullable<Permissions> }[] = [
  {
    label: phrase("View only"),
    rights: () =>
      Object.fromEntries(adminAreas.filter((area) => area !== "balances").map((area) => [area, "view"])),
  },
  {
    label: phrase("Customer support"),
    rights: () => ({ users: "edit", balances: "edit", tokens: "edit", logs: "view", payments: "view" }),
  },
  {
    label: phrase("Channels and prices"),
    rights: () => ({
      channels: "edit",
      groups: "edit",
      prices: "edit",
      models: "edit",
      logs: "view",
      analytics: "view",
    }),
  },
  {
    label: phrase("Payments and balances"),
    rights: () => ({
      users: "view",
      balances: "edit",
      redemptions: "edit",
      payments: "edit",
      logs: "view",
      analytics: "view",
    }),
  },
];

type RightPresetsProps = {
  /** Shown above them. */
  title?: string;
  value: Permissions;
  onChoose: (rights: NonNullable<Permissions>) => void;
  disabled?: boolean;
};

/** Frequent sets of rights as buttons. The one that is given is pressed. */
export function RightPresets({ title, value, onChoose, disabled = false }: RightPresetsProps) {
  const { t } = useTranslation("users");
  return (
    <Input.Wrapper label={title} labelElement="div">
      <Group gap={6} role="group" aria-label={title ?? t("Permission presets")}>
        {presets.map(({ label, rights }) => {
          const isSelected = value !== null && coversRights(value, rights()) && coversRights(rights(), value);
          return (
            <Button
              key={label}
              variant={isSelected ? "light" : "default"}
              aria-pressed={isSelected}
              size="compact-sm"
              disabled={disabled}
              onClick={() => onChoose(rights())}
            >
              {t(label)}
            </Button>
          );
        })}
      </Group>
    </Input.Wrapper>
  );
}

type RightsChoiceProps = {
  value: Permissions;
  onChange: (rights: Permissions) => void;
  /** Rights to start with after "Selected areas"; null for everything. */
  initial: Permissions;
  disabled?: boolean;
};

export function RightsChoice({ value, onChange, initial, disabled = false }: RightsChoiceProps) {
  const { t } = useTranslation("users");
  const set = (area: AdminArea, level: Level) => {
    const { [area]: _, ...rest } = value ?? {};
    onChange(level === "none" ? rest : { ...rest, [area]: level });
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t("Permissions")}
        data={[
          { value: "all", label: t("Everything") },
          { value: "certain", label: t("Selected areas") },
        ]}
        value={value === null ? "all" : "certain"}
        onChange={(choice) => onChange(choice === "all" ? null : (initial ?? everything()))}
        disabled={disabled}
      />
      <RightPresets value={value} onChoose={onChange} disabled={disabled} />
      {value === null ? null : (
        <div className={classes.areas}>
          {adminAreas.map((area) => (
            <AreaLine key={area} area={area} level={value[area] ?? "none"} onChange={set} />
          ))}
        </div>
      )}
    </Stack>
  );
}

type AreaLineProps = { area: AdminArea; level: Level; onChange: (area: AdminArea, level: Level) => void };

function AreaLine({ area, level, onChange }: AreaLineProps) {
  const { t } = useTranslation("users");
  const only = onlyLevel[area];
  const title = t(areaTitles[area]);
  const choices: { value: Level; label: string }[] = [
    { value: "none", label: t("No access") },
    { value: "view", label: t("Can view") },
    { value: "edit", label: t("Can edit") },
  ];
  return (
    <div className={classes.area}>
      <Text span fz="sm">
        {title}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={title}
        data={choices.map((choice) => ({
          ...choice,
          disabled: only !== undefined && choice.value !== "none" && choice.value !== only,
        }))}
        value={level}
        onChange={(value) => onChange(area, choices.find((known) => known.value === value)?.value ?? "none")}
      />
    </div>
  );
}
