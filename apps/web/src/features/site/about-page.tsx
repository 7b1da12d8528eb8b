/** The About page: the operator's own text, or the default one for visitors. */
import { Anchor, Container, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useMayEnter } from "#lib/session.ts";
import { useSite, useSystemName } from "#lib/site.ts";
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
        <Skeleton height={480} />
      ) : (
        <DefaultAbout name={name} />
      )}
    </Container>
  );
}

function DefaultAbout({ name }: { name: string }) {
  const { t } = useTranslation("site");
  const hasStatus = useSite()?.status_page === true;
  const mayReplace = useMayEnter("settings", "edit");
  return (
    <Stack gap="xl">
      <div>
        <Title order={1}>{t("About {{name}}", { name })}</Title>
        <Text fz="lg" c="dimmed" mt="sm">
          {t(
            "{{name}} is a gateway to AI models. Your applications call one address with one key, and reach the models of many providers.",
            { name },
          )}
        </Text>
      </div>
      <Part title={t("What you can use it for")}>
        <Text>
          {t(
            "Applications, scripts and coding agents keep the protocol that they already use: OpenAI's Chat Completions and Responses, Anthropic's Messages, or Gemini. Streams, tools, images and files work with every model that supports them.",
          )}
        </Text>
      </Part>
      <Part title={t("When a provider fails")}>
        <Text>
          {t(
            "Several accounts at providers can serve a model. If one of them fails before the first token, the gateway uses the next one. Your application receives the answer, not the error.",
          )}
        </Text>
      </Part>
      <Part title={t("What a call costs")}>
        <Text>
          {t(
            "You pay for the tokens of a call at the price of its model. Failed calls and empty responses cost nothing. The log shows a bill for each call, and each of your keys can have its own limit.",
          )}
        </Text>
      </Part>
      <Part title={t("Your data")}>
        <Text>
          {t(
            "Requests are sent to the provider of the selected model. The log keeps the time, the model, the number of tokens, the cost and your address. Prompts and answers are stored only where you or the operator enabled it, and are deleted after a period that the operator sets.",
          )}
        </Text>
      </Part>
      <Part title={t("Open source")}>
        <Text>
          {t("{{name}} runs on an open-source gateway. Its source code is available under the MIT license.", {
            name,
          })}
        </Text>
      </Part>
      <Group gap="lg">
        <Anchor component={Link} to="/price">
          {t("Models and prices")}
        </Anchor>
        <Anchor component={Link} to="/connect">
          {t("Connect a client")}
        </Anchor>
        <Anchor component={Link} to="/help">
          {t("Help")}
        </Anchor>
        {hasStatus ? (
          <Anchor component={Link} to="/status">
            {t("Status")}
          </Anchor>
        ) : null}
      </Group>
      {mayReplace ? (
        <Text fz="sm" c="dimmed">
          {t("Only administrators see this line: you can replace this page in the settings.")}
        </Text>
      ) : null}
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} fz="lg" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
