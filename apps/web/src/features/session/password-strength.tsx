import { Group, Progress, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Returns 0 to 3 by length and kinds of characters; length counts most. */
export function strengthOf(password: string): 0 | 1 | 2 | 3 {
  if (password.length < 8) return 0;
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(password)).length;
  // "aaaaaaaa" is long but weak.
  const different = new Set(password).size;
  if (different < 5) return 1;
  const score = (password.length >= 12 ? 1 : 0) + (password.length >= 16 ? 1 : 0) + (kinds >= 3 ? 1 : 0);
  if (score >= 2) return 3;
  return score === 1 ? 2 : 1;
}

export function PasswordStrength({ password }: { password: string }) {
  const { t } = useTranslation("session");
  if (password === "") return null;
  const strength = strengthOf(password);
  const labels = [t("Too short"), t("Weak"), t("Fair"), t("Strong")];
  const colors = ["red", "red", "amber", "green"];
  return (
    <Group gap="xs" mt={6} wrap="nowrap" aria-live="polite">
      <Progress value={((strength + 1) / 4) * 100} color={colors[strength]} size={4} flex={1} aria-hidden />
      <Text fz="xs" c="dimmed" miw={56} ta="right">
        {labels[strength]}
      </Text>
    </Group>
  );
}
