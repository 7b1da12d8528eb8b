/** Makes a user an administrator, with all permissions or with selected ones. */
import { type AdminRights, Role } from "@gateway/shared/accounts/roles";
import type { UserListRow } from "@gateway/shared/accounts/user";
import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import { useChangeUser } from "./api.ts";
import { RightsChoice } from "./rights.tsx";

export function PromoteDialog({ user, onClose }: { user: UserListRow; onClose: () => void }) {
  const { t } = useTranslation("users");
  const change = useChangeUser();
  const [rights, setRights] = useState<AdminRights["permissions"]>(null);
  const name = user.username;
  const save = () =>
    change.mutate(
      { id: user.id, role: Role.admin, permissions: rights },
      {
        onSuccess: () => {
          toast.success(t("{{name}} is an administrator now", { name }));
          onClose();
        },
      },
    );
  return (
    <HelpModal
      help="users#users"
      opened
      onClose={onClose}
      title={t("Make {{name}} an administrator?", { name })}
      size={520}
    >
      <Stack>
        <RightsChoice value={rights} onChange={setRights} initial={null} disabled={change.isPending} />
        {rights === null ? (
          <Text c="dimmed" fz="sm">
            {t("Administrators see all channels, users and logs, and change balances.")}
          </Text>
        ) : null}
        <DialogButtons>
          <Button variant="default" onClick={onClose} disabled={change.isPending}>
            {t("Cancel")}
          </Button>
          <Button data-autofocus onClick={save} loading={change.isPending}>
            {t("Make an administrator")}
          </Button>
        </DialogButtons>
      </Stack>
    </HelpModal>
  );
}
