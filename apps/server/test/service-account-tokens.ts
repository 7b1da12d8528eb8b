import { createSign, createVerify, generateKeyPairSync } from "node:crypto";

/** What a Kubernetes cluster puts into the token of a service account. */
interface ServiceAccount {
  namespace: string;
  name: string;
  audience: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** The part of a cluster that issues tokens of service accounts, as JSON Web Tokens, and reviews them. */
export interface TestCluster {
  issue(account: ServiceAccount): string;
  /** Returns undefined for a token that the cluster did not sign. */
  review(token: string): ServiceAccount | undefined;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

export function createCluster(): TestCluster {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return {
    issue({ namespace, name, audience, expiresAt }) {
      const claims = {
        iss: "https://cluster.test",
        sub: `system:serviceaccount:${namespace}:${name}`,
        aud: [audience],
        exp: expiresAt,
      };
      const signed = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
      return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
    },
    review(token) {
      const [head = "", claims = "", signature = ""] = token.split(".");
      const check = createVerify("RSA-SHA256").update(`${head}.${claims}`);
      if (!check.verify(publicKey, signature, "base64url")) return undefined;
      const { sub, aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
        sub: string;
        aud: string[];
        exp: number;
      };
      const [, , namespace = "", name = ""] = sub.split(":");
      return { namespace, name, audience: aud[0] ?? "", expiresAt: exp };
    },
  };
}
