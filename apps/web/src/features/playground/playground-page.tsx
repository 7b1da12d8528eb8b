/** Chats with models through the gateway, with the console's own key, or through an external client. */
import { shownChatLinks } from "@gateway/shared/site/chat-link";
import type { ChatLinkEntry } from "@gateway/shared/site/formats/chat-link-entry";
import { Button, Group, Menu, Skeleton } from "@mantine/core";
import { IconArrowLeft, IconChevronDown } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearchParams } from "react-router-dom";
import { sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useSelf } from "#lib/session.ts";
import { usePageTitle, useSite } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { ChatView } from "./chat-view.tsx";
import classes from "./playground.module.css";

const ForeignChat = lazy(async () => ({ default: (await import("./foreign-chat.tsx")).ForeignChat }));

export default function PlaygroundPage() {
  const { t } = useTranslation("playground");
  usePageTitle(t("Playground"));
  const site = useSite();
  const [search, setSearch] = useSearchParams();
  const [frame, height] = useFittedHeight();
  const links = shownChatLinks(site?.chat_links ?? "", site?.chat_link);
  const clientName = search.get("client");
  const shown = links.find((link) => link.name === clientName);
  return (
    <div ref={frame} className={classes.page} style={{ height }}>
      <h1 className={classes.hiddenTitle}>{t("Playground")}</h1>
      {links.length > 0 ? (
        <OtherClients
          links={links}
          shown={shown}
          onChoose={(link) => setSearch(link ? { client: link.name } : {}, { replace: true })}
        />
      ) : null}
      {shown ? (
        <Suspense fallback={<Skeleton className={classes.chat ?? ""} />}>
          <ForeignChat key={shown.name} link={shown} />
        </Suspense>
      ) : (
        <OwnChat />
      )}
    </div>
  );
}

type OtherClientsProps = {
  links: readonly ChatLinkEntry[];
  /** Undefined while our own chat is shown. */
  shown: ChatLinkEntry | undefined;
  onChoose: (link: ChatLinkEntry | undefined) => void;
};

/** The external chat clients in one menu, and the way back to our own chat. */
function OtherClients({ links, shown, onChoose }: OtherClientsProps) {
  const { t } = useTranslation("playground");
  return (
    <Group
      justify="space-between"
      mb="sm"
      className={classes.clients ?? ""}
      data-menu-only={shown === undefined || undefined}
    >
      {shown ? (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowLeft size={15} />}
          onClick={() => onChoose(undefined)}
        >
          {t("Back to the chat")}
        </Button>
      ) : null}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" size="xs" rightSection={<IconChevronDown size={15} />}>
            {t("Other clients")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {links.map((link) => (
            <Menu.Item key={link.name} onClick={() => onChoose(link)}>
              {link.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function OwnChat() {
  const self = useSelf();
  const modelInAddress = useSearchParams()[0].get("model");
  const { state } = useLocation();
  const models = useQuery(modelsQuery);
  if (models.error && !models.data)
    return <LoadError error={models.error} onRetry={() => void models.refetch()} />;
  if (!self || !models.data) return <Skeleton className={classes.chat ?? ""} />;
  // The console's key belongs to the user's own group.
  const own = Object.entries(models.data).filter(([, model]) => model.groups.includes(self.group));
  const names = own.map(([name]) => name).sort((a, b) => a.localeCompare(b));
  return (
    <ChatView
      // A draft that another screen passes begins a new chat, also while the playground is open.
      key={`${self.id} ${JSON.stringify(state)}`}
      userId={self.id}
      models={names}
      defaultModel={sampleModel(Object.fromEntries(own)) || (names[0] ?? "")}
      wanted={modelInAddress !== null && names.includes(modelInAddress) ? modelInAddress : undefined}
    />
  );
}

/** Fits the height of the element to the space below its top edge. */
function useFittedHeight() {
  const ref = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (ref.current) setTop(Math.round(ref.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, []);
  return [ref, `max(440px, calc(100dvh - ${top}px - var(--rest)))`] as const;
}
