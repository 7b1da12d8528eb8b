import { mayChangeRoles, Role } from "@gateway/shared/accounts/roles";
import type { UserAction, UserListRow } from "@gateway/shared/accounts/user";
import { UserStatus } from "@gateway/shared/accounts/user-status";
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconArrowDown,
  IconCoins,
  IconDots,
  IconGauge,
  IconHeartHandshake,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconShieldOff,
  IconShieldUp,
  IconTrash,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useMayChange } from "#lib/changes.ts";
import { useMayEnter, useSelf } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";
import { useManageUser } from "./api.ts";

type UserActionsProps = {
  row: UserListRow;
  onEdit: () => void;
  onQuota: () => void;
  onBudget: () => void;
  /** Root chooses the permissions of the new administrator. */
  onPromote: () => void;
  onDeleted: () => void;
};

/**
 * Returns whether the signed-in user may change this account. Only hides controls; the server enforces it.
 */
export function useMayManage(row: { id: number; role: number } | undefined): boolean {
  const self = useSelf();
  return self !== null && self !== undefined && row !== undefined && row.role < self.role;
}

export function UserActions({ row, onEdit, onQuota, onBudget, onPromote, onDeleted }: UserActionsProps) {
  const { t } = useTranslation("users");
  const self = useSelf();
  const below = useMayManage(row);
  const root = self?.role === Role.root;
  const { act, pending } = useActions(row, onDeleted);
  const ownRoot = root && self.id === row.id;
  const edits = useMayChange();
  const pays = useMayEnter("balances", "edit");
  const givesKeys = useMayEnter("tokens", "edit");
  const givesRoles = edits && self != null && mayChangeRoles(self);
  const demotes = givesRoles && self.id !== row.id && row.role <= Role.admin;
  if (!below && !ownRoot && !demotes) return null;
  if (!edits && (!pays || !below)) return null;
  const enabled = row.status === UserStatus.enabled;
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon loading={pending} aria-label={t("More actions for {{name}}", { name: row.username })}>
          <IconDots size={17} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {edits && (below || ownRoot) ? (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
            {t("Edit")}
          </Menu.Item>
        ) : null}
        {pays && (below || ownRoot) ? (
          <Menu.Item leftSection={<IconCoins size={16} />} onClick={onQuota}>
            {t("Change the balance")}
          </Menu.Item>
        ) : null}
        {edits && (below || ownRoot) ? (
          <Menu.Item leftSection={<IconGauge size={16} />} onClick={onBudget}>
            {t("Set the budget")}
          </Menu.Item>
        ) : null}
        {givesKeys && (below || ownRoot) ? (
          <Menu.Item
            leftSection={<IconKey size={16} />}
            component={Link}
            to={`/panel/token?view=all&user_id=${row.id}&edit=new`}
          >
            {t("New token")}
          </Menu.Item>
        ) : null}
        {demotes && row.role !== Role.user ? (
          <Menu.Item leftSection={<IconArrowDown size={16} />} onClick={() => void act("demote")}>
            {t("Make an ordinary user")}
          </Menu.Item>
        ) : null}
        {below && edits ? (
          <>
            <Menu.Divider />
            {row.role === Role.reliable || !givesRoles ? null : (
              <Menu.Item
                leftSection={<IconHeartHandshake size={16} />}
                onClick={() => void act("set_reliable")}
              >
                {t("Make a trusted user")}
              </Menu.Item>
            )}
            {row.role === Role.admin || !givesRoles ? null : (
              <Menu.Item
                leftSection={<IconShieldUp size={16} />}
                onClick={() => (root ? onPromote() : void act("promote"))}
              >
                {t("Make an administrator")}
              </Menu.Item>
            )}
            {row.totp_enabled ? (
              <Menu.Item leftSection={<IconShieldOff size={16} />} onClick={() => void act("reset_totp")}>
                {t("Remove the second factor")}
              </Menu.Item>
            ) : null}
            <Menu.Divider />
            <Menu.Item
              leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
              onClick={() => void act(enabled ? "disable" : "enable")}
            >
              {enabled ? t("Disable") : t("Enable")}
            </Menu.Item>
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => void act("delete")}>
              {t("Delete")}
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Runs an action and reports it. Asks first when the action cannot be undone with one click. */
function useActions(row: UserListRow, onDeleted: () => void) {
  const { t } = useTranslation("users");
  const manage = useManageUser();
  const name = row.username;
  const questions: Partial<Record<UserAction, Parameters<typeof confirm>[0]>> = {
    promote: {
      title: t("Make {{name}} an administrator?", { name }),
      body: t("Administrators see all channels, users and logs, and change balances."),
      action: t("Make an administrator"),
      danger: false,
    },
    demote: {
      title: t("Make {{name}} an ordinary user?", { name }),
      body: t("This user immediately loses access to everything except their own account."),
      action: t("Make an ordinary user"),
      danger: false,
    },
    set_reliable: {
      title: t("Make {{name}} a trusted user?", { name }),
      body: t("Trusted users may also see and set the billing tags of tokens."),
      action: t("Make a trusted user"),
      danger: false,
    },
    disable: {
      title: t("Disable {{name}}?", { name }),
      body: t("All sessions end and all keys stop working immediately. The balance is kept."),
      action: t("Disable"),
    },
    delete: {
      title: t("Delete {{name}}?", { name }),
      body: t(
        "All sessions and keys stop working permanently, and the username can be used again. Logs and bills are kept.",
      ),
      action: t("Delete"),
    },
    reset_totp: {
      title: t("Remove the second factor of {{name}}?", { name }),
      body: t("Until the user sets up a new authenticator app, the password alone is enough to sign in."),
      action: t("Remove"),
    },
  };
  const done: Record<UserAction, string> = {
    promote: t("{{name}} is an administrator now", { name }),
    demote: t("{{name}} is an ordinary user now", { name }),
    set_reliable: t("{{name}} is a trusted user now", { name }),
    disable: t("{{name}} disabled", { name }),
    enable: t("{{name}} enabled", { name }),
    delete: t("{{name}} deleted", { name }),
    reset_totp: t("{{name}} now signs in without a second factor", { name }),
  };
  const act = async (action: UserAction) => {
    const question = questions[action];
    if (question && !(await confirm(question))) return;
    manage.mutate(
      { username: name, action },
      {
        onSuccess: () => {
          toast.success(done[action]);
          if (action === "delete") onDeleted();
        },
      },
    );
  };
  return { act, pending: manage.isPending };
}
