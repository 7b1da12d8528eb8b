/** The empty log of a new user: the command of a first call. */
import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { EmptyRoute } from "#components/route/empty-route.tsx";
import { ClientSamples } from "#components/samples/client-samples.tsx";
import { sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useServerAddress } from "#lib/site.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { Empty } from "#ui/empty.tsx";

export function FirstCall() {
  const { t } = useTranslation("logs");
  const address = useServerAddress();
  const models = useQuery(modelsQuery).data;
  return (
    <Stack gap={0} pb="xl" px="md" align="center">
      <Empty
        compact
        picture={<EmptyRoute />}
        title={t("No calls yet")}
        hint={t("Make your first call. It appears here within a second.")}
      />
      <Stack gap="sm" w="100%" maw={640}>
        <ClientSamples sample={{ address, model: sampleModel(models ?? {}) }} />
        <Text fz="sm" c="dimmed" ta="center">
          {withSpace(t("Use the key of one of your tokens."))}
          <Anchor component={Link} to="/panel/token" fz="sm">
            {t("Create a token")}
          </Anchor>
        </Text>
      </Stack>
    </Stack>
  );
}
