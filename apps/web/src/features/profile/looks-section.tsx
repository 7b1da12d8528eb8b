import { Group, Input, SegmentedControl, Select, useMantineColorScheme } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { currentLanguage, type Language, languages, setLanguage } from "#lib/i18n.ts";
import { Section } from "#ui/page/page.tsx";
import { useChangeProfile } from "./api.ts";

export function LooksSection() {
  const { t } = useTranslation("profile");
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const change = useChangeProfile();
  const choose = (language: Language) => {
    void setLanguage(language);
    change.mutate({ language });
  };
  return (
    <Section
      title={t("Appearance")}
      hint={t("The language is saved in your account, the theme in this browser.")}
    >
      <Group gap="md" align="flex-start">
        <Select
          label={t("Language")}
          w={220}
          data={languages.map(({ id, name }) => ({ value: id, label: name }))}
          value={currentLanguage()}
          onChange={(value) => value && choose(value)}
          allowDeselect={false}
        />
        <Input.Wrapper label={t("Theme")} labelElement="div" labelProps={{ id: "theme-label" }}>
          <SegmentedControl
            display="flex"
            w="fit-content"
            aria-labelledby="theme-label"
            data={[
              { value: "light", label: t("Light") },
              { value: "dark", label: t("Dark") },
              { value: "auto", label: t("System default") },
            ]}
            value={colorScheme}
            onChange={(value) => setColorScheme(value)}
          />
        </Input.Wrapper>
      </Group>
    </Section>
  );
}
