import { useTranslation } from "react-i18next";
import { Page } from "#ui/page.tsx";

export default function DashboardPage() {
  const { t } = useTranslation();
  return <Page title={t("Dashboard")}>{null}</Page>;
}
