// Names that a recipe accepts, and their other spellings.

export const kebab = { pattern: /^[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,4}$/, example: "acme-cloud" };
export const snake = { pattern: /^[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){0,4}$/, example: "client_region" };
export const pascal = { pattern: /^[A-Z][a-z]+(?:[A-Z][a-z]*|\d+){0,8}$/, example: "SessionLimitMinutes" };
export const word = { pattern: /^[a-z][a-z0-9]{1,30}$/, example: "acmepay" };

/** "acme-cloud" and "acme_cloud" become "acmeCloud". */
export function camelCase(name) {
  return name.replaceAll(/[-_](\w)/g, (_all, letter) => letter.toUpperCase());
}

/** "acme-cloud", "acme_cloud" and "AcmeCloud" become "Acme cloud". */
export function sentenceCase(name) {
  const text = name
    .replaceAll(/[-_]/g, " ")
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, " ")
    .toLowerCase();
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** "acme-cloud" becomes "Acme Cloud". */
export function titleCase(name) {
  return name
    .split(/[-_]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join(" ");
}
