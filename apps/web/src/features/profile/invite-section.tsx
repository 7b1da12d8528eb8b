import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { CopyCode } from "#ui/copy.tsx";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";

/** The user's invite link. It cannot be used while sign-up is closed. */
export function InviteSection() {
  const { t } = useTranslation("profile");
  const format = useFormat();
  const self = useSelf();
  const site = useSite();
  if (!self) return null;
  const link = new URL(`register?aff=${encodeURIComponent(self.aff_code)}`, document.baseURI).href;
  const open = site?.register_enabled && site.password_register;
  return (
    <Section
      title={t("Invite others")}
      hint={
        open
          ? t("Users who sign up with your link count as invited by you.")
          : t("Sign-up is closed at the moment.")
      }
    >
      <Facts>
        <Fact wide label={t("Your invitation link")}>
          <CopyCode text={link} label={t("Link")} />
        </Fact>
        <Fact label={t("People invited")}>{format.whole(self.aff_count)}</Fact>
        <Fact label={t("Invitation rewards")}>
          <Amount points={self.aff_quota} />
        </Fact>
      </Facts>
    </Section>
  );
}
