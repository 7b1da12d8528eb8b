import { ActionIcon } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { LateMenu } from "#ui/floating/late-menu.tsx";

const LanguageList = lazy(() =>
  import("./language-list.tsx").then((module) => ({ default: module.LanguageList })),
);

export function LanguageMenu() {
  const { t } = useTranslation();
  return (
    <LateMenu Menu={LanguageList}>
      <ActionIcon size={36} aria-label={t("Language")} title={t("Language")}>
        <IconLanguage size={19} stroke={1.7} />
      </ActionIcon>
    </LateMenu>
  );
}
