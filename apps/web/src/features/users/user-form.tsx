/** Edits an account. Its fields are also those of a new account. */
import { mayChangeRoles, Role, roleName } from "@gateway/shared/accounts/roles";
import { UserChange, type UserListRow } from "@gateway/shared/accounts/user";
import { PasswordInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { PointsInput } from "#components/points-input.tsx";
import { roleTitles } from "#components/role-badge.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { inForm } from "#lib/query-client.ts";
import { useSelf } from "#lib/session.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { type SchemaForm, useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useChangeUser } from "./api.ts";

export function EditUserDrawer({ user, onClose }: { user: UserListRow; onClose: () => void }) {
  const { t } = useTranslation("users");
  const self = useSelf();
  const change = useChangeUser(inForm);
  const own = self?.id === user.id;
  const form = useSchemaForm(UserChange, {
    id: user.id,
    username: user.username,
    display_name: user.display_name,
    group: user.group,
    // Root's own role cannot be assigned.
    ...(own ? {} : { role: user.role as 1 | 3 | 10 }),
    password: "",
  });
  const save = async () => {
    await change.mutateAsync(UserChange.parse(form.getValues()));
    toast.success(t("User saved"));
    onClose();
  };
  return (
    <FormDrawer
      opened
      help="users#users"
      title={t("Edit {{name}}", { name: user.username })}
      form={form}
      submitLabel={t("Save")}
      onSubmit={save}
      onClose={onClose}
      width={520}
    >
      <FormSection title={t("Sign-in")}>
        <NameFields form={form} />
        {own ? null : (
          <PasswordInput
            label={t("New password")}
            description={t(
              "Leave it empty to keep the current password. A new password signs the user out everywhere.",
            )}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
            {...form.getInputProps("password")}
          />
        )}
      </FormSection>
      <FormSection title={t("Permissions")}>
        <GroupField {...form.getInputProps("group")} current={user.group} />
        {own ? null : <RoleField {...form.getInputProps("role")} current={user.role} />}
      </FormSection>
    </FormDrawer>
  );
}

export function NameFields<Values extends Record<string, unknown>>({ form }: { form: SchemaForm<Values> }) {
  const { t } = useTranslation("users");
  return (
    <>
      <TextInput
        label={t("Username")}
        description={t("At least 3 characters")}
        autoComplete="off"
        data-autofocus
        withAsterisk
        maxLength={64}
        {...form.getInputProps("username")}
      />
      <TextInput
        label={t("Display name")}
        autoComplete="off"
        maxLength={64}
        {...form.getInputProps("display_name")}
      />
    </>
  );
}

type UserFieldProps = { value?: string; onChange: (value: unknown) => void; error?: React.ReactNode };

export function GroupField({ current, ...props }: UserFieldProps & { current?: string }) {
  const { t } = useTranslation("users");
  const symbols = useQuery(groupSymbolsQuery).data ?? [];
  // A disabled group stays visible, so that saving does not change it silently.
  const nameOf = useGroupNames();
  const data = [...new Set([...symbols, current ?? "default"])].map((symbol) => ({
    value: symbol,
    label: nameOf(symbol),
  }));
  return (
    <Select
      label={t("Group")}
      description={t("Determines channels, price and requests per minute")}
      data={data}
      allowDeselect={false}
      withAsterisk
      {...props}
    />
  );
}

export function RoleField({ current, value, onChange, ...props }: UserFieldProps & { current: number }) {
  const { t } = useTranslation("users");
  const self = useSelf();
  const assignableRoles = [Role.user, Role.reliable, Role.admin].filter(
    (role) => role === current || (self != null && mayChangeRoles(self)),
  );
  return (
    <Select
      label={t("Role")}
      data={assignableRoles.map((role) => ({ value: String(role), label: t(roleTitles[roleName(role)]) }))}
      value={String(value ?? current)}
      onChange={(next) => onChange(Number(next))}
      allowDeselect={false}
      {...props}
    />
  );
}

export function InitialBalanceField(props: {
  points: number;
  error?: React.ReactNode;
  onChange: (points: number) => void;
}) {
  const { t } = useTranslation("users");
  const format = useFormat();
  return (
    <PointsInput
      label={t("Initial balance in dollars")}
      description={t("= {{points}} points", { count: props.points, points: format.whole(props.points) })}
      value={props.points}
      error={props.error}
      onChange={props.onChange}
    />
  );
}
