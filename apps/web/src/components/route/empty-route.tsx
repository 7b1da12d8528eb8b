/** The route that calls will take, in lists that are still empty. */
import { useTranslation } from "react-i18next";
import { useSystemName } from "#lib/site.ts";
import { RoutePicture } from "./route-picture.tsx";

export function EmptyRoute() {
  const { t } = useTranslation();
  return (
    <RoutePicture
      label={t("A call goes through the gateway to a channel, and to the next channel if that one fails.")}
      client={t("Your app")}
      gateway={useSystemName()}
      stops={[
        { id: "first", name: t("First channel"), note: t("Highest priority"), state: "unused" },
        { id: "next", name: t("Next channel"), note: t("Used if the first one fails"), state: "unused" },
      ]}
    />
  );
}
