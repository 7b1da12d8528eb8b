/** Bytes of JavaScript, packed with gzip, that a direct load of a page may cost. */
export const scriptBudgets = { login: 180_000, dashboard: 280_000, screen: 380_000 };

/** Less than any page needs: a page that shows an error is no success. */
export const leastScript = 50_000;
