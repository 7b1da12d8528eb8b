/**
 * A key of a channel that is stored elsewhere. It is written in place of the key: a source, and where to find the
 * key in it. Without zod, so that screens can load it.
 */
export type KeyReference =
  /** A variable of the gateway's environment. */
  | { source: "env"; name: string }
  /** A file below CHANNEL_KEYS_DIR. */
  | { source: "file"; path: string }
  /** A field of a secret in HashiCorp Vault, at a path of its HTTP API. */
  | { source: "vault"; path: string; field: string }
  /** A secret in AWS Secrets Manager, or a field of one that is a JSON object. */
  | { source: "aws-sm"; region: string; name: string; field: string }
  /** The machine's identity in AWS, or a role that it assumes. */
  | { source: "aws"; region: string; role: string; externalId: string }
  /** The machine's identity in Google Cloud, or a service account that it acts as. */
  | { source: "google"; project: string; serviceAccount: string }
  /** The machine's identity in Azure; `clientId` chooses one of several. */
  | { source: "azure"; clientId: string };

/** Clouds in which a machine has an identity. */
export type Cloud = "aws" | "google" | "azure";
const clouds: ReadonlySet<string> = new Set<Cloud>(["aws", "google", "azure"]);

/** Whether a source is the machine's identity in a cloud. */
export function isCloud(source: KeyReference["source"]): source is Cloud {
  return clouds.has(source);
}

/** Variables that a reference may name begin with it. No other variable can be read through a channel. */
export const keyVariablePrefix = "CHANNEL_KEY_";

/** Longest reference, in characters. */
export const mostInReference = 500;

/** The form of each reference, as in `docs/channel-keys.md`. */
export const referenceForms: Readonly<Record<KeyReference["source"], string>> = {
  env: "env:CHANNEL_KEY_NAME",
  file: "file:folder/name",
  vault: "vault:mount/data/path#field",
  "aws-sm": "aws-sm:region/secret-name#field",
  aws: "aws:region or aws:region?role=arn:aws:iam::123456789012:role/name&external_id=id",
  google: "google: or google:?project=id&service_account=email",
  azure: "azure: or azure:?client_id=id",
};

const scheme = /^(env|file|vault|aws-sm|aws|google|azure):(.*)$/;

/** Returns the source that a key names if it is a reference, whether or not the rest of it is valid. */
export function referenceSource(key: string): KeyReference["source"] | undefined {
  return scheme.exec(key)?.[1] as KeyReference["source"] | undefined;
}

/** Parses a reference. Returns undefined for any other text and for a reference that is not valid. */
export function parseKeyReference(key: string): KeyReference | undefined {
  const [, source, rest = ""] = scheme.exec(key) ?? [];
  if (key.length > mostInReference) return undefined;
  switch (source as KeyReference["source"] | undefined) {
    case "env":
      return variable.test(rest) ? { source: "env", name: rest } : undefined;
    case "file":
      return isPath(rest) ? { source: "file", path: rest } : undefined;
    case "vault":
      return vaultSecret(rest);
    case "aws-sm":
      return awsSecret(rest);
    case "aws":
      return awsIdentity(rest);
    case "google":
      return googleIdentity(rest);
    case "azure":
      return azureIdentity(rest);
    case undefined:
      return undefined;
  }
}

/** Returns the text of an identity. The other references have no parts to put together. */
export function formatIdentity(identity: Extract<KeyReference, { source: Cloud }>): string {
  switch (identity.source) {
    case "aws": {
      const { region, role, externalId } = identity;
      return `aws:${region}${options({ role, external_id: externalId })}`;
    }
    case "google": {
      const { project, serviceAccount } = identity;
      return `google:${options({ project, service_account: serviceAccount })}`;
    }
    case "azure":
      return `azure:${options({ client_id: identity.clientId })}`;
  }
}

const variable = new RegExp(`^${keyVariablePrefix}[A-Z0-9_]{1,100}$`);
/** A part of a path. It never begins with a dot, so it is neither `..` nor a hidden file. */
const part = /^[\w-][\w.-]*$/;
const field = /^[\w.-]{1,100}$/;
const region = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;
const role = /^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,200}$/;
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html, without "&", which separates options. */
const externalId = /^[\w+=,.@:/-]{2,200}$/;
const secretName = /^[\w/+=.@:-]{1,300}$/;
const project = /^[a-z][a-z\d-]{4,28}[a-z\d]$/;
const email = /^[a-z\d-]+@[a-z\d.-]+\.iam\.gserviceaccount\.com$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function isPath(text: string): boolean {
  return text.split("/").every((each) => part.test(each));
}

function vaultSecret(text: string): KeyReference | undefined {
  const [path = "", name = "", more] = text.split("#");
  if (!isPath(path) || !path.includes("/") || !field.test(name) || more !== undefined) return undefined;
  return { source: "vault", path, field: name };
}

function awsSecret(text: string): KeyReference | undefined {
  const [path = "", name, more] = text.split("#");
  const slash = path.indexOf("/");
  const secret = { region: path.slice(0, slash), name: path.slice(slash + 1) };
  if (slash === -1 || !region.test(secret.region) || !secretName.test(secret.name)) return undefined;
  if ((name !== undefined && !field.test(name)) || more !== undefined) return undefined;
  return { source: "aws-sm", ...secret, field: name ?? "" };
}

function awsIdentity(text: string): KeyReference | undefined {
  const found = withOptions(text, { role, external_id: externalId });
  if (found === undefined || !region.test(found.before)) return undefined;
  const { role: assumed, external_id: id } = found.options;
  if (assumed === "" && id !== "") return undefined;
  return { source: "aws", region: found.before, role: assumed, externalId: id };
}

function googleIdentity(text: string): KeyReference | undefined {
  const found = withOptions(text, { project, service_account: email });
  if (found?.before !== "") return undefined;
  const { project: id, service_account: serviceAccount } = found.options;
  return { source: "google", project: id, serviceAccount };
}

function azureIdentity(text: string): KeyReference | undefined {
  const found = withOptions(text, { client_id: uuid });
  return found?.before === "" ? { source: "azure", clientId: found.options.client_id } : undefined;
}

/** Parses `before?name=value&…`. Returns undefined for an unknown, repeated or invalid option. */
function withOptions<Name extends string>(
  text: string,
  known: Readonly<Record<Name, RegExp>>,
): { before: string; options: Record<Name, string> } | undefined {
  const [before = "", list, more] = text.split("?");
  if (more !== undefined) return undefined;
  const names = Object.keys(known) as Name[];
  const given = new Map<string, string>();
  for (const each of list?.split("&") ?? []) {
    const [name = "", ...values] = each.split("=");
    const value = values.join("=");
    if (!names.some((option) => option === name && known[option].test(value))) return undefined;
    if (given.has(name)) return undefined;
    given.set(name, value);
  }
  const options = Object.fromEntries(names.map((name) => [name, given.get(name) ?? ""]));
  return { before, options: options as Record<Name, string> };
}

function options(values: Readonly<Record<string, string>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  return given.length === 0 ? "" : `?${given.map(([name, value]) => `${name}=${value}`).join("&")}`;
}
