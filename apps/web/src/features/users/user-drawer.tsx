/** Details of an account: identity, usage and sessions. */
import type { UserListRow } from "@gateway/shared/accounts/user";
import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconCoins, IconListDetails, IconPencil, IconReceipt, IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { BudgetBars } from "#components/budgets/budget-bars.tsx";
import { GroupName } from "#components/group-name.tsx";
import { identityProviderTitle } from "#components/icons/identity-provider.tsx";
import { RoleBadge } from "#components/role-badge.tsx";
import { SessionList } from "#components/session-list.tsx";
import { UserStatusDot } from "#features/users/list/user-columns.tsx";
import { useMayChange } from "#lib/changes.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useFormat } from "#lib/format/quota.ts";
import { budgetQuery } from "#lib/queries/budgets.ts";
import { useMayEnter } from "#lib/session.ts";
import { confirm } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { LoadError } from "#ui/empty.tsx";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { RowMissing } from "#ui/page/opened-row-states.tsx";
import { isRefusal } from "#ui/page/opened-row.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";
import { useEndSessions, userQuery, userSessionsQuery } from "./api.ts";
import { Rights } from "./rights.tsx";
import { useMayManage } from "./user-actions.tsx";

type UserDrawerProps = {
  id: number;
  onClose: () => void;
  onEdit: (row: UserListRow) => void;
  onQuota: (row: UserListRow) => void;
  onBudget: (row: UserListRow) => void;
};

export function UserDrawer({ id, onClose, onEdit, onQuota, onBudget }: UserDrawerProps) {
  const { t } = useTranslation("users");
  const detail = useQuery(userQuery(id));
  const user = detail.data;
  const below = useMayManage(user);
  const mayEdit = useMayChange() && below;
  const seesOrders = useMayEnter("payments");
  const mayPay = useMayEnter("balances", "edit") && below;
  if (!user && isRefusal(detail.error)) return <RowMissing onClose={onClose} />;
  return (
    <SideDrawer onClose={onClose} width={600} title={user?.username ?? t("User {{id}}", { id })}>
      {detail.error && !user ? (
        <LoadError error={detail.error} onRetry={() => void detail.refetch()} />
      ) : user ? (
        <Stack gap="xl">
          <Group gap="xs">
            <Button
              variant="default"
              component={Link}
              to={`/panel/user/${user.id}`}
              leftSection={<IconUser size={16} />}
            >
              {t("Open the page")}
            </Button>
            <Button
              variant="default"
              component={Link}
              to={`/panel/log?username=${encodeURIComponent(user.username)}`}
              leftSection={<IconListDetails size={16} />}
            >
              {t("Show calls")}
            </Button>
            {seesOrders ? (
              <Button
                variant="default"
                component={Link}
                to={`/panel/payment?user_id=${user.id}`}
                leftSection={<IconReceipt size={16} />}
              >
                {t("Orders")}
              </Button>
            ) : null}
            {mayPay ? (
              <Button variant="default" leftSection={<IconCoins size={16} />} onClick={() => onQuota(user)}>
                {t("Change the balance")}
              </Button>
            ) : null}
            {mayEdit ? (
              <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => onEdit(user)}>
                {t("Edit")}
              </Button>
            ) : null}
          </Group>
          <BudgetPart id={id} {...(mayEdit ? { onChange: () => onBudget(user) } : {})} />
          <AccountFacts
            id={id}
            rights={<Rights user={user} part={(body) => <Part title={t("Permissions")} {...body} />} />}
          />
          <Sessions id={id} mayEnd={mayEdit} />
        </Stack>
      ) : (
        <Stack>
          <Skeleton height={36} width={260} />
          <Skeleton height={180} />
          <Skeleton height={120} />
        </Stack>
      )}
    </SideDrawer>
  );
}

export function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <Group justify="space-between" mb="sm" mih={26}>
        <Title order={3} fz="md">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </section>
  );
}

/** Renders nothing for an account without a budget that the user may not set. */
function BudgetPart({ id, onChange }: { id: number; onChange?: () => void }) {
  const { t } = useTranslation("users");
  const budget = useQuery(budgetQuery("user", id));
  const uses = budget.data?.uses ?? [];
  if (uses.length === 0 && onChange === undefined && !budget.error) return null;
  return (
    <Part
      title={t("Budget")}
      aside={
        onChange === undefined ? null : (
          <Button variant="subtle" size="compact-sm" onClick={onChange}>
            {t("Set the budget")}
          </Button>
        )
      }
    >
      {budget.error && !budget.data ? (
        <LoadError error={budget.error} onRetry={() => void budget.refetch()} />
      ) : budget.isPending ? (
        <Skeleton height={40} />
      ) : uses.length === 0 ? (
        <Text c="dimmed">{t("No limit")}</Text>
      ) : (
        <BudgetBars uses={uses} />
      )}
    </Part>
  );
}

