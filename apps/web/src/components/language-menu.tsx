import { IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { currentLanguage, languages, setLanguage } from "#lib/i18n.ts";
import { LazyMenu } from "#ui/lazy-menu.tsx";

export function LanguageMenu() {
  const { t } = useTranslation();
  const current = currentLanguage();
  return (
    <LazyMenu
      label={t("Language")}
      icon={<IconLanguage size={19} stroke={1.7} />}
      width={170}
      entries={languages.map(({ id, tag, name }) => ({
        label: name,
        lang: tag,
        isCurrent: id === current,
        action: () => void setLanguage(id),
      }))}
    />
  );
}
