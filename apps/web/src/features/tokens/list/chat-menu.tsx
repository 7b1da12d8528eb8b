import type { TokenRow } from "@gateway/shared/accounts/token";
import { fillChatLink, shownChatLinks } from "@gateway/shared/site/chat-link";
import { ActionIcon, Loader, Menu, Text, Tooltip } from "@mantine/core";
import { IconExternalLink, IconMessageCircle } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFetchKey } from "#lib/queries/tokens.ts";
import { useServerAddress, useSite } from "#lib/site.ts";

/**
 * Opens a chat client with the key. The key is fetched when
 * the menu opens, so that its items are plain links.
 */
export function ChatMenu({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const site = useSite();
  const server = useServerAddress();
  const { mutate, data: key, error, reset } = useFetchKey();
  const links = useMemo(() => shownChatLinks(site?.chat_links ?? "", site?.chat_link), [site]);
  if (links.length === 0) return null;
  return (
    <Menu position="bottom-end" width={260} onOpen={() => mutate(token.id)} onClose={reset} withinPortal>
      <Tooltip label={t("Chat")}>
        <Menu.Target>
          <ActionIcon size={30} aria-label={t("Chat")}>
            <IconMessageCircle size={17} stroke={1.7} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Label>{t("Open a chat client with this key")}</Menu.Label>
        {links.map((link) => (
          <Menu.Item
            key={link.name + link.url}
            component="a"
            href={key ? fillChatLink(link.url, key, server) : undefined}
            target="_blank"
            rel="noopener noreferrer"
            disabled={!key}
            rightSection={key || error ? <IconExternalLink size={14} /> : <Loader size={12} />}
          >
            <Text span truncate fz="sm">
              {link.name}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
