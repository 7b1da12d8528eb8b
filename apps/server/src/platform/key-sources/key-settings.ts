/** The places from which keys of channels can be read. They are set in the environment only, never in the console. */
import { keyVariablePrefix } from "@gateway/shared/channels/key-reference";
import { trimEndOf } from "@gateway/shared/trim-end";
import { z } from "zod";

export const keySourceVariables = {
  CHANNEL_KEYS_DIR: z.string().min(1).optional(),
  VAULT_ADDR: z.url({ protocol: /^https?$/, error: "must begin with http:// or https://" }).optional(),
  VAULT_TOKEN: z.string().optional(),
  VAULT_TOKEN_FILE: z.string().optional(),
  VAULT_NAMESPACE: z.string().optional(),
  VAULT_KUBERNETES_ROLE: z.string().optional(),
  VAULT_KUBERNETES_MOUNT: z
    .string()
    .regex(/^[\w-]+(\/[\w-]+)*$/, "must look like kubernetes or clusters/west")
    .default("kubernetes"),
  VAULT_KUBERNETES_TOKEN_FILE: z
    .string()
    .min(1)
    .default("/var/run/secrets/kubernetes.io/serviceaccount/token"),
  VAULT_ALLOWED_PATHS: z
    .string()
    .regex(/^[\w-][\w./-]*(,[\w-][\w./-]*)*$/, "must look like secret/data/gateway,secret/data/shared/openai")
    .optional(),
  // The names are those of Microsoft's libraries; AKS sets them in the pods of a workload identity.
  AZURE_FEDERATED_TOKEN_FILE: z.string().min(1).optional(),
  AZURE_TENANT_ID: z
    .string()
    .regex(/^[\w.-]+$/, "must be the ID or the domain of a tenant")
    .optional(),
  AZURE_CLIENT_ID: z.string().optional(),
  AZURE_AUTHORITY_HOST: z
    .url({ protocol: /^https$/, error: "must begin with https://" })
    .default("https://login.microsoftonline.com"),
};

type KeySourceVariables = z.infer<z.ZodObject<typeof keySourceVariables>>;

export interface VaultSettings {
  /** Without a slash at the end. */
  address: string;
  token: string | undefined;
  /** A file with the token, such as the sink of Vault Agent. Read each time. */
  tokenFile: string | undefined;
  namespace: string | undefined;
  /** Role of the Kubernetes auth method; used when there is no token. */
  kubernetesRole: string | undefined;
  kubernetesMount: string;
  /** The token of the pod's service account, which Kubernetes renews. Read at each login. */
  kubernetesTokenFile: string;
  /** A reference may name these paths and everything below them. */
  allowedPaths: readonly string[];
}

/** The workload identity of a pod in Kubernetes. */
export interface AzureWorkload {
  /** Has a token of the cluster. Read each time. */
  tokenFile: string;
  tenantId: string | undefined;
  /** Of references that name no identity. */
  clientId: string | undefined;
  /** Without a slash at the end. */
  authorityHost: string;
}

export interface KeySourceSettings {
  /** Values of the variables that begin with CHANNEL_KEY_, by name. */
  variables: ReadonlyMap<string, string>;
  /** Undefined = no files. */
  keysDir: string | undefined;
  /** Undefined = no Vault. */
  vault: VaultSettings | undefined;
  /** Undefined = managed identities of the machine. */
  azureWorkload: AzureWorkload | undefined;
}

/** @param environment all variables of the process */
export function keySourceSettings(
  variables: KeySourceVariables,
  environment: Readonly<Record<string, string | undefined>>,
): KeySourceSettings {
  const given = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    name.startsWith(keyVariablePrefix) && value !== undefined && value !== "" ? [[name, value]] : [],
  );
  return {
    variables: new Map(given),
    keysDir: variables.CHANNEL_KEYS_DIR,
    vault: vaultSettings(variables),
    azureWorkload:
      variables.AZURE_FEDERATED_TOKEN_FILE === undefined
        ? undefined
        : {
            tokenFile: variables.AZURE_FEDERATED_TOKEN_FILE,
            tenantId: variables.AZURE_TENANT_ID,
            clientId: variables.AZURE_CLIENT_ID,
            authorityHost: trimEndOf(variables.AZURE_AUTHORITY_HOST, "/"),
          },
  };
}

function vaultSettings(variables: KeySourceVariables): VaultSettings | undefined {
  const { VAULT_ADDR: address, VAULT_ALLOWED_PATHS: paths = "" } = variables;
  if (address === undefined) return undefined;
  return {
    address: trimEndOf(address, "/"),
    token: variables.VAULT_TOKEN,
    tokenFile: variables.VAULT_TOKEN_FILE,
    namespace: variables.VAULT_NAMESPACE,
    kubernetesRole: variables.VAULT_KUBERNETES_ROLE,
    kubernetesMount: variables.VAULT_KUBERNETES_MOUNT,
    kubernetesTokenFile: variables.VAULT_KUBERNETES_TOKEN_FILE,
    allowedPaths: paths
      .split(",")
      .map((path) => trimEndOf(path, "/"))
      .filter((path) => path !== ""),
  };
}
