/** Why a provider was not connected, and the way on. */
import { Alert, Anchor, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { DemoStartError, ChannelTestError } from "#components/first-provider/connect-provider.ts";
import { errorReason } from "#lib/errors/error-text.ts";

/** @param isSaved the channel is stored, and only the key is missing */
export function ConnectError({ error, isSaved }: { error: Error; isSaved: boolean }) {
  const { t } = useTranslation("first-run");
  const reason =
    error instanceof ChannelTestError
      ? error.result.message
      : error instanceof DemoStartError
        ? t("The demo provider did not start. Try again.")
        : errorReason(error, t);
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertCircle size={18} />}
      title={t("The provider is not connected")}
    >
      <Text fz="sm">{reason}</Text>
      {isSaved ? null : (
        <Text fz="sm" c="dimmed" mt={4}>
          {t("Nothing was saved. Check the key, or enter an address and a proxy in the full form.")}{" "}
          <Anchor component={Link} to="/panel/channel?edit=new" fz="sm">
            {t("Open the full form")}
          </Anchor>
        </Text>
      )}
    </Alert>
  );
}
