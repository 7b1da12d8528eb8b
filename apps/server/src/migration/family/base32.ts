import { Secret } from "otpauth";

/** The bytes of a second factor's secret as apps show it; undefined when it is none. */
export function decode(written: string): Uint8Array | undefined {
  try {
    const { bytes } = Secret.fromBase32(written.replaceAll(/[\s=]/g, ""));
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}
