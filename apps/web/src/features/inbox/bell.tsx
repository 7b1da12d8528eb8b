/** The bell in the console's header: unread notifications. */
import { ActionIcon } from "@mantine/core";
import { IconBell, IconBellExclamation } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSelf } from "#lib/session.ts";
import { LatePart } from "#ui/late-part.tsx";
import { stateQuery } from "./state.ts";
import classes from "./bell.module.css";

const BellPanel = lazy(() => import("./bell-panel.tsx").then((module) => ({ default: module.BellPanel })));

/** Larger numbers are shown as "99+". */
const MOST_SHOWN = 99;

export function Bell() {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
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
  const face = (
    <>
      <Picture size={19} stroke={1.7} />
      {unread > 0 ? (
        <span className={classes.count} aria-hidden>
          {number}
        </span>
      ) : null}
    </>
  );
  const closed = (
    <ActionIcon
      size={36}
      aria-label={label}
      title={label}
      aria-haspopup="dialog"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      {face}
    </ActionIcon>
  );
  if (!wanted) return closed;
  return (
    <LatePart fallback={closed}>
      <BellPanel label={label} face={face} />
    </LatePart>
  );
}
