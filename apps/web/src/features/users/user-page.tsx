/** The page of a customer: balance, spend, tokens, calls, orders, activity and account. */
import type { TokenAdminPage } from "@gateway/shared/accounts/token";
import type { UserDetail } from "@gateway/shared/accounts/user";
import { LogType } from "@gateway/shared/usage/log-type";
import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { IconCoins, IconPencil, IconUser } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { CacheEffectCard } from "#components/usage/cache-effect.tsx";
import { UsageChart, UsageDetails, UsageStats } from "#components/usage/object-usage.tsx";
import { RecentCalls } from "#components/usage/recent-calls.tsx";
import { UserStatusDot } from "#features/users/list/user-columns.tsx";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { useFormat } from "#lib/format/quota.ts";
import { asPage, http } from "#lib/http.ts";
import { usageQuery } from "#lib/queries/object-usage.ts";
import { allTokens } from "#lib/queries/tokens.ts";
import { useMayEnter } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { Stat } from "#ui/figures/stats.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { BackLink, idOf, ObjectPage, type ObjectTab, UnloadedObject } from "#ui/page/object-page.tsx";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { userQuery } from "./api.ts";
import { Rights } from "./rights.tsx";
import { useMayManage } from "./user-actions.tsx";
import { AccountFacts, Part, Sessions } from "./user-drawer.tsx";

const QuotaDialog = lazyPart(() => import("./quota-dialog.tsx").then((module) => module.QuotaDialog));
const EditUserDrawer = lazyPart(() => import("./user-form.tsx").then((module) => module.EditUserDrawer));

export default function UserPage() {
  const { t } = useTranslation("users");
  const id = idOf(useParams()["id"]);
  const user = useQuery({ ...userQuery(id), meta: { quiet: true }, refetchInterval: 30_000 });
  return (
    <>
      <BackLink to="/panel/user" label={t("All users")} />
      {user.data ? (
        <UserDetails key={id} user={user.data} />
      ) : (
        <UnloadedObject
          error={user.error}
          onRetry={() => void user.refetch()}
          missing={t("This account was not found")}
          list={{ to: "/panel/user", label: t("Show all users") }}
        />
      )}
    </>
  );
}

function UserDetails({ user }: { user: UserDetail }) {
  const { t } = useTranslation("users");
  const format = useFormat();
  const edited = useDrawerParam();
  const paid = useDrawerParam("balance");
  const below = useMayManage(user);
  const mayEdit = useMayChange() && below;
  const mayPay = useMayEnter("balances", "edit") && below;
  const seesCalls = useMayEnter("logs");
  const seesTokens = useMayEnter("tokens");
  const usage = useQuery(usageQuery(`/user/${user.id}`));
  const filter = seesCalls ? { username: user.username } : undefined;
  const tabs: (ObjectTab | false)[] = [
    {
      id: "overview",
      label: t("Overview"),
      content: () =>
        usage.data ? (
          <Stack gap="md">
            <UsageStats
              usage={usage.data}
              first={
                <Stat
                  title={t("Balance")}
                  value={format.quota(user.quota)}
                  exact={format.exact(user.quota)}
                  bad={user.quota <= 0 ? "figure" : undefined}
                  line={t("{{amount}} used in total", { amount: format.quota(user.used_quota) })}
                />
              }
            />
            <UsageChart usage={usage.data} filter={filter} />
            <UsageDetails usage={usage.data} filter={filter} />
            <CacheEffectCard path={`/user/${user.id}`} />
          </Stack>
        ) : (
          <UnloadedObject
            error={usage.error}
            onRetry={() => void usage.refetch()}
            missing={t("This account was not found")}
            list={{ to: "/panel/user", label: t("Show all users") }}
          />
        ),
    },
    seesTokens && { id: "tokens", label: t("Tokens"), content: () => <Tokens user={user} /> },
    filter !== undefined && {
      id: "logs",
      label: t("Calls"),
      content: () => (
        <Stack gap="md">
          <RecentCalls title={t("Newest calls")} filter={filter} />
          <RecentCalls title={t("Failed calls")} filter={{ ...filter, log_type: LogType.failed }} />
        </Stack>
      ),
    },
    {
      id: "activity",
      label: t("Activity"),
      content: () => (
        <Stack gap="md">
          {filter ? (
            <>
              <RecentCalls
                title={t("Top-ups")}
                filter={{ ...filter, log_type: LogType.topUp }}
                empty={t("No top-ups")}
              />
              <RecentCalls
                title={t("Balance changes by administrators")}
                filter={{ ...filter, log_type: LogType.manage }}
                empty={t("No changes")}
              />
            </>
          ) : null}
          <Links user={user} />
        </Stack>
      ),
    },
    {
      id: "account",
      label: t("Account"),
      content: () => (
        <Section>
          <Stack gap="xl">
            <AccountFacts
              id={user.id}
              rights={<Rights user={user} part={(body) => <Part title={t("Permissions")} {...body} />} />}
            />
            <Sessions id={user.id} mayEnd={mayEdit} />
          </Stack>
        </Section>
      ),
    },
  ];
  return (
    <>
      <ObjectPage
        title={user.username}
        icon={<IconUser size={22} stroke={1.7} />}
        badges={<UserStatusDot status={user.status} />}
        actions={
          <>
            {mayPay ? (
              <Button
                variant="default"
                leftSection={<IconCoins size={16} />}
                onClick={() => paid.open(user.id)}
              >
                {t("Change the balance")}
              </Button>
            ) : null}
            {mayEdit ? (
              <Button leftSection={<IconPencil size={16} />} onClick={() => edited.open(user.id)}>
                {t("Edit")}
              </Button>
            ) : null}
          </>
        }
        tabs={tabs.filter((tab) => tab !== false)}
      />
      {edited.key === String(user.id) && mayEdit ? (
        <EditUserDrawer user={user} onClose={edited.close} />
      ) : null}
      {paid.key === String(user.id) && mayPay ? <QuotaDialog user={user} onClose={paid.close} /> : null}
    </>
  );
}

