/** How a channel signs in at its provider: with a key, or with an identity that the machine has in a cloud. */
import { type Cloud, formatIdentity, parseKeyReference } from "@gateway/shared/channels/key-reference";
import { Select, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DraftForm } from "#features/channels/editor/draft.ts";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("channels");

type SignIn = "key" | "machine" | "chosen";

/** `chosen`: the identity that the machine acts as. */
const chosenLabels: Record<Cloud, string> = {
  aws: phrase("A role that the machine assumes"),
  google: phrase("A service account that the machine acts as"),
  azure: phrase("A user-assigned identity of the machine"),
};

const descriptions: Record<SignIn, string> = {
  key: phrase("The channel has a key, or the place where it is stored."),
  machine: phrase(
    "The gateway gets short-lived credentials from the cloud that it runs in. No key is stored.",
  ),
  chosen: phrase("The gateway gets short-lived credentials for this identity. No key is stored."),
};

interface Parts {
  region: string;
  role: string;
  externalId: string;
  project: string;
  serviceAccount: string;
  clientId: string;
}

const noParts: Parts = {
  region: "",
  role: "",
  externalId: "",
  project: "",
  serviceAccount: "",
  clientId: "",
};

type SignInFieldProps = {
  form: DraftForm;
  cloud: Cloud;
  /** What the list shows of the only stored key: an identity, or something else. */
  stored: string | undefined;
  /** Tells whether an identity is used, so that the field for keys is not shown. */
  onIdentity: (used: boolean) => void;
};

/** The identity of a stored key; undefined when it is a key. */
export function storedIdentity(stored: string | undefined, cloud: Cloud | null | undefined) {
  const reference = stored === undefined ? undefined : parseKeyReference(stored);
  return reference !== undefined && reference.source === cloud ? reference : undefined;
}

export function SignInField({ form, cloud, stored, onIdentity }: SignInFieldProps) {
  const { t } = useTranslation("channels");
  const known = storedIdentity(stored, cloud);
  const [parts, setParts] = useState<Parts>({ ...noParts, ...known });
  const [mode, setMode] = useState<SignIn>(() =>
    known === undefined ? "key" : isChosen(known) ? "chosen" : "machine",
  );

  const write = (next: SignIn, given: Parts) => {
    setMode(next);
    setParts(given);
    onIdentity(next !== "key");
    const text = next === "key" ? "" : textOf(cloud, next, given);
    // What is stored already is not entered again.
    form.setFieldValue("key", text === stored ? "" : text);
    form.setFieldValue("key_mode", next === "key" || stored === undefined ? undefined : "replace");
    form.clearFieldError("key");
  };
  const part = (name: keyof Parts) => ({
    value: parts[name],
    spellCheck: false,
    autoComplete: "off",
    onChange: (event: { currentTarget: { value: string } }) =>
      write(mode, { ...parts, [name]: event.currentTarget.value.trim() }),
  });
  const { error } = form.getInputProps("key");

  return (
    <Stack gap="md">
      <Select
        label={t("Sign in with")}
        allowDeselect={false}
        data={[
          { value: "key", label: t("A key") },
          { value: "machine", label: t("The identity of the machine") },
          { value: "chosen", label: t(chosenLabels[cloud]) },
        ]}
        description={t(descriptions[mode])}
        value={mode}
        error={mode === "key" || cloud === "aws" ? undefined : error}
        onChange={(next) => write(next ?? "key", parts)}
      />
      {mode !== "key" && cloud === "aws" ? (
        <TextInput label={t("AWS region")} placeholder="us-east-1" {...part("region")} error={error} />
      ) : null}
      {mode === "chosen" && cloud === "aws" ? (
        <>
          <TextInput
            label={t("ARN of the role")}
            placeholder="arn:aws:iam::123456789012:role/bedrock"
            {...part("role")}
          />
          <TextInput
            label={t("External ID (optional)")}
            description={t("The value that the trust policy of the role requires.")}
            {...part("externalId")}
          />
        </>
      ) : null}
      {mode === "chosen" && cloud === "google" ? (
        <TextInput
          label={t("Email of the service account")}
          placeholder="gateway@project.iam.gserviceaccount.com"
          {...part("serviceAccount")}
        />
      ) : null}
      {mode === "chosen" && cloud === "azure" ? (
        <TextInput
          label={t("Client ID of the identity")}
          placeholder="00000000-0000-0000-0000-000000000000"
          {...part("clientId")}
        />
      ) : null}
    </Stack>
  );
}

function isChosen(identity: Partial<Parts>): boolean {
  const { role = "", serviceAccount = "", clientId = "" } = identity;
  return role + serviceAccount + clientId !== "";
}

/** An incomplete identity keeps its name with an empty value, so that it is not valid. */
function textOf(cloud: Cloud, mode: "machine" | "chosen", parts: Parts): string {
  const { region, role, externalId, project, serviceAccount, clientId } = parts;
  if (mode === "machine") {
    const none = { role: "", externalId: "", serviceAccount: "", clientId: "" };
    return formatIdentity({ source: cloud, region, project, ...none });
  }
  if (cloud === "aws")
    return role === "" ? `aws:${region}?role=` : formatIdentity({ source: cloud, region, role, externalId });
  if (cloud === "google")
    return serviceAccount === ""
      ? "google:?service_account="
      : formatIdentity({ source: cloud, project, serviceAccount });
  return clientId === "" ? "azure:?client_id=" : formatIdentity({ source: cloud, clientId });
}
