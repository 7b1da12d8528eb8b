import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";

type ShowAllProps = { shown: number; total: number; onShow: () => void };

/** Shows the rest of a list that is longer than its first entries. */
export function ShowAll({ shown, total, onShow }: ShowAllProps) {
  const { t } = useTranslation("site");
  return shown < total ? (
    <Button variant="default" size="compact-md" mt="sm" onClick={onShow}>
      {t("Show all {{count}}", { count: total })}
    </Button>
  ) : null;
}
