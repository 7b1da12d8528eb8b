import { ActionIcon, Menu } from "@mantine/core";
import { IconCheck, IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { currentLanguage, languages, setLanguage } from "#lib/i18n.ts";

export function LanguageMenu() {
  const { t } = useTranslation();
  const current = currentLanguage();
  return (
    <Menu position="bottom-end" width={170}>
      <Menu.Target>
        <ActionIcon size={36} aria-label={t("Language")} title={t("Language")}>
          <IconLanguage size={19} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((language) => (
          <Menu.Item
            key={language.id}
            lang={language.tag}
            aria-current={language.id === current || undefined}
            rightSection={language.id === current ? <IconCheck size={15} /> : null}
            onClick={() => void setLanguage(language.id)}
          >
            {language.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