/** @param rights shown below the account's facts */
export function AccountFacts({ id, rights }: { id: number; rights: ReactNode }) {
  const { t } = useTranslation("users");
  const format = useFormat();
  const user = useQuery(userQuery(id)).data;
  if (!user) return null;
  const none = (
    <Text span c="dimmed" fz="inherit">
      –
    </Text>
  );
  return (
    <>
      <Part title={t("Account")}>
        <Facts columns={2}>
          <Fact label="ID">{user.id}</Fact>
          <Fact label={t("Status")}>
            <UserStatusDot status={user.status} />
          </Fact>
          <Fact label={t("Display name")}>{user.display_name || none}</Fact>
          <Fact label={t("Role")}>
            <RoleBadge role={user.role} />
          </Fact>
          <Fact label={t("Email")}>
            {user.email ? <CopyCode text={user.email} label={t("Email")} /> : none}
          </Fact>
          <Fact label={t("Group")}>
            <GroupName symbol={user.group} />
          </Fact>
          <Fact label={t("Created")}>
            <RelativeTime seconds={user.created_time} />
          </Fact>
          <Fact label={t("Invited by")}>{user.inviter?.username ?? none}</Fact>
        </Facts>
      </Part>
      {rights}
      <Part title={t("Usage")}>
        <Facts columns={2}>
          <Fact label={t("Balance")}>
            <Amount points={user.quota} />
          </Fact>
          <Fact label={t("Total usage")}>
            <Amount points={user.used_quota} />
          </Fact>
          <Fact label={t("Successful calls")}>{format.whole(user.request_count)}</Fact>
          <Fact label={t("Balance expires")}>
            {user.quota_expires_at === null ? t("Never") : <RelativeTime seconds={user.quota_expires_at} />}
          </Fact>
          <Fact label={t("Tokens")}>{format.whole(user.token_count)}</Fact>
          <Fact label={t("People invited")}>{format.whole(user.aff_count)}</Fact>
        </Facts>
      </Part>
      <Part title={t("Sign-in")}>
        <Facts columns={2}>
          <Fact label={t("Password")}>{user.has_password ? t("Set") : t("None")}</Fact>
          <Fact label={t("Second factor")}>{user.totp_enabled ? t("On") : t("Off")}</Fact>
          <Fact label={t("Linked accounts")}>
            {user.identities.length === 0
              ? none
              : joinList(
                  user.identities.map(({ provider, label }) =>
                    [identityProviderTitle(t, provider), label].filter(Boolean).join(": "),
                  ),
                )}
          </Fact>
          <Fact label={t("Access token")}>{user.has_access_token ? t("Set") : t("None")}</Fact>
          <Fact label={t("Last sign-in")}>
            <RelativeTime seconds={user.last_login_time} />
          </Fact>
          <Fact label={t("Last IP address")}>{user.last_login_ip || none}</Fact>
        </Facts>
      </Part>
    </>
  );
}

export function Sessions({ id, mayEnd }: { id: number; mayEnd: boolean }) {
  const { t } = useTranslation("users");
  const sessions = useQuery(userSessionsQuery(id));
  const end = useEndSessions();
  const endAll = async () => {
    const sure = await confirm({
      title: t("Sign this user out everywhere?"),
      body: t("Keys keep working; only browsers have to sign in again."),
      action: t("Sign out everywhere"),
    });
    if (sure) end.mutate({ id }, { onSuccess: () => toast.success(t("Signed out everywhere")) });
  };
  const some = mayEnd && (sessions.data?.length ?? 0) > 0;
  return (
    <Part
      title={t("Signed-in devices")}
      aside={
        some ? (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            loading={end.isPending && end.variables.session === undefined}
            onClick={() => void endAll()}
          >
            {t("Sign out everywhere")}
          </Button>
        ) : null
      }
    >
      <SessionList
        sessions={sessions.data}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        {...(mayEnd ? { onEnd: (session: string) => end.mutate({ id, session }) } : {})}
        {...(end.isPending && end.variables.session !== undefined ? { ending: end.variables.session } : {})}
      />
    </Part>
  );
}