/** Where else this account appears. */
function Links({ user }: { user: UserDetail }) {
  const { t } = useTranslation("users");
  const seesOrders = useMayEnter("payments");
  const seesAudit = useMayEnter("audit");
  if (!seesOrders && !seesAudit) return null;
  const audit = (search: Record<string, string>) => `/panel/audit?${new URLSearchParams(search).toString()}`;
  return (
    <Section title={t("More about this account")}>
      <Group gap="xs">
        {seesOrders ? (
          <Button variant="default" component={Link} to={`/panel/payment?user_id=${user.id}`}>
            {t("Orders")}
          </Button>
        ) : null}
        {seesAudit ? (
          <>
            <Button
              variant="default"
              component={Link}
              to={audit({ target_type: "user", target_id: String(user.id) })}
            >
              {t("Changes of this account")}
            </Button>
            <Button variant="default" component={Link} to={audit({ username: user.username })}>
              {t("Changes made by this account")}
            </Button>
          </>
        ) : null}
      </Group>
    </Section>
  );
}

const mostTokens = 50;

const tokensOf = (userId: number) =>
  queryOptions({
    queryKey: [...allTokens, "of", userId],
    queryFn: () =>
      http.get("/token/admin/search", asPage<TokenAdminPage>(), {
        user_id: userId,
        size: mostTokens,
        order: "-used_quota",
      }),
    meta: { quiet: true },
  });

function Tokens({ user }: { user: UserDetail }) {
  const { t } = useTranslation("users");
  const mayEdit = useMayEnter("tokens", "edit");
  const tokens = useQuery(tokensOf(user.id));
  const rows = tokens.data?.data;
  return (
    <Section
      title={t("Tokens")}
      aside={
        <Button
          component={Link}
          variant="default"
          size="xs"
          to={`/panel/token?view=all&user_id=${user.id}${mayEdit ? "&edit=new" : ""}`}
        >
          {mayEdit ? t("New token") : t("Show the list")}
        </Button>
      }
    >
      {rows === undefined ? (
        <QueryFallback query={tokens}>
          <Skeleton height={120} aria-busy />
        </QueryFallback>
      ) : rows.length === 0 ? (
        <Empty compact title={t("No tokens yet")} />
      ) : (
        <Figures
          label={t("Tokens")}
          wraps
          amounts={{ used: rows.map((row) => row.used_quota), month: rows.map((row) => row.month_quota) }}
        >
          <thead>
            <tr>
              <th scope="col">{t("Name")}</th>
              <th scope="col">{t("Used")}</th>
              <th scope="col">{t("This month")}</th>
              <th scope="col">{t("Last used")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((token) => (
              <tr key={token.id}>
                <th scope="row">
                  <QuietLink to={`/panel/token/${token.id}`}>{token.name}</QuietLink>
                </th>
                <td>
                  <Amount column="used" points={token.used_quota} />
                </td>
                <td>
                  <Amount column="month" points={token.month_quota} />
                </td>
                <td>
                  {token.accessed_time === null ? (
                    t("Not used yet")
                  ) : (
                    <RelativeTime inList seconds={token.accessed_time} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Figures>
      )}
    </Section>
  );
}
