import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Makes `<path>.key` and `<path>.pem` of an authority that signs certificates. */
export async function makeAuthority(path: string): Promise<void> {
  const files = ["-keyout", `${path}.key`, "-out", `${path}.pem`];
  await run("openssl", ["req", "-x509", ...newKey, "-days", "2", "-subj", "/CN=Test authority", ...files]);
}

/** Makes `<path>.key` and `<path>.pem`, signed by an authority. */
export async function makeCertificate(authority: string, path: string, name: string): Promise<void> {
  const request = `${path}.csr`;
  await run("openssl", ["req", ...newKey, "-subj", `/CN=${name}`, "-keyout", `${path}.key`, "-out", request]);
  await writeFile(`${path}.ext`, `subjectAltName=DNS:${name}\n`);
  const signer = ["-CA", `${authority}.pem`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
  const signed = ["-days", "2", "-extfile", `${path}.ext`, "-out", `${path}.pem`];
  await run("openssl", ["x509", "-req", "-in", request, ...signer, ...signed]);
}
