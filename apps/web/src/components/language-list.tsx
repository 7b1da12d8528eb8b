import { Menu } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { currentLanguage, languages, setLanguage } from "#lib/i18n.ts";

/** The language menu, opened below its button. */
export function LanguageList({ button }: { button: ReactNode }) {
  const current = currentLanguage();
  return (
    <Menu position="bottom-end" width={170} defaultOpened>
      <Menu.Target>{button}</Menu.Target>
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
