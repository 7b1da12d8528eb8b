/** The management API, as measurements and verifications call it. */

/** Calls the API as the owner of an access token. Rejects with the message of a refusal. */
export type ManagementApi = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

const TIMEOUT_MS = 60_000;

/** Returns the API of the gateway at `url`, which ends without a slash. */
export function managementApi(url: string, accessToken: string): ManagementApi {
  return async (method, path, body) => dataOf(path, await sendRequest(url, accessToken, method, path, body));
}

/** Sends one request. Resolves with the response whatever its status. */
export function sendRequest(
  url: string,
  accessToken: string,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  return fetch(`${url}/api${path}`, {
    method,
    headers: { "api-version": "2", authorization: accessToken, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

/** Returns the data of a response. Rejects if it is a refusal. */
export async function dataOf<T>(path: string, response: Response): Promise<T> {
  const { success, message, data } = (await response.json()) as {
    success: boolean;
    message: string;
    data: T;
  };
  if (!success) throw new Error(`${path}: ${message}`);
  return data;
}
