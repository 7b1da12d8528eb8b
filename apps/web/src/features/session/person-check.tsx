/** The bot check of public forms. Renders nothing while it is disabled. */
import { Skeleton } from "@mantine/core";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSite } from "#lib/site.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { toast } from "#ui/toast.tsx";

const Widget = lazy(async () => ({ default: (await import("./turnstile-widget.tsx")).TurnstileWidget }));

/** Height of the widget, so that the form does not move when it appears. */
const HEIGHT = 65;

export interface PersonCheck {
  /** Placed above the form's button. */
  widget: ReactNode;
  /**
   * Calls `send` with the token of the check, which is valid once, and starts a new check. While the check is
   * running, it shows a message and returns false.
   */
  pass(send: (token: string) => void): boolean;
}

export function usePersonCheck(): PersonCheck {
  const { t } = useTranslation("session");
  const site = useSite();
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);
  if (!site?.turnstile_check) return { widget: null, pass: withoutCheck };
  return {
    widget: (
      <div style={{ minHeight: HEIGHT }}>
        <LazyBoundary fallback={<Skeleton height={HEIGHT} radius="sm" />}>
          <Widget key={round} siteKey={site.turnstile_site_key} onToken={setToken} />
        </LazyBoundary>
      </div>
    ),
    pass(send) {
      if (token === "") {
        toast.warning(t("Turnstile is checking the user environment, try again in a few seconds."));
        return false;
      }
      send(token);
      setToken("");
      setRound((number) => number + 1);
      return true;
    },
  };
}

function withoutCheck(send: (token: string) => void): boolean {
  send("");
  return true;
}
