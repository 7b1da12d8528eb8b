import { Skeleton, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import { Empty, Failed } from "#ui/empty.tsx";
import { Figures } from "#ui/figures.tsx";
import { Section } from "#ui/page.tsx";
import { periodQuery } from "./api.ts";
import type { View } from "./period-bar.tsx";
import classes from "./analytics.module.css";

const shown = 10;

/** Who spent most; a click shows only that person's usage above. */
export function TopUsers({ params, onChange }: View) {
  const { t } = useTranslation();
  const format = useFormat();
  // Also while one person is looked at, this list is about everyone.
  const period = useQuery(periodQuery({ ...params, user: 0 }));
  const users = period.data?.top_users.slice(0, shown) ?? [];
  return (
    <Section title={t("Top users")} hint={t("By what they spent in this time")}>
      {!period.data ? (
        period.error ? (
          <Failed error={period.error} onRetry={() => void period.refetch()} />
        ) : (
          <Skeleton height={320} />
        )
      ) : users.length === 0 ? (
        <Empty compact title={t("No calls in this time")} />
      ) : (
        <Figures>
          <thead>
            <tr>
              <th scope="col">{t("Username")}</th>
              <th scope="col">{t("Spend")}</th>
              <th scope="col">{t("Requests")}</th>
              <th scope="col">{t("Token count")}</th>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.user_id}>
                <th scope="row">
                  <UnstyledButton
                    fz="inherit"
                    className={classes.link}
                    aria-pressed={params.user === user.user_id}
                    onClick={() => onChange({ user: params.user === user.user_id ? 0 : user.user_id })}
                  >
                    {user.username}
                  </UnstyledButton>
                </th>
                <td title={format.exact(user.quota)}>{format.quota(user.quota)}</td>
                <td>{format.whole(user.request_count)}</td>
                <td>{format.short(user.prompt_tokens + user.completion_tokens)}</td>
              </tr>
            ))}
          </tbody>
        </Figures>
      )}
    </Section>
  );
}
