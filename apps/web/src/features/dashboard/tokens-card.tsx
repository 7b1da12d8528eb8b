import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { Button, Skeleton } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { recentTokensQuery } from "./api.ts";

/** The user's newest tokens. */
export function TokensCard() {
  const { t } = useTranslation("dashboard");
  const phone = useIsPhone();
  const tokens = useQuery(recentTokensQuery);
  return (
    <Section
      title={t("Your tokens")}
      aside={
        <Button component={Link} to="/panel/token" variant="default" size="xs">
          {t("Open tokens")}
        </Button>
      }
    >
      {tokens.data === undefined ? (
        <QueryFallback query={tokens}>
          <Skeleton height={150} />
        </QueryFallback>
      ) : tokens.data.data.length === 0 ? (
        <Empty
          compact
          icon={IconKey}
          title={t("No tokens yet")}
          action={
            <Button component={Link} to="/panel/token?edit=new" size="xs">
              {t("Create a token")}
            </Button>
          }
        />
      ) : (
        <Figures
          label={t("Your tokens")}
          amounts={{
            used: tokens.data.data.map((token) => token.used_quota),
            left: tokens.data.data
              .filter((token) => !token.unlimited_quota)
              .map((token) => token.remain_quota),
          }}
        >
          <thead>
            <tr>
              <th scope="col">{t("Token")}</th>
              <th scope="col">{t("Used")}</th>
              <th scope="col">{t("Left")}</th>
              {phone ? null : <th scope="col">{t("Last used")}</th>}
            </tr>
          </thead>
          <tbody>
            {tokens.data.data.map((token) => (
              <tr key={token.id}>
                <th scope="row">
                  <StatusDot tone={token.status === TokenStatus.enabled ? "good" : "bad"}>
                    <QuietLink to={`/panel/token?edit=${token.id}`} translate="no">
                      {token.name || `#${token.id}`}
                    </QuietLink>
                  </StatusDot>
                </th>
                <td>
                  <Amount column="used" points={token.used_quota} />
                </td>
                <td>
                  {token.unlimited_quota ? (
                    t("No limit")
                  ) : (
                    <Amount column="left" points={token.remain_quota} />
                  )}
                </td>
                {phone ? null : (
                  <td>
                    <RelativeTime inList seconds={token.accessed_time} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </Figures>
      )}
    </Section>
  );
}
