/** The check that a person sits here, for forms that anyone may send. Nothing at all while it is switched off. */
import { Skeleton } from "@mantine/core";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSite } from "#lib/site.ts";
import { LatePart } from "#ui/late-part.tsx";
import { toast } from "#ui/toast.tsx";

const Widget = lazy(async () => ({ default: (await import("./turnstile-widget.tsx")).TurnstileWidget }));

/** Of the widget, so that the form does not jump when it appears. */
const HEIGHT = 65;

export interface PersonCheck {
  /** Stands above the button of the form. */
  widget: ReactNode;
  /**
   * Sends with the answer of the check, which is good for one time; a new check begins. While it still runs, says so
   * instead and answers false.
   */
  pass(send: (token: string) => void): boolean;
}

export function usePersonCheck(): PersonCheck {
  const { t } = useTranslation();
  const site = useSite();
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);
  if (!site?.turnstile_check) return { widget: null, pass: withoutCheck };
  return {
    widget: (
      <div style={{ minHeight: HEIGHT }}>
        <LatePart fallback={<Skeleton height={HEIGHT} radius="sm" />}>
          <Widget key={round} siteKey={site.turnstile_site_key} onToken={setToken} />
        </LatePart>
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
