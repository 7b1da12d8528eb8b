/** Warns that orders need the public address of this site. Administrators also get a link to the setting. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconWorldOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useCan } from "#lib/session.ts";

export function AddressMissing() {
  const { t } = useTranslation();
  const isAdmin = useCan("administer");
  return (
    <Alert color="amber" icon={<IconWorldOff size={18} />} role="status">
      <Group justify="space-between" gap="sm">
        <Text fz="sm" miw={0}>
          {isAdmin
            ? t(
                "Configure the server address before you accept payments. Payment gateways send their notifications to it.",
              )
            : t("Online payment is not available yet. Contact the administrator.")}
        </Text>
        {isAdmin ? (
          <Button component={Link} to="/panel/setting?q=Server%20address" size="xs" variant="default">
            {t("Configure the server address")}
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
