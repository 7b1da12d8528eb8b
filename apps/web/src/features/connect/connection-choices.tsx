/** The choice of model and key. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import type { ClientDialect } from "@gateway/shared/connect/clients";
import type { AvailableModels } from "@gateway/shared/models/model";
import { Anchor, Button, Input, Select, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { kindOfModel, sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useFetchKey } from "#lib/queries/tokens.ts";
import { modelsOfToken } from "#lib/reachable-models.ts";
import { useSelf } from "#lib/session.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { LoadError } from "#ui/empty.tsx";
import { choosableTokensQuery } from "./api.ts";
import { backgroundModelFor } from "./background-model.ts";
import classes from "./connect.module.css";

/** Models that clients of a dialect are made for. */
const families: Partial<Record<ClientDialect, RegExp>> = {
  anthropic: /^claude/,
  gemini: /^gemini/,
  "openai-responses": /^gpt-\d/,
};

type ConnectionChoicesProps = {
  /** The dialect of the client. */
  dialect: ClientDialect;
  /** The chosen model; "" leaves the choice to the page. */
  model: string;
  /** Id of the chosen token; "" is none. */
  token: string;
  /** Whether the key of the token is shown in the settings. */
  inserted: boolean;
  onModel: (name: string) => void;
  onToken: (id: string) => void;
  onKey: (key: string) => void;
  /**
   * Receives the model that the settings contain, the input tokens that it accepts (0 = unknown), and the model for calls
   * in the background.
   */
  onResolved: (name: string, contextWindow: number, background: string) => void;
};

export function ConnectionChoices({
  dialect,
  model,
  token,
  onModel,
  onToken,
  ...rest
}: ConnectionChoicesProps) {
  const { t } = useTranslation("connect");
  const self = useSelf();
  const models = useQuery(modelsQuery);
  const tokens = useQuery({ ...choosableTokensQuery, enabled: Boolean(self) }).data;
  const chosen = tokens?.find(({ id }) => String(id) === token);
  const modelsOfKey = useMemo(
    () =>
      chatModels(chosen ? modelsOfToken(models.data ?? {}, chosen, self?.group ?? "") : (models.data ?? {})),
    [models.data, chosen, self?.group],
  );
  const resolved = model in modelsOfKey ? model : sampleModel(modelsOfKey, families[dialect]);
  const { onResolved } = rest;
  const contextWindow = modelsOfKey[resolved]?.info?.context_length ?? 0;
  const background = backgroundModelFor(resolved, Object.keys(modelsOfKey));
  useEffect(
    () => onResolved(resolved, contextWindow, background),
    [onResolved, resolved, contextWindow, background],
  );
  if (models.error && !models.data)
    return <LoadError error={models.error} onRetry={() => void models.refetch()} />;
  const names = Object.keys(modelsOfKey).sort();
  return (
    <div className={classes.choices}>
      <Select
        label={t("Model")}
        data={names}
        value={resolved === "" ? null : resolved}
        onChange={(name) => (name === null ? undefined : onModel(name))}
        searchable
        allowDeselect={false}
        limit={200}
        disabled={names.length === 0}
        placeholder={models.isPending ? t("Loading…") : t("No models yet")}
        nothingFoundMessage={t("No model matches")}
      />
      {self ? (
        <KeyChoice
          tokens={tokens}
          token={token}
          onToken={onToken}
          inserted={rest.inserted}
          onKey={rest.onKey}
        />
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

function chatModels(models: AvailableModels): AvailableModels {
  return Object.fromEntries(
    Object.entries(models).filter(
      ([name, { info }]) => kindOfModel(name, info?.output_modalities ?? []) === "chat",
    ),
  );
}

type KeyChoiceProps = Pick<ConnectionChoicesProps, "token" | "onToken" | "inserted" | "onKey"> & {
  /** Undefined while loading. */
  tokens: TokenRow[] | undefined;
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
