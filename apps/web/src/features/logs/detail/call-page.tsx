/** The page of a call, for links. */
import { Anchor, Group } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router-dom";
import { usePageTitle } from "#lib/site.ts";
import { CallActions } from "./call-actions.tsx";
import { CallHeading } from "./call-view.tsx";
import { LoadedCall } from "./loaded-call.tsx";

export default function CallPage() {
  const { t } = useTranslation("logs");
  const { id = "" } = useParams();
  usePageTitle(t("Call"));
  return (
    <>
      <Anchor component={Link} to="/panel/log" fz="sm" c="dimmed" display="inline-block" mb="sm">
        <Group gap={6} component="span">
          <IconArrowLeft size={15} />
          {t("All calls")}
        </Group>
      </Anchor>
      <LoadedCall
        key={id}
        id={id}
        wide
        head={(row) => (
          <Group justify="space-between" gap="sm">
            <h1 style={{ margin: 0 }}>
              <CallHeading row={row} />
            </h1>
            <CallActions row={row} />
          </Group>
        )}
      />
    </>
  );
}
