import { IconCloudOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useReachability } from "#lib/live/connection.ts";
import classes from "./root.module.css";

/**
 * Warns that the page is out of date until the server responds again. Covers no control and shifts no layout.
 */
export function ConnectionBanner() {
  const { t } = useTranslation();
  const reach = useReachability();
  return (
    <div role="status" className={classes.banner} data-shown={reach !== "reached" || undefined}>
      {reach === "reached" ? null : (
        <>
          <IconCloudOff size={16} aria-hidden />
          {reach === "offline"
            ? t("You are offline. The data on this page may be out of date.")
            : t("The server cannot be reached. Reconnecting…")}
        </>
      )}
    </div>
  );
}
