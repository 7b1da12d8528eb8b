/** The choice of model and key. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { Anchor, Button, Input, Select, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFetchKey } from "#lib/queries/tokens.ts";
import { useSelf } from "#lib/session.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { LoadError } from "#ui/empty.tsx";
import type { useModelChoice } from "./use-model-choice.ts";
import classes from "./connect.module.css";

type ConnectionChoicesProps = {
  choice: ReturnType<typeof useModelChoice>;
  onModel: (name: string) => void;
} & KeyChoiceProps;

export function ConnectionChoices({ choice, onModel, ...key }: ConnectionChoicesProps) {
  const { t } = useTranslation("connect");
  const self = useSelf();
  const { query, names, model } = choice;
  if (query.error && !query.data)
    return <LoadError error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className={classes.choices}>
      <Select
        label={t("Model")}
        data={names}
        value={model === "" ? null : model}
        onChange={(name) => (name === null ? undefined : onModel(name))}
        searchable
        allowDeselect={false}
        limit={200}
        disabled={names.length === 0}
        placeholder={query.isPending ? t("Loading…") : t("No models yet")}
        nothingFoundMessage={t("No model matches")}
      />
      {self ? (
        <KeyChoice {...key} />
      ) : (
        <Input.Wrapper label={t("Key")} labelElement="div">
          <Text fz="sm" c="dimmed">
            {withSpace(t("The settings contain a placeholder instead of a key."))}
            <Anchor component={Link} to="/login" fz="sm">
              {t("Sign in to use one of your keys")}
            </Anchor>
          </Text>
        </Input.Wrapper>
      )}
    </div>
  );
}

type KeyChoiceProps = {
  /** Undefined while loading. */
  tokens: TokenRow[] | undefined;
  /** Id of the chosen token; "" is none. */
  token: string;
  /** Whether the key of the token is shown in the settings. */
  inserted: boolean;
  onToken: (id: string) => void;
  onKey: (key: string) => void;
};

function KeyChoice({ tokens, token, onToken, inserted, onKey }: KeyChoiceProps) {
  const { t } = useTranslation("connect");
  const fetchKey = useFetchKey();
  const usable = tokens?.filter(({ status }) => status === TokenStatus.enabled) ?? [];
  const hasToken = usable.some(({ id }) => String(id) === token);
  if (tokens && usable.length === 0)
    return (
      <Input.Wrapper label={t("Key")} labelElement="div">
        <Button
          component={Link}
          to="/panel/token?edit=new"
          variant="default"
          display="block"
          w="fit-content"
          leftSection={<IconKey size={16} />}
        >
          {t("Create a token")}
        </Button>
      </Input.Wrapper>
    );
  return (
    <Stack gap={6}>
      <Select
        label={t("Key")}
        data={usable.map(({ id, name, key_hint }) => ({ value: String(id), label: `${name} · ${key_hint}` }))}
        value={hasToken ? token : null}
        onChange={(id) => onToken(id ?? "")}
        placeholder={t("Select one of your tokens")}
        searchable
        clearable
        nothingFoundMessage={t("No token matches")}
      />
      {hasToken && !inserted ? (
        <Button
          variant="default"
          size="xs"
          style={{ justifySelf: "start", alignSelf: "flex-start" }}
          leftSection={<IconKey size={14} />}
          loading={fetchKey.isPending}
          onClick={() =>
            fetchKey.mutate(Number(token), {
              onSuccess: (key) => {
                onKey(key);
                fetchKey.reset();
              },
            })
          }
        >
          {t("Insert the key")}
        </Button>
      ) : null}
      {hasToken && inserted ? (
        <Text fz="xs" c="dimmed">
          {t("The settings below contain your full key. Do not share your screen.")}
        </Text>
      ) : null}
    </Stack>
  );
}
