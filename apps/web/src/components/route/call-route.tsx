/** The route of a call in the log. Nothing if no channel was tried or could have been. */
import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { Box } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { useSystemName } from "#lib/site.ts";
import { stopsOfCall } from "./call-stops.ts";
import { RoutePicture } from "./route-picture.tsx";

export function CallRoute({ row, attempts }: { row: LogRow; attempts: AttemptNote[] }) {
  const { t } = useTranslation();
  const gateway = useSystemName();
  const stops = stopsOfCall(t, row, attempts);
  if (stops.length === 0) return null;
  return (
    <Box mb="lg">
      <RoutePicture
        label={t("Route of the call: {{steps}}", {
          steps: stops.map(({ name, note }) => `${name}: ${note}`).join("; "),
        })}
        client={row.token_name || row.username}
        gateway={gateway}
        stops={stops.map((stop) => ({
          ...stop,
          icon: <ModelIcon model={row.upstream_model || row.model_name} size={18} />,
        }))}
      />
    </Box>
  );
}
