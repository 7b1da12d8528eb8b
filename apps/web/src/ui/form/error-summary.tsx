/** Lists the invalid fields of a form in one line. Each is a link to its field. */
import { Anchor, Group, Text } from "@mantine/core";
import type { FormErrors } from "@mantine/form";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "./error-summary.module.css";

/** Focuses the field of a path. Focuses "models" for "models.3" when no closer element exists. */
export function focusField(form: HTMLElement | null, path: string): void {
  for (let rest = path; rest !== ""; rest = rest.slice(0, Math.max(0, rest.lastIndexOf(".")))) {
    const field = form?.querySelector<HTMLElement>(`[data-path="${CSS.escape(rest)}"]`);
    if (!field) continue;
    field.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
    return;
  }
}

type ErrorSummaryProps = {
  errors: FormErrors;
  fieldName: (path: string) => string;
  onChoose: (path: string) => void;
};

export function ErrorSummary({ errors, fieldName, onChoose }: ErrorSummaryProps) {
  const { t } = useTranslation();
  // Several errors of one field are listed once.
  const fields = new Map<string, string>();
  for (const path of Object.keys(errors)) {
    const name = fieldName(path);
    if (!fields.has(name)) fields.set(name, path);
  }
  if (fields.size === 0) return null;
  return (
    <Group className={classes.summary} gap={8} wrap="nowrap" align="flex-start" role="alert">
      <IconAlertCircle size={16} className={classes.icon} aria-hidden />
      <Group gap="2px 12px">
        <Text fz="sm" fw={500}>
          {t("Check these fields:")}
        </Text>
        {[...fields].map(([name, path]) => (
          <Anchor
            key={path}
            component="button"
            type="button"
            fz="sm"
            c="inherit"
            underline="always"
            onClick={() => onChoose(path)}
          >
            {name}
          </Anchor>
        ))}
      </Group>
    </Group>
  );
}
