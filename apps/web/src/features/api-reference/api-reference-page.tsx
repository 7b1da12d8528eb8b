/** The operations of the management API, each with its fields and a form that sends it. */
import { Accordion, Badge, Button, Center, Code, Loader, Stack, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { apiUrl } from "#lib/http.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { SearchBox } from "#ui/table/filters.tsx";
import { apiDocumentQuery } from "./api.ts";
import { groupOperations, type Operation, operationsOf } from "./document.ts";
import classes from "./api-reference.module.css";

const OperationDetails = lazyPart(async () => (await import("./operation-details.tsx")).OperationDetails);

function colorOf(method: string): string {
  if (method === "DELETE") return "red";
  return method === "GET" ? "gray" : "iris";
}

export default function ApiReferencePage() {
  const { t } = useTranslation("api-reference");
  const { data, error, refetch } = useQuery(apiDocumentQuery);
  const [search, setSearch] = useSearchParams();
  const query = search.get("q") ?? "";
  const operations = useMemo(() => (data ? operationsOf(data) : []), [data]);
  const groups = groupOperations(operations, query);
  return (
    <Page
      title={t("API reference")}
      description={t(
        "The management API. Requests that you send here use your session and your permissions; scripts send an access token instead.",
      )}
      actions={
        <Button
          component="a"
          href={apiUrl("/openapi.json")}
          target="_blank"
          variant="default"
          rightSection={<IconExternalLink size={16} stroke={1.7} />}
        >
          OpenAPI
        </Button>
      }
    >
      <SearchBox
        value={query}
        onChange={(value) => setSearch(value === "" ? {} : { q: value }, { replace: true })}
        placeholder={t("Search operations")}
        width="100%"
      />
      {error ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Center h={240}>
          <Loader size="sm" aria-label={t("Loading")} />
        </Center>
      ) : null}
      {data && groups.length === 0 ? (
        <Empty title={t("No operation found")} hint={t("Try another word, for example part of a path.")} />
      ) : null}
      {groups.map(([area, members]) => (
        <Section key={area} title={<span lang="en">{area}</span>}>
          <Operations operations={members} />
        </Section>
      ))}
      {data ? <AiEndpoints /> : null}
    </Page>
  );
}

function Operations({ operations }: { operations: Operation[] }) {
  const [opened, setOpened] = useState<string[]>([]);
  return (
    <Accordion
      multiple
      value={opened}
      onChange={setOpened}
      chevronPosition="left"
      order={3}
      classNames={{ content: classes.panel ?? "" }}
    >
      {operations.map((operation) => (
        <Accordion.Item key={operation.id} value={operation.id}>
          <Accordion.Control>
            <span className={classes.operation} lang="en">
              <Badge variant="light" color={colorOf(operation.method)} className={classes.method ?? ""}>
                {operation.method}
              </Badge>
              <Code className={classes.path ?? ""}>{operation.path}</Code>
              <Text span fz="sm" c="dimmed">
                {operation.summary}
              </Text>
            </span>
          </Accordion.Control>
          <Accordion.Panel>
            {opened.includes(operation.id) ? <OperationDetails operation={operation} /> : null}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

const aiEndpoints = [
  "POST /v1/chat/completions",
  "POST /v1/responses",
  "POST /v1/messages",
  "POST /v1beta/models/{model}:generateContent",
  "POST /v1beta/interactions",
  "POST /v1/embeddings",
  "POST /v1/rerank",
  "POST /v1/moderations",
  "POST /v1/images/generations",
  "POST /v1/audio/speech",
  "POST /v1/audio/transcriptions",
  "GET /v1/realtime",
  "GET /v1/models",
];

function AiEndpoints() {
  const { t } = useTranslation("api-reference");
  return (
    <Section
      title={t("AI endpoints")}
      hint={t(
        "They have the formats of OpenAI, Anthropic and Google, and need an API key. Try them in the playground.",
      )}
    >
      <Stack gap={6}>
        {aiEndpoints.map((endpoint) => (
          <Code key={endpoint} className={classes.path ?? ""}>
            {endpoint}
          </Code>
        ))}
      </Stack>
    </Section>
  );
}
