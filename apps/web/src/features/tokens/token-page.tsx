/** The page of a token: usage, limits, calls and settings. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { NEVER_EXPIRES } from "@gateway/shared/accounts/token-status";
import { Button, Stack, Text } from "@mantine/core";
import { IconKey, IconPencil, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { BudgetBars } from "#components/budgets/budget-bars.tsx";
import { GroupName } from "#components/group-name.tsx";
import { UsageChart, UsageDetails, UsageStats } from "#components/usage/object-usage.tsx";
import { RecentCalls } from "#components/usage/recent-calls.tsx";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useFormat } from "#lib/format/quota.ts";
import { ownBudgetQuery, useBudgetUses } from "#lib/queries/budgets.ts";
import { usageQuery } from "#lib/queries/object-usage.ts";
import { useMayEnter, useSelf } from "#lib/session.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { BackLink, idOf, ObjectPage, type ObjectTab, UnloadedObject } from "#ui/page/object-page.tsx";
import { Section } from "#ui/page/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { LastChange } from "#ui/undo.tsx";
import { onePageTokenQuery, type PageToken } from "./api.ts";
import { PreviousKey } from "./previous-key.tsx";
import { limitLabels, statusWord } from "./token-labels.ts";
import { TokenLimits } from "./token-limits.tsx";
import { undoNameOf } from "./use-token-switch.ts";

const DerivedKeys = lazyPart(() => import("./derived-keys.tsx").then((module) => module.DerivedKeys));
const RotateDialog = lazyPart(() => import("./rotate-dialog.tsx").then((module) => module.RotateDialog));

export default function TokenPage() {
  const { t } = useTranslation("tokens");
  const self = useSelf();
  const administers = useMayEnter("tokens");
  const id = idOf(useParams()["id"]);
  const token = useQuery(onePageTokenQuery(id, self?.id ?? 0, administers));
  const list = { to: "/panel/token", label: t("Show all tokens") };
  return (
    <>
      <BackLink
        to={token.data?.own === false ? "/panel/token?view=all" : "/panel/token"}
        label={t("All tokens")}
      />
      {token.data ? (
        <TokenDetails key={id} {...token.data} />
      ) : (
        <UnloadedObject
          error={token.error}
          onRetry={() => void token.refetch()}
          missing={t("This token was not found")}
          list={list}
        />
      )}
    </>
  );
}

function TokenDetails({ token, own, owner }: PageToken) {
  const { t } = useTranslation("tokens");
  const seesCalls = useMayEnter("logs");
  const usage = useQuery(usageQuery(own ? `/token/${token.id}` : `/token/admin/${token.id}`));
  const rotation = useDrawerParam("rotate");
  const { text, tone } = statusWord(token.status);
  const filter: Record<string, string> | undefined = own
    ? { token_name: token.name }
    : seesCalls
      ? { token_name: token.name, username: owner }
      : undefined;
  const edit = own ? `/panel/token?edit=${token.id}` : `/panel/token?view=all&edit=${token.id}`;
  const tabs: ObjectTab[] = [
    {
      id: "overview",
      label: t("Overview"),
      content: () => (
        <Stack gap="md">
          <PreviousKey token={token} own={own} />
          <LastChange object={undoNameOf(token.id)} />
          <TokenLimits token={token} />
          <BudgetOf token={token} own={own} />
          {usage.data ? (
            <>
              <UsageStats usage={usage.data} />
              <UsageChart usage={usage.data} filter={filter} />
              <UsageDetails usage={usage.data} filter={filter} />
            </>
          ) : (
            <UnloadedObject
              error={usage.error}
              onRetry={() => void usage.refetch()}
              missing={t("This token was not found")}
              list={{ to: "/panel/token", label: t("Show all tokens") }}
            />
          )}
        </Stack>
      ),
    },
    ...(filter
      ? [
          {
            id: "logs",
            label: t("Calls"),
            content: () => <RecentCalls title={t("Newest calls")} filter={filter} own={own && !seesCalls} />,
          },
        ]
      : []),
    ...(own
      ? [
          {
            id: "derived",
            label: t("Derived keys"),
            content: () => <DerivedKeys token={token.id} />,
          },
        ]
      : []),
    { id: "settings", label: t("Settings"), content: () => <Settings token={token} edit={edit} /> },
  ];
  return (
    <>
      <ObjectPage
        title={token.name}
        icon={<IconKey size={22} stroke={1.7} />}
        badges={
          <>
            <StatusDot tone={tone}>{t(text)}</StatusDot>
            {own ? null : (
              <Text span fz="sm" c="dimmed">
                {t("of {{name}}", { name: owner })}
              </Text>
            )}
          </>
        }
        actions={
          <>
            {own ? (
              <Button
                variant="default"
                leftSection={<IconRefresh size={16} />}
                onClick={() => rotation.open(token.id)}
              >
                {t("Rotate key")}
              </Button>
            ) : null}
            <Button component={Link} to={edit} leftSection={<IconPencil size={16} />}>
              {t("Edit")}
            </Button>
          </>
        }
        tabs={tabs}
      />
      {own && rotation.key !== "" ? <RotateDialog token={token} onClose={rotation.close} /> : null}
    </>
  );
}

/** The budget that an operator set for the token, and its use. Renders nothing without a budget. */
function BudgetOf({ token, own }: { token: TokenRow; own: boolean }) {
  const { t } = useTranslation("tokens");
  const mine = useQuery({ ...ownBudgetQuery, enabled: own, meta: { quiet: true } }).data?.tokens;
  const theirs = useBudgetUses("token", own ? undefined : [token]);
  const uses = (own ? mine : theirs)?.[token.id] ?? [];
  if (uses.length === 0) return null;
  return (
    <section aria-label={t("Budget")}>
      <Section title={t("Budget")} hint={t("Set by the administrator. Calls above a limit are refused.")}>
        <BudgetBars uses={uses} />
      </Section>
    </section>
  );
}

function Settings({ token, edit }: { token: TokenRow; edit: string }) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  const limits = limitLabels(token.setting.rates, t, format);
  const { limit_model_setting: models, limits_ip_setting: addresses } = token.setting.limits;
  return (
    <Section
      title={t("Settings")}
      aside={
        <Button component={Link} to={edit} variant="default" size="xs">
          {t("Edit")}
        </Button>
      }
    >
      <Facts columns={3}>
        <Fact label={t("Key")}>{token.key_hint}</Fact>
        <Fact label={t("Group")}>
          {token.group ? <GroupName symbol={token.group} /> : t("Account default")}
        </Fact>
        <Fact label={t("Backup group")}>
          {token.backup_group ? <GroupName symbol={token.backup_group} /> : "–"}
        </Fact>
        <Fact label={t("Expires")}>
          {token.expired_time === NEVER_EXPIRES ? t("Never") : <RelativeTime seconds={token.expired_time} />}
        </Fact>
        <Fact label={t("Last used")}>
          {token.accessed_time === null ? t("Not used yet") : <RelativeTime seconds={token.accessed_time} />}
        </Fact>
        <Fact label={t("Created")}>
          <RelativeTime seconds={token.created_time} />
        </Fact>
        <Fact label={t("Models")}>{models.enabled ? joinList(models.models) : t("All models")}</Fact>
        <Fact label={t("IP addresses")}>
          {addresses.enabled ? joinList(addresses.whitelist) : t("All addresses")}
        </Fact>
        <Fact label={t("Limits")}>{limits.length === 0 ? t("No limit") : limits.join(" · ")}</Fact>
      </Facts>
    </Section>
  );
}
