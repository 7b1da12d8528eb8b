import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** A passkey authenticator, together with the browser that uses it. */
export interface Authenticator {
  /** Id of its passkey, encoded as in requests. */
  id: string;
  register(options: { challenge: string; rp: { id?: string } }): object;
  signIn(options: { challenge: string; rpId?: string }): object;
  /** Behavior of the following operations. */
  behave: { origin: string; counter: number; verifiesUser: boolean };
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

export function makeAuthenticator(origin: string, userId: number): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(32);
  const id = credentialId.toString("base64url");
  const behave = { origin, counter: 0, verifiesUser: true };

  function authenticatorData(rpId: string, extra: Buffer = Buffer.alloc(0)): Buffer {
    const flags = USER_PRESENT | (behave.verifiesUser ? USER_VERIFIED : 0) | (extra.length > 0 ? HAS_KEY : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(behave.counter);
    const rp = createHash("sha256").update(rpId).digest();
    return Buffer.concat([rp, Buffer.from([flags]), counter, extra]);
  }

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: behave.origin, crossOrigin: false }));
  const rpIdOf = (wanted: string | undefined) => wanted ?? new URL(behave.origin).hostname;
  const credential = { id, rawId: id, type: "public-key", clientExtensionResults: {} };

  return {
    id,
    behave,
    register({ challenge, rp }) {
      const cose = new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(jwk.x ?? "", "base64url"))],
        [-3, new Uint8Array(Buffer.from(jwk.y ?? "", "base64url"))],
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const key = Buffer.from(isoCBOR.encode(cose));
      const authData = authenticatorData(
        rpIdOf(rp.id),
        Buffer.concat([Buffer.alloc(16), length, credentialId, key]),
      );
      const attestation = new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(authData)],
      ]);
      return {
        ...credential,
        response: {
          clientDataJSON: clientData("webauthn.create", challenge).toString("base64url"),
          attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString("base64url"),
          transports: ["internal", "hybrid"],
        },
      };
    },
    signIn({ challenge, rpId }) {
      const data = clientData("webauthn.get", challenge);
      const authData = authenticatorData(rpIdOf(rpId));
      const signed = Buffer.concat([authData, createHash("sha256").update(data).digest()]);
      return {
        ...credential,
        response: {
          clientDataJSON: data.toString("base64url"),
          authenticatorData: authData.toString("base64url"),
          signature: sign("sha256", signed, privateKey).toString("base64url"),
          userHandle: Buffer.from(String(userId)).toString("base64url"),
        },
      };
    },
  };
}
