/** /jump?url=: redirects from a link in a message to the user's chat app. */
import { Button, Center, VisuallyHidden } from "@mantine/core";
import { IconExternalLink, IconUnlink } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { usePageTitle } from "#lib/site.ts";
import { Empty } from "#ui/empty.tsx";
import { appAddress } from "./jump.ts";

export default function JumpPage() {
  const { t } = useTranslation("site");
  const address = appAddress(useLocation().search);
  usePageTitle(t("Open in the app"));
  useEffect(() => {
    if (address !== null) window.location.replace(address);
  }, [address]);
  return (
    <Center mih="60vh" p="lg">
      <VisuallyHidden component="h1">{t("Open in the app")}</VisuallyHidden>
      {address === null ? (
        <Empty
          icon={IconUnlink}
          title={t("This link cannot be opened")}
          hint={t("This page only opens links to OpenCat and AMA.")}
          action={
            <Button component={Link} to="/">
              {t("Go to the home page")}
            </Button>
          }
        />
      ) : (
        <Empty
          icon={IconExternalLink}
          title={t("Opening your app")}
          hint={t("If nothing happens, install the app and try again.")}
          action={
            <Button component="a" href={address}>
              {t("Open in the app")}
            </Button>
          }
        />
      )}
    </Center>
  );
}
