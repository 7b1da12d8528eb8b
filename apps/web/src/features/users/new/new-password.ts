/** Returns a random password from letters and digits that are not easily confused. */
export function newPassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  // 256 is not a multiple of 54. Bytes beyond the last multiple would make the first letters more frequent.
  const fair = 256 - (256 % letters.length);
  let password = "";
  while (password.length < 16)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < fair && password.length < 16) password += letters[byte % letters.length];
  return password;
}
