/** Commands and settings files that connect a client. The same on the public site, with a placeholder as key. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { clientById, clients } from "@gateway/shared/connect/clients";
import { KEY_PLACEHOLDER, type Platform, platforms } from "@gateway/shared/connect/connection";
import { Card, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useListParams } from "#lib/address/list-params.ts";
import { matching, textParam } from "#lib/address/params.ts";
import { useSelf } from "#lib/session.ts";
import { useServerAddress } from "#lib/site.ts";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { choosableTokensQuery } from "./api.ts";
import { ClientList } from "./client-list.tsx";
import { ConnectionChoices } from "./connection-choices.tsx";
import { FirstCallLine } from "./first-call-line.tsx";
import { keyOfPart, PartView } from "./part-view.tsx";
import { pitfallTexts } from "./pitfall-texts.ts";
import { useModelChoice } from "./use-model-choice.ts";
import classes from "./connect.module.css";

const connectParams = {
  client: textParam(40),
  model: textParam(160),
  /** Id of the token; "" is none. */
  token: matching(/^\d{0,10}$/),
};

function ownPlatform(): Platform {
  const agent = navigator.userAgent;
  if (agent.includes("Windows")) return "Windows";
  return /Mac OS X|Macintosh/.test(agent) ? "macOS" : "Linux";
}

/** Returns the id of the enabled token that was used last, else of the newest; "" without one. */
function lastUsed(tokens: readonly TokenRow[]): string {
  const [first] = tokens
    .filter(({ status }) => status === TokenStatus.enabled)
    .toSorted((a, b) => (b.accessed_time ?? 0) - (a.accessed_time ?? 0));
  return first === undefined ? "" : String(first.id);
}

export default function ConnectPage() {
  const { t } = useTranslation("connect");
  const self = useSelf();
  const address = useServerAddress();
  const [params, setParams] = useListParams(connectParams);
  const tokens = useQuery({ ...choosableTokensQuery, enabled: Boolean(self) }).data;
  const [hasCleared, setCleared] = useState(false);
  // The key is only selected. Its text is inserted on request.
  const token = params.token === "" && !hasCleared ? lastUsed(tokens ?? []) : params.token;
  const [platform, setPlatform] = useState(ownPlatform);
  const client = clientById(params.client) ?? clients[0];
  const choice = useModelChoice(
    client.dialect,
    params.model,
    tokens?.find(({ id }) => String(id) === token),
  );
  // Kept for the token that it belongs to, so that another choice never shows it.
  const [inserted, setInserted] = useState({ token: "", key: "" });
  const key = inserted.token === token && inserted.key !== "" ? inserted.key : KEY_PLACEHOLDER;
  const parts = client.parts({
    baseUrl: address,
    model: choice.model || "<model>",
    key,
    contextWindow: choice.contextWindow,
    backgroundModel: choice.backgroundModel,
  });
  return (
    <Page
      title={t("Connect a client")}
      description={t("Select your client and copy the settings that connect it to this gateway.")}
    >
      <div className={classes.columns}>
        <ClientList value={client.id} onChange={(id) => setParams({ client: id })} />
        <div className={classes.instructions}>
          <Card padding="lg">
            <ConnectionChoices
              choice={choice}
              tokens={tokens}
              token={token}
              inserted={key !== KEY_PLACEHOLDER}
              onModel={(name) => setParams({ model: name })}
              onToken={(id) => {
                setCleared(id === "");
                setParams({ token: id });
              }}
              onKey={(text) => setInserted({ token, key: text })}
            />
          </Card>
          <Section
            title={client.name}
            aside={
              <ChoiceBar
                label={t("Operating system")}
                choices={platforms}
                value={platform}
                onChange={setPlatform}
              />
            }
          >
            <ol className={classes.steps}>
              {parts.map((part) => (
                <PartView
                  key={keyOfPart(part)}
                  part={part}
                  platform={platform}
                  complete={key !== KEY_PLACEHOLDER}
                />
              ))}
            </ol>
          </Section>
          <Section title={t("Troubleshooting")}>
            <ul className={classes.pitfalls}>
              {client.pitfalls.map((pitfall) => (
                <Text key={pitfall} component="li" fz="inherit">
                  {t(pitfallTexts[pitfall])}
                </Text>
              ))}
            </ul>
          </Section>
          {self ? <FirstCallLine /> : null}
        </div>
      </div>
    </Page>
  );
}
