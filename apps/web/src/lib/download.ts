/** Time that a browser has to read the file, in milliseconds. Some begin after the click has been handled. */
const KEEP_MS = 10_000;

/** Saves a text as a file. */
export function downloadFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}

export function downloadJson(name: string, value: unknown): void {
  downloadFile(name, JSON.stringify(value, null, 2), "application/json");
}
