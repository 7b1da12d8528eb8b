/** What the palette offers for pasted text: a provider key, a curl command, a request id, or an error message. */
import { useDebouncedValue } from "@mantine/hooks";
import type { SpotlightActionData, SpotlightActionGroupData } from "@mantine/spotlight";
import {
  IconAlertCircle,
  IconListDetails,
  IconMessageCircle,
  IconPlugConnected,
  IconTimeline,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { providersOfKey } from "#components/first-provider/providers-of-key.ts";
import { pathOfCall } from "#lib/address/call-address.ts";
import { sessionAddress } from "#lib/address/session-address.ts";
import { passKey } from "#lib/channel-key-draft.ts";
import { failureLabel } from "#lib/labels/failure-labels.ts";
import { passDraft } from "#lib/playground-draft.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { useMayEnter } from "#lib/session.ts";
import { toast } from "#ui/toast.tsx";
import { type CurlRequest, isProviderKey, readCurl, requestIdIn } from "./pasted-text.ts";

type Go = (to: string, label: string) => void;

/** Shorter text is the beginning of a search. */
const SHORTEST_ERROR = 6;
const MOST_ERRORS = 3;

/** @param go opens an address of the console */
export function usePastedResults(typed: string, go: Go): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const text = typed.trim();
  const request = text.startsWith("curl") ? readCurl(text) : undefined;
  const id = request ? undefined : requestIdIn(text);
  const key = useKeyActions(text, go);
  const curl = useCurlActions(request);
  const errors = useErrorActions(request ? "" : text, go);
  const calls: SpotlightActionData[] =
    id === undefined
      ? []
      : [
          {
            id: `call-${id}`,
            label: t("Open the call {{id}}", { id }),
            leftSection: <IconListDetails size={18} stroke={1.7} />,
            onClick: () => go(pathOfCall(id), t("Open the call {{id}}", { id })),
          },
          {
            id: `session-${id}`,
            label: t("Open the session {{id}}", { id }),
            leftSection: <IconTimeline size={18} stroke={1.7} />,
            onClick: () => go(sessionAddress(id), t("Open the session {{id}}", { id })),
          },
        ];
  return [
    { group: t("Pasted"), actions: [...key, ...curl] },
    { group: t("Calls"), actions: [...calls, ...errors] },
  ].filter((each) => each.actions.length > 0);
}

/** The key stays in memory until the form is saved. */
function useKeyActions(text: string, go: Go): SpotlightActionData[] {
  const { t } = useTranslation();
  const isKey = isProviderKey(text) !== "no";
  const mayAdd = useMayEnter("channels", "edit") && isKey;
  const providers = useQuery({ ...providersQuery, enabled: mayAdd }).data ?? [];
  if (!mayAdd) return [];
  const fitting = providersOfKey(text, providers);
  const label = t("Add a channel with the pasted key");
  return [
    {
      id: "pasted-key",
      label,
      description:
        fitting.length === 1
          ? fitting[0]?.label
          : t("Choose the provider in the form. Nothing is sent until you save."),
      leftSection: <IconPlugConnected size={18} stroke={1.7} />,
      onClick: () => {
        passKey(text);
        go("/panel/channel?edit=new", t("Add channel"));
      },
    },
  ];
}

function useCurlActions(request: CurlRequest | undefined): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (request === undefined || !request.body.startsWith("{")) return [];
  const open = async () => {
    const { readConversation, toPlaygroundDraft } = await import("#components/conversation/conversation.ts");
    const conversation = readConversation(request.body, "");
    const draft = conversation && toPlaygroundDraft(conversation, modelOf(request));
    if (!draft) {
      toast.warning(t("The command contains no conversation that the playground can use."));
      return;
    }
    passDraft({ ...draft, send: false });
    void navigate("/panel/playground", { state: { draft: performance.now() } });
  };
  return [
    {
      id: "pasted-curl",
      label: t("Open the request in the playground"),
      description: t("The key of the command is not used."),
      leftSection: <IconMessageCircle size={18} stroke={1.7} />,
      onClick: () => void open(),
    },
  ];
}

/** Returns the model of the body, or of Gemini's path. */
function modelOf({ url, body }: CurlRequest): string {
  const inBody = /"model"\s*:\s*"([^"\\]{1,160})"/.exec(body)?.[1];
  return inBody ?? /\/models\/([^/:?]{1,160})/.exec(url)?.[1] ?? "";
}

function useErrorActions(text: string, go: Go): SpotlightActionData[] {
  const { t } = useTranslation();
  const [settled] = useDebouncedValue(text, 200);
  const codes = useQuery({
    queryKey: ["palette", "errors", settled],
    // Loaded with the first search, like the texts of all errors.
    queryFn: async () => (await import("#lib/errors/error-templates.ts")).findCodes(settled),
    enabled: settled.length >= SHORTEST_ERROR && isProviderKey(settled) === "no",
    staleTime: Infinity,
    gcTime: 0,
  }).data;
  if (settled !== text) return [];
  const named = (codes ?? []).flatMap((code) => {
    const name = failureLabel(code);
    return name === undefined ? [] : [{ code, name }];
  });
  return named.slice(0, MOST_ERRORS).map(({ code, name }) => {
    const label = t("Show calls that failed with: {{reason}}", { reason: t(name) });
    return {
      id: `error-${code}`,
      label,
      leftSection: <IconAlertCircle size={18} stroke={1.7} />,
      onClick: () => go(`/panel/log?error_code=${code}`, label),
    };
  });
}
