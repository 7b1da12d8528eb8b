/**
 * Returns the first key that occurs twice in an object, outside the free-form fields; undefined when there is
 * none. The text must be valid JSON. Slow: called only when the number of keys is wrong.
 */
export function repeatedKeys(text: string, freeForm: ReadonlySet<string>): string | undefined {
  let at = 0;

  function space(): void {
    while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  }

  function string(): string {
    const start = at;
    at += 1;
    while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
    at += 1;
    return JSON.parse(text.slice(start, at)) as string;
  }

  /** Skips one value. `path` is undefined within free-form fields. */
  function value(path: string | undefined): string | undefined {
    space();
    switch (text.charAt(at)) {
      case "{":
        return list("}", path);
      case "[":
        return list("]", path);
      case '"':
        string();
        return undefined;
      default:
        while (at < text.length && !",]}".includes(text.charAt(at))) at += 1;
        return undefined;
    }
  }

  function list(end: "}" | "]", path: string | undefined): string | undefined {
    const keys = new Set<string>();
    at += 1;
    space();
    for (let index = 0; at < text.length && text.charAt(at) !== end; index += 1) {
      let below = path === undefined ? undefined : `${path}${index}.`;
      if (end === "}") {
        const key = string();
        if (path !== undefined && keys.has(key)) return path + key;
        keys.add(key);
        below = path === undefined || freeForm.has(key) ? undefined : `${path}${key}.`;
        space();
        at += 1;
      }
      const found = value(below);
      if (found !== undefined) return found;
      space();
      if (text.charAt(at) === ",") at += 1;
      space();
    }
    at += 1;
    return undefined;
  }

  return value("");
}
