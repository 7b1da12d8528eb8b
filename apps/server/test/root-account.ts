/** Key and root account of the gateways that tests start in their own process. */
export const testSecretKey = "a secret that only this test run knows";
export const rootPassword = "correct horse battery";
export const testAccessToken = "root-access-token-for-the-journeys-0123456789";
