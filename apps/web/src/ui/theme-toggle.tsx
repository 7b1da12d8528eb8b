import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Returns the name and the icon of the theme that is not shown, and a function that shows it. */
export function useOtherTheme() {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return {
    label: isDark ? t("Light theme") : t("Dark theme"),
    Icon: isDark ? IconSun : IconMoon,
    show: () => setColorScheme(isDark ? "light" : "dark"),
  };
}

export function ThemeToggle() {
  const { label, Icon, show } = useOtherTheme();
  return (
    <Tooltip label={label}>
      <ActionIcon size={36} aria-label={label} onClick={show}>
        <Icon size={19} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}
