import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";

/**
 * Credentials and secrets of AWS, through AWS's own libraries. They find the machine's identity and all endpoints in
 * the environment, the shared configuration files, and the metadata services of EC2, ECS and EKS.
 */
const requestHandler = { connectionTimeout: 3_000, requestTimeout: 10_000 };

interface AwsIdentity {
  region: string;
  /** "" = none. */
  role: string;
  externalId: string;
}

/** Returns credentials in the form that channels of Bedrock have: Region|AccessKeyID|SecretAccessKey|SessionToken. */
export async function readAwsIdentity({ region, role, externalId }: AwsIdentity): Promise<KeyValue> {
  const { fromNodeProviderChain, fromTemporaryCredentials } = await import("@aws-sdk/credential-providers");
  const clientConfig = { region, requestHandler };
  const chain = fromNodeProviderChain({ clientConfig, timeout: 2_000, maxRetries: 1 });
  const assumed = {
    masterCredentials: chain,
    params: {
      RoleArn: role,
      RoleSessionName: "gateway",
      ...(externalId === "" ? {} : { ExternalId: externalId }),
    },
    clientConfig,
  };
  return keyOf(region, await (role === "" ? chain : fromTemporaryCredentials(assumed))());
}

interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  expiration?: Date | undefined;
}

function keyOf(
  region: string,
  { accessKeyId, secretAccessKey, sessionToken, expiration }: AwsCredentials,
): KeyValue {
  const session = sessionToken === undefined ? [] : [sessionToken];
  return {
    text: keyIn([region, accessKeyId, secretAccessKey, ...session].join("|")),
    ...(expiration === undefined ? {} : { expiresAt: expiration.getTime() }),
  };
}

interface AwsSecret {
  region: string;
  name: string;
  /** A field of a secret that is a JSON object; "" = the whole secret. */
  field: string;
}

/** Returns a secret of AWS Secrets Manager, read with the machine's identity. */
export async function readAwsSecret(
  { region, name, field }: AwsSecret,
  signal: AbortSignal,
): Promise<KeyValue> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  const client = new SecretsManagerClient({ region, maxAttempts: 2, requestHandler });
  try {
    const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: name }), {
      abortSignal: signal,
    });
    if (text === undefined) throw new KeyUnavailableError("the secret is not a text");
    return { text: keyIn(field === "" ? text : fieldOf(text, field)) };
  } finally {
    client.destroy();
  }
}

function fieldOf(text: string, field: string): string {
  const value = recordIn(text)?.[field];
  if (typeof value !== "string") throw new KeyUnavailableError(`the secret has no text field "${field}"`);
  return value;
}

function recordIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
