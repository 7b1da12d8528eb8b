/** Suggestions of an empty chat. */
import { SimpleGrid, Text, Title, UnstyledButton } from "@mantine/core";
import { IconBraces, IconLanguage, IconListDetails, IconTable } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./playground.module.css";

export function Suggestions({ onChoose }: { onChoose: (question: string) => void }) {
  const { t } = useTranslation("playground");
  const offers = [
    {
      icon: IconListDetails,
      title: t("Explain"),
      question: t("Explain in three sentences how a streamed response reaches a browser."),
    },
    {
      icon: IconBraces,
      title: t("Write code"),
      question: t("Write code: a TypeScript function that groups a list by a key."),
    },
    {
      icon: IconLanguage,
      title: t("Translate"),
      question: t("Translate “Where is the nearest train station?” into Chinese, Japanese and French."),
    },
    {
      icon: IconTable,
      title: t("Compare"),
      question: t("Make a table that compares HTTP/1.1, HTTP/2 and HTTP/3."),
    },
  ];
  return (
    <div className={classes.start}>
      <Title order={2} fz={22} ta="center">
        {t("What would you like to try?")}
      </Title>
      <Text c="dimmed" ta="center" mt={6} mb="lg">
        {t("All calls go through this gateway and are charged to your balance.")}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {offers.map(({ icon: Picture, title, question }) => (
          <UnstyledButton key={title} className={classes.offer} onClick={() => onChoose(question)}>
            <Picture size={18} stroke={1.7} aria-hidden />
            <span>
              <Text component="span" display="block" fw={500} fz="sm">
                {title}
              </Text>
              <Text component="span" display="block" c="dimmed" fz="sm">
                {question}
              </Text>
            </span>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </div>
  );
}
