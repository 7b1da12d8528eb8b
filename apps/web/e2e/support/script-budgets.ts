/**
 * Bytes of JavaScript, packed with gzip, that a direct load of a page may cost. Every page loads the framework with
 * Mantine's menus, tooltips, dialogs and notifications: about 200 KB.
 */
export const scriptBudgets = { login: 220_000, dashboard: 275_000, screen: 371_000 };

/** Less than any page needs: a page that shows an error is no success. */
export const leastScript = 50_000;
