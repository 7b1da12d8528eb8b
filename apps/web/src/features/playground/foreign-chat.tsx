/**
 * An external chat client set by the operator. It gets a key, so nothing is loaded before the user agrees.
 */
import { fillChatLink } from "@gateway/shared/site/chat-link";
import type { ChatLinkEntry } from "@gateway/shared/site/formats/chat-link-entry";
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useServerAddress } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { keyQuery } from "./api.ts";
import classes from "./playground.module.css";

export function ForeignChat({ link }: { link: ChatLinkEntry }) {
  const { t } = useTranslation("playground");
  const server = useServerAddress();
  const key = useQuery(keyQuery);
  const [here, setHere] = useState(false);
  if (key.error) return <LoadError error={key.error} onRetry={() => void key.refetch()} />;
  if (!key.data) return null;
  const address = fillChatLink(link.url, key.data, server);
  const embeddable = /^https?:/i.test(link.url);
  if (here)
    return (
      <iframe
        src={address}
        title={link.name}
        className={classes.foreign}
        sandbox={sandboxFor(address)}
        referrerPolicy="no-referrer"
      />
    );
  return (
    <Alert color="iris" variant="light" className={classes.foreignAsk} title={link.name}>
      <Text fz="sm">
        {t(
          "This chat is hosted on another site, {{host}}. It receives one of your keys and can spend your balance.",
          {
            host: hostOf(link.url),
          },
        )}
      </Text>
      <Group gap="xs" mt="md">
        {embeddable ? <Button onClick={() => setHere(true)}>{t("Open here")}</Button> : null}
        <Button
          component="a"
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          variant={embeddable ? "default" : "filled"}
          rightSection={<IconExternalLink size={15} />}
        >
          {t("Open in a new tab")}
        </Button>
      </Group>
    </Alert>
  );
}

/** Chat clients use their own origin's storage. A page of our origin must never access ours. */
function sandboxFor(address: string): string {
  const foreign = URL.parse(address)?.origin !== window.location.origin;
  return `allow-scripts allow-forms allow-popups allow-downloads${foreign ? " allow-same-origin" : ""}`;
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? url.slice(0, url.indexOf(":") + 1);
}
