import { downloadFile } from "#lib/download.ts";

/**
 * Downloads the codes as a text file.
 * @param name without extension; becomes `<name>.txt`
 */
export function downloadCodes(codes: readonly string[], name: string): void {
  downloadFile(`${name.replaceAll(/[\\/:*?"<>|\s]+/g, "-")}.txt`, `${codes.join("\n")}\n`, "text/plain");
}
