import { Container, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSystemName } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { aboutQuery } from "./api.ts";
import { OperatorPage } from "./operator-page.tsx";

export default function AboutPage() {
  const { t } = useTranslation("site");
  const about = useQuery(aboutQuery);
  const name = useSystemName();
  if (about.data) return <OperatorPage text={about.data} title={t("About {{name}}", { name })} size={760} />;
  return (
    <Container size={760} py={{ base: "lg", sm: 56 }} px={{ base: "md", sm: "lg" }}>
      {about.error ? (
        <LoadError error={about.error} onRetry={() => void about.refetch()} />
      ) : about.data === undefined ? (
        <Skeleton height={240} />
      ) : (
        <Stack>
          <Title order={1}>{t("About {{name}}", { name })}</Title>
          <Text fz="lg" c="dimmed">
            {t(
              "One API for many AI providers. Applications keep the protocol that they already use. The gateway selects a channel, bills the account and logs every call.",
            )}
          </Text>
          <Text>
            {t(
              "The software is open source under the MIT license. The operator of this site can replace this text in the settings.",
            )}
          </Text>
        </Stack>
      )}
    </Container>
  );
}
