/** The bell in the console's header: unread notifications, with the latest in a popover. */
import { ActionIcon, Center, Loader, Popover } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconBell, IconBellExclamation } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { useSelf } from "#lib/session.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { stateQuery } from "./state.ts";
import classes from "./bell.module.css";

const LatestEntries = lazy(() =>
  import("./latest-entries.tsx").then((module) => ({ default: module.LatestEntries })),
);

/** Larger numbers are shown as "99+". */
const MOST_SHOWN = 99;

export function Bell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure();
  const signedIn = Boolean(useSelf());
  const { data, isError } = useQuery({ ...stateQuery, enabled: signedIn });
  const unread = data?.unread ?? 0;
  const number = unread > MOST_SHOWN ? `${MOST_SHOWN}+` : String(unread);
  const label = isError
    ? t("Notifications (not up to date)")
    : unread > 0
      ? t("Notifications, {{number}} unread", { number })
      : t("Notifications");
  const Picture = isError ? IconBellExclamation : IconBell;
  // Works also when the focused button no longer exists.
  useHotkeys([["Escape", close]], []);
  return (
    <Popover
      opened={opened}
      onChange={(next) => !next && close()}
      position="bottom-end"
      width="min(420px, calc(100vw - 20px))"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon size={36} aria-label={label} title={label} onClick={toggle}>
          <Picture size={19} stroke={1.7} />
          {unread > 0 ? (
            <span className={classes.count} data-wide={unread > 9 || undefined} aria-hidden>
              {number}
            </span>
          ) : null}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} className={classes.panel ?? ""}>
        <LazyBoundary fallback={<Waiting />}>
          <LatestEntries onLeave={close} waiting={<Waiting />} />
        </LazyBoundary>
      </Popover.Dropdown>
    </Popover>
  );
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <Center h={140}>
      <Loader size="sm" aria-label={t("Loading")} />
    </Center>
  );
}
