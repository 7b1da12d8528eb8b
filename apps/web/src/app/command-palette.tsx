import "@mantine/spotlight/styles.css";
import { can } from "@gateway/shared/roles";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconHome, IconInfoCircle, IconSearch } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useSelf } from "#lib/session.ts";
import { screens } from "./screens.ts";

/** ⌘K: every screen the person may see. */
export function CommandPalette() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const role = useSelf()?.role ?? 0;
  const actions: SpotlightActionData[] = screens
    .filter((screen) => !screen.action || can(role, screen.action))
    .map((screen) => ({
      id: screen.id,
      label: t(screen.title),
      // The English name works in every language.
      keywords: [screen.title, screen.id, screen.keywords ?? ""],
      leftSection: <screen.icon size={18} stroke={1.7} />,
      onClick: () => void navigate(`/panel/${screen.id}`),
    }));
  actions.push(
    {
      id: "home",
      label: t("Home"),
      keywords: ["home"],
      leftSection: <IconHome size={18} stroke={1.7} />,
      onClick: () => void navigate("/"),
    },
    {
      id: "about",
      label: t("About"),
      keywords: ["about"],
      leftSection: <IconInfoCircle size={18} stroke={1.7} />,
      onClick: () => void navigate("/about"),
    },
  );
  return (
    <Spotlight
      shortcut="mod + K"
      actions={actions}
      radius="lg"
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      nothingFound={t("Nothing found")}
      scrollAreaProps={{ mah: 420 }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t("Go to…"),
        "aria-label": t("Go to…"),
      }}
    />
  );
}
