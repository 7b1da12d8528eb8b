/** Opens the page of Help about a form or section in a new tab, so that nothing typed is lost. */
import { ActionIcon } from "@mantine/core";
import { IconHelpCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";

/**
 * @param help a page of docs/ without ".md", with the anchor of a heading: "billing#units"
 * @param about translated title of the form or section
 */
export function HelpLink({ help, about }: { help: string; about: string }) {
  const { t } = useTranslation();
  const label = t("Help: {{subject}}", { subject: about });
  return (
    <ActionIcon component={Link} to={`/panel/help/${help}`} target="_blank" aria-label={label} title={label}>
      <IconHelpCircle size={18} stroke={1.7} />
    </ActionIcon>
  );
}
