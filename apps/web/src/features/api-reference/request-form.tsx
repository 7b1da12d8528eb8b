/** Sends an operation to this gateway and shows the response. */
import { Alert, Badge, Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "#components/samples/code-box.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { inForm } from "#lib/query-client.ts";
import { confirm } from "#ui/confirm.tsx";
import { JsonTextField } from "#ui/json/json-text-field.tsx";
import { sendRequest } from "./api.ts";
import { addressOf, exampleOf, type Operation, typeOf } from "./document.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function RequestForm({ operation }: { operation: Operation }) {
  const { t } = useTranslation("api-reference");
  const { method, parameters, body: schema } = operation;
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() => (schema ? JSON.stringify(exampleOf(schema), null, 2) : ""));
  const send = useMutation({
    mutationFn: (address: string) => sendRequest(method, address, schema ? body : undefined),
    meta: inForm,
  });
  const address = addressOf(operation, values);
  const isReady = address !== null && (!schema || isJson(body));

  const submit = async () => {
    if (address === null) return;
    const isSure =
      method === "GET" ||
      (await confirm({
        title: t("Send this request?"),
        body: t("It changes data of this gateway, as a script would: {{request}}", {
          request: `${method} ${address}`,
        }),
        action: t("Send"),
      }));
    if (isSure) send.mutate(address);
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="sm">
        <Title order={4}>{t("Try it")}</Title>
        {parameters.length > 0 ? (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {parameters.map(({ name, in: place, schema: type = {} }) => (
              <TextInput
                key={name}
                label={<span translate="no">{name}</span>}
                withAsterisk={place === "path"}
                placeholder={typeOf(type)}
                value={values[name] ?? ""}
                onChange={(event) => {
                  const { value } = event.currentTarget;
                  setValues((before) => ({ ...before, [name]: value }));
                }}
              />
            ))}
          </SimpleGrid>
        ) : null}
        {schema ? <JsonTextField label={t("JSON body")} value={body} onChange={setBody} /> : null}
        <Group>
          <Button
            type="submit"
            variant={method === "GET" ? "filled" : "default"}
            loading={send.isPending}
            disabled={!isReady}
          >
            {t("Send request")}
          </Button>
        </Group>
        {send.error ? (
          <Alert color="red" role="alert">
            {errorReason(send.error, t)}
          </Alert>
        ) : null}
        {send.data ? (
          <div role="status" aria-label={t("Response")}>
            <CodeBox
              code={send.data.text}
              label={t("Response")}
              bar={
                <Group gap="xs">
                  <Badge color={send.data.status < 400 ? "green" : "red"}>{send.data.status}</Badge>
                  <Text span fz="xs" c="dimmed">
                    {Math.round(send.data.durationMs)} ms
                  </Text>
                  {send.data.isCut ? (
                    <Text span fz="xs" c="dimmed">
                      {t("Only the beginning is shown.")}
                    </Text>
                  ) : null}
                </Group>
              }
            />
          </div>
        ) : null}
      </Stack>
    </form>
  );
}
