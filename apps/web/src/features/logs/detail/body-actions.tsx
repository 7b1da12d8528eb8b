/**
 * Actions for a stored request: send it again, edit it, or
 * copy it as a shell command. Always with the user's own key.
 */
import type { LogBodies, LogRow } from "@gateway/shared/usage/log";
import { Button, Group } from "@mantine/core";
import { IconMessageCircle, IconPlayerPlay, IconTerminal2 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { type Conversation, toPlaygroundDraft } from "#components/conversation/conversation.ts";
import { curlOf } from "#components/conversation/curl.ts";
import { parseJson } from "#components/conversation/messages.ts";
import { passDraft } from "#lib/playground-draft.ts";
import { useServerAddress } from "#lib/site.ts";
import { copyText } from "#ui/copy.tsx";

type BodyActionsProps = { row: LogRow; bodies: LogBodies; conversation: Conversation | null };

export function BodyActions({ row, bodies, conversation }: BodyActionsProps) {
  const { t } = useTranslation("logs");
  const navigate = useNavigate();
  const server = useServerAddress();
  const model = row.model_name;
  const draft = conversation && model !== "" ? toPlaygroundDraft(conversation, model) : null;
  // A truncated body is not a valid request.
  const isWhole = parseJson(bodies.request) !== undefined;
  const open = (send: boolean) => {
    if (draft === null) return;
    passDraft({ ...draft, send });
    void navigate("/panel/playground");
  };
  if (draft === null && !isWhole) return null;
  return (
    <Group gap="xs">
      {draft ? (
        <>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlayerPlay size={15} />}
            title={t(
              "Sends the conversation again with your own token. The call is charged to your balance.",
            )}
            onClick={() => open(true)}
          >
            {t("Replay")}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconMessageCircle size={15} />}
            onClick={() => open(false)}
          >
            {t("Open in playground")}
          </Button>
        </>
      ) : null}
      {isWhole && row.endpoint.startsWith("/") ? (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconTerminal2 size={15} />}
          onClick={() =>
            void copyText(
              curlOf({ server, endpoint: row.endpoint, model, body: bodies.request }),
              t("cURL command"),
            )
          }
        >
          {t("Copy as cURL")}
        </Button>
      ) : null}
    </Group>
  );
}
