/** Read-only details of the user's own account. */
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { RoleBadge } from "#components/role-badge.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

export function AccountSection() {
  const { t } = useTranslation("profile");
  const format = useFormat();
  const self = useSelf();
  if (!self) return null;
  return (
    <Section title={t("Account")} aside={<RoleBadge role={self.role} />}>
      <Facts>
        <Fact label={t("Username")}>{self.username}</Fact>
        <Fact label="ID">{self.id}</Fact>
        <Fact label={t("Email")}>{self.email ?? "–"}</Fact>
        <Fact label={t("Group")}>
          {t("{{name}} (ratio {{ratio}})", { name: self.group_name, ratio: self.group_ratio })}
        </Fact>
        <Fact label={t("Requests per minute")}>{format.whole(self.group_api_rate)}</Fact>
        <Fact label={t("Successful calls")}>{format.whole(self.request_count)}</Fact>
        <Fact label={t("Balance")}>
          <Amount points={self.quota} />
        </Fact>
        <Fact label={t("Balance expires")}>
          {self.quota_expires_at === null ? t("Never") : <RelativeTime seconds={self.quota_expires_at} />}
        </Fact>
        <Fact label={t("Total usage")}>
          <span title={format.exact(self.used_quota)}>{format.quota(self.used_quota)}</span>
        </Fact>
      </Facts>
    </Section>
  );
}
