/**
 * Downloads the codes as a text file.
 * @param name without extension; becomes `<name>.txt`
 */
export function downloadCodes(codes: readonly string[], name: string): void {
  const url = URL.createObjectURL(new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replaceAll(/[\\/:*?"<>|\s]+/g, "-")}.txt`;
  link.click();
  URL.revokeObjectURL(url);
}
