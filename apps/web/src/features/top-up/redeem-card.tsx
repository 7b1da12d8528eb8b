/** Redeems a code and shows its value. */
import { Alert, Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconCheck, IconExternalLink, IconTicket } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorReason } from "#lib/errors/error-text.ts";
import { useFormat } from "#lib/format/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { Section } from "#ui/page/page.tsx";
import { useRedeem } from "./api.ts";
import classes from "./top-up.module.css";

export function RedeemCard() {
  const { t } = useTranslation("top-up");
  const format = useFormat();
  const link = useSite()?.top_up_link ?? "";
  const maySet = useMayEnter("settings", "edit");
  const redeem = useRedeem();
  const [key, setKey] = useState("");
  return (
    <Section
      title={t("Redeem a code")}
      hint={t("A code credits your balance immediately. Each code works once.")}
    >
      <Stack gap="sm">
        <form
          className={classes.redeem}
          onSubmit={(event) => {
            event.preventDefault();
            redeem.mutate(key.trim(), { onSuccess: () => setKey("") });
          }}
        >
          <TextInput
            aria-label={t("Redemption code")}
            placeholder={t("Redemption code")}
            leftSection={<IconTicket size={16} />}
            classNames={{ input: classes.code }}
            autoComplete="off"
            spellCheck={false}
            maxLength={128}
            value={key}
            error={redeem.error ? errorReason(redeem.error, t) : null}
            onChange={(event) => {
              setKey(event.currentTarget.value);
              if (!redeem.isPending) redeem.reset();
            }}
          />
          <Button type="submit" loading={redeem.isPending}>
            {t("Redeem")}
          </Button>
        </form>
        {redeem.isSuccess ? (
          <Alert color="green" icon={<IconCheck size={18} />} p="sm" role="status">
            {t("{{amount}} was added to your balance.", { amount: format.quota(redeem.data) })}
          </Alert>
        ) : null}
        {link ? (
          <Button
            component="a"
            href={link}
            target="_blank"
            rel="noopener noreferrer"
            variant="default"
            leftSection={<IconExternalLink size={16} />}
            style={{ alignSelf: "flex-start" }}
          >
            {t("Get a redemption code")}
          </Button>
        ) : (
          <Text fz="sm" c="dimmed">
            {t("The top-up link is not set by the admin.")}{" "}
            {maySet ? (
              <Anchor component={Link} to="/panel/setting?q=TopUpLink" fz="sm">
                {t("Set a link where users buy codes")}
              </Anchor>
            ) : null}
          </Text>
        )}
      </Stack>
    </Section>
  );
}
