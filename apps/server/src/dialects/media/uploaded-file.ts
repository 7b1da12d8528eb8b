/**
 * Returns whether the file belongs to the provider. Files uploaded to one provider do not exist at another;
 * their ids identify the owner.
 */
export function isFileOf(id: string, provider: "openai" | "anthropic" | "google"): boolean {
  if (isGoogleFile(id)) return provider === "google";
  if (id.startsWith("file-")) return provider === "openai";
  return id.startsWith("file_") ? provider === "anthropic" : true;
}

const googleFile =
  /^(?:gs:|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:(?:www|m)\.)?youtube\.com\/|https:\/\/youtu\.be\/)/i;

/** Returns whether only Google can read this address: files uploaded there, and videos on YouTube. */
export function isGoogleFile(address: string): boolean {
  return googleFile.test(address);
}
