/** Creates an account of any role, and shows its credentials once. */
import { Role } from "@gateway/shared/accounts/roles";
import { UserInput } from "@gateway/shared/accounts/user";
import { PasswordInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCreateUser } from "#features/users/api.ts";
import { RightPresets, RightsChoice } from "#features/users/rights.tsx";
import { GroupField, NameFields, InitialBalanceField, RoleField } from "#features/users/user-form.tsx";
import { useSelf } from "#lib/session.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { type NewAccount, NewAccountDialog } from "./new-account-dialog.tsx";
import { newPassword } from "./new-password.ts";

export function NewUserDrawer({ onClose }: { onClose: () => void }) {
  const [account, setMade] = useState<NewAccount | null>(null);
  if (account) return <NewAccountDialog account={account} onClose={onClose} />;
  return <NewUserForm onClose={onClose} onCreated={setMade} />;
}

function NewUserForm({ onClose, onCreated }: { onClose: () => void; onCreated: (made: NewAccount) => void }) {
  const { t } = useTranslation("users");
  const create = useCreateUser();
  const isRoot = useSelf()?.role === Role.root;
  const [rights, setRights] = useState<UserInput["permissions"]>(null);
  const form = useSchemaForm(UserInput, {
    username: "",
    display_name: "",
    password: newPassword(),
    group: "default",
    role: Role.user,
    quota: 0,
  });
  const limited = isRoot && form.values.role === Role.admin;
  const save = async () => {
    const input = UserInput.parse(form.getValues());
    const user = await create.mutateAsync({ ...input, ...(limited ? { permissions: rights } : {}) });
    onCreated({ id: user.id, username: user.username, password: input.password });
  };
  return (
    <FormDrawer
      opened
      help="users#users"
      title={t("New user")}
      form={form}
      submitLabel={t("Create user")}
      onSubmit={save}
      onClose={onClose}
      width={520}
      changed={rights !== null}
    >
      <FormSection title={t("Sign-in")}>
        <NameFields form={form} />
        <PasswordInput
          label={t("Password")}
          description={t("Generated. You can replace it, and you see it again in the next step.")}
          autoComplete="new-password"
          withAsterisk
          visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
          {...form.getInputProps("password")}
        />
      </FormSection>
      <FormSection title={t("Permissions")}>
        <RoleField {...form.getInputProps("role")} current={Role.user} />
        {limited ? <RightsChoice value={rights ?? null} onChange={setRights} initial={null} /> : null}
        {isRoot && !limited ? (
          <RightPresets
            title={t("Administrator with limited permissions")}
            value={null}
            onChoose={(chosen) => {
              setRights(chosen);
              form.setFieldValue("role", Role.admin);
            }}
          />
        ) : null}
        <GroupField {...form.getInputProps("group")} current={form.values.group} />
      </FormSection>
      <FormSection title={t("Balance")}>
        <InitialBalanceField
          points={form.values.quota ?? 0}
          error={form.errors["quota"]}
          onChange={(quota) => form.setFieldValue("quota", quota)}
        />
      </FormSection>
    </FormDrawer>
  );
}
