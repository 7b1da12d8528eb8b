/** Whether a link has a scheme, and not one that runs code in the console. */
export function isOpenable(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript|file|blob):/i.test(url);
}
