import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Tooltip } from "./floating/tooltip.tsx";

export function ThemeToggle() {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const label = scheme === "dark" ? t("Light theme") : t("Dark theme");
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={36}
        aria-label={label}
        onClick={() => setColorScheme(scheme === "dark" ? "light" : "dark")}
      >
        {scheme === "dark" ? <IconSun size={19} stroke={1.7} /> : <IconMoon size={19} stroke={1.7} />}
      </ActionIcon>
    </Tooltip>
  );
}
